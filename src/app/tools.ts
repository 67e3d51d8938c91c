import type { View } from "../access/view.ts"
import type { AgentLibrary } from "../agents/library.ts"
import { LibraryAccess } from "../agents/library-access.ts"
import { TableProcesses, type TableReader } from "../agents/tools/table-reader.ts"
import type { Chat } from "../chat/chat.ts"
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
  /** Conversations are contexts of their own; without it there are none. */
  chat?: Pick<Chat, "conversationFiles">
}

export function openTools({ storage, files, chat }: ToolParts, stack: AsyncDisposableStack): Tools {
  const tables = new TableProcesses()
  stack.defer(() => tables.stop())
  const library = new LibraryAccess({
    database: storage.database,
    library: files.library,
    ...(chat ? { conversationFiles: (view: View, id: string) => chat.conversationFiles(view, id) } : {}),
  })
  return { library, tables }
}
