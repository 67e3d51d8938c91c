import type { View } from "../access/view.ts"
import type { Chat } from "../chat/chat.ts"
import { type Evaluator, EvaluatorProcesses } from "../tools/evaluator.ts"
import type { AgentLibrary } from "../tools/library.ts"
import { LibraryAccess } from "../tools/library-access.ts"
import { TableProcesses, type TableReader } from "../tools/table-reader.ts"
import type { LibraryParts } from "./library.ts"
import type { Storage } from "./storage.ts"

/** What tools work on, those of agents and those that assistants call. */
export interface Tools {
  library: AgentLibrary
  tables: TableReader
}

interface ToolParts {
  storage: Pick<Storage, "database">
  files: Pick<LibraryParts, "library">
  fenced: Pick<Fenced, "tables">
  /** Conversations are contexts of their own; without it there are none. */
  chat?: Pick<Chat, "conversationFiles">
}

/** Fenced processes that read tables and calculate. */
export interface Fenced {
  tables: TableReader
  evaluator: Evaluator
}

export function openFenced(stack: AsyncDisposableStack): Fenced {
  const tables = new TableProcesses()
  stack.defer(() => tables.stop())
  const evaluator = new EvaluatorProcesses()
  stack.defer(() => evaluator.stop())
  return { tables, evaluator }
}

export function openTools({ storage, files, chat, fenced }: ToolParts): Tools {
  const library = new LibraryAccess({
    database: storage.database,
    library: files.library,
    ...(chat ? { conversationFiles: (view: View, id: string) => chat.conversationFiles(view, id) } : {}),
  })
  return { library, tables: fenced.tables }
}
