/** The library as it is at this moment, for the record of an answer. */
import type { View } from "../../access/view.ts"
import type { Source } from "../../grounding/passages.ts"
import type { ChatDependencies } from "../dependencies.ts"
import type { LibraryThen } from "./record-of.ts"

/** Of the files that passages are from, as far as the caller sees them. */
export async function libraryFor(
  { files, records }: Pick<ChatDependencies, "files" | "records">,
  view: View,
  sources: readonly Source[],
): Promise<LibraryThen> {
  const ids = [...new Set(sources.map(({ file_id }) => file_id))]
  const [found, changes] = await Promise.all([
    ids.length > 0 ? files.existing(view, ids) : [],
    records.libraryChanges(view.workspaceId),
  ])
  return { files: new Map(found.map(({ id, sha256 }) => [id, sha256])), changes }
}
