import { isNarrow, type View } from "../access/view.ts"
import { AppError } from "../errors.ts"

/** An administrator, or a key without limits. */
export const seesWhole = (view: View): boolean => view.own === null && !isNarrow(view)

/** What is decided for all of a workspace is decided by who sees all of it. @throws AppError forbidden */
export function needWhole(view: View): void {
  if (!seesWhole(view))
    throw new AppError("forbidden", {
      message: "only administrators, and keys that nothing narrows, decide for the workspace",
    })
}
