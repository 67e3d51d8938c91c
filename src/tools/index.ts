/** The tools that every daemon has. Another one is a file and a line here. */
import { calculate } from "./calculate.ts"
import { currentTime } from "./current-time.ts"
import { listFiles } from "./list-files.ts"
import { queryTable } from "./query-table.ts"
import { readFile } from "./read-file.ts"
import { searchLibrary } from "./search-library.ts"
import type { Tool } from "./tool.ts"

export const TOOLS = {
  search_library: searchLibrary,
  read_file: readFile,
  list_files: listFiles,
  query_table: queryTable,
  calculate,
  current_time: currentTime,
} as const satisfies Record<string, Tool<never>>

export const BUILTIN_TOOLS: readonly Tool[] = Object.values(TOOLS) as unknown as Tool[]
