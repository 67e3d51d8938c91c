import type { View } from "../access/view.ts"
import { AppError } from "../errors.ts"
import type { Executor } from "../storage/database.ts"
import type { SourceRow } from "./source.ts"
import type { Sources } from "./sources.ts"

/** Finds sources that files are brought to. */
export type FindSource = Pick<Sources, "find">

/** @throws AppError not_found, also for one that the caller does not see; conflict for one that takes nothing from outside, or nothing now */
export async function fedSource(sources: FindSource, view: View, id: string, executor?: Executor): Promise<SourceRow> {
  const source = await sources.find(view, id, executor)
  if (source.type !== "push")
    throw new AppError("conflict", { message: "the source fetches its files itself: none are brought to it" })
  if (source.paused) throw new AppError("conflict", { message: "the source is paused" })
  return source
}
