import type { AgentFile } from "./library.ts"
import type { ToolContext } from "./tool.ts"
import { ToolError } from "./tool-error.ts"

/** What decides which files there are. */
export type FileContext = Pick<ToolContext, "library" | "view" | "scope" | "shows">

/** A file that the run may see. @throws ToolError, the same for foreign and for unknown ids */
async function fileInScope(fileId: string, { library, view, scope }: FileContext): Promise<AgentFile> {
  const file = await library.find(view, fileId, scope)
  if (!file) throw new ToolError(`There is no file ${JSON.stringify(fileId)}; list_files names those there are.`)
  return file
}

/** The same, with its text or tables ready to be read. */
export async function searchableFile(fileId: string, context: FileContext): Promise<AgentFile> {
  const file = await fileInScope(fileId, context)
  context.shows?.(file.id)
  if (file.status === "failed") throw new ToolError(`${file.name} could not be read when it was uploaded.`)
  // A re-indexed file has its former text; only one that was never read has none.
  if (file.status !== "searchable" && file.character_count === null)
    throw new ToolError(`${file.name} is still being read; try again later.`)
  return file
}

export const FILE_ID = { type: "string", minLength: 1, maxLength: 64, description: "Id of a file, file_…" } as const
