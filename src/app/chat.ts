import type { ModelCatalog } from "../backends/index.ts"
import { Chat } from "../chat/chat.ts"
import { ConversationStore } from "../chat/conversation-store.ts"
import { QueryRewriter } from "../chat/query-rewriter.ts"
import { Replies } from "../chat/replies.ts"
import type { Config } from "../config.ts"
import type { SearchIndex } from "../search/index.ts"
import type { Access } from "./access.ts"
import type { LibraryParts } from "./library.ts"
import type { Models } from "./models.ts"
import type { Storage } from "./storage.ts"

interface ChatParts {
  storage: Storage
  access: Access
  chatModels: ModelCatalog
  models: Models
  index: SearchIndex
  files: LibraryParts
}

/** Conversations, those that a former process left half way ended. */
export async function openChat(config: Config, { storage, access, chatModels, models, index, files }: ChatParts) {
  const conversations = new ConversationStore(storage.database)
  await conversations.closeInterrupted()
  return new Chat({
    idempotency: storage.idempotency,
    store: conversations,
    replies: new Replies(conversations, config.max_replies),
    models: chatModels,
    search: index,
    files: files.library,
    fileWaitMs: config.file_wait_seconds * 1000,
    meter: models.meter,
    rewriter: new QueryRewriter(config.query_rewriting),
    maxContextTokens: config.max_context_tokens,
    redactor: models.redactor,
    redactionEnforced: access.redactionEnforced,
  })
}
