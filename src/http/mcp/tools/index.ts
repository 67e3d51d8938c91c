/** The tools that an assistant gets. Another one is a file and a line here. */
import type { McpTool } from "../tool.ts"
import { addText } from "./add-text.ts"
import { addUrl } from "./add-url.ts"
import { ask } from "./ask.ts"
import { fetchFile } from "./fetch.ts"
import { listFiles } from "./list-files.ts"
import { queryTable } from "./query-table.ts"
import { readFile } from "./read-file.ts"
import { search } from "./search.ts"
import { searchLibrary } from "./search-library.ts"

const MCP_TOOLS = {
  search,
  fetch: fetchFile,
  search_library: searchLibrary,
  read_file: readFile,
  list_files: listFiles,
  query_table: queryTable,
  ask,
  add_text: addText,
  add_url: addUrl,
} as const satisfies Record<string, McpTool<never>>

export const mcpTools = Object.values(MCP_TOOLS) as unknown as readonly McpTool[]
