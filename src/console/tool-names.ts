/** What people call the tools of agents and chats; those of tool servers have names of their own. */
import { type Text, t } from "./text.ts"

const NAMES: Record<string, Text> = {
  search_library: "Search the library",
  read_file: "Read files",
  list_files: "List files",
  query_table: "Query tables",
  calculate: "Calculate",
  current_time: "Tell the time",
}

/** @param title as the daemon has it, for a tool that is not known here */
export const toolName = (name: string, title = name.replaceAll("_", " ")): string =>
  Object.hasOwn(NAMES, name) ? t(NAMES[name]!) : title
