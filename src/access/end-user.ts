import { AppError } from "../errors.ts"
import { checkEndUser } from "./limits.ts"
import type { View } from "./view.ts"

/**
 * The end user that a request is for: the one whom its token fixes, or the one that it names.
 * @throws AppError forbidden where both differ; invalid_request
 */
export function endUserOf({ author }: View, named: string | null | undefined): string | null {
  const fixed = author?.endUser ?? null
  if (named === null || named === undefined) return fixed
  if (fixed !== null && fixed !== named)
    throw new AppError("forbidden", { message: "the token is for another end user" })
  return checkEndUser(named)
}
