import type { ModelCatalog } from "../backends/index.ts"
import { Chat } from "../chat/chat.ts"
import { ConversationStore } from "../chat/conversation-store.ts"
import { KeptAnswerStore } from "../chat/kept-answer-store.ts"
import { LiveHere } from "../chat/live-events.ts"
import { LiveOverNodes } from "../chat/live-over-nodes.ts"
import { QueryRewriter } from "../chat/query-rewriter.ts"
import { Replies } from "../chat/replies.ts"
import { ReplyLog } from "../chat/reply-log.ts"
import { ReplyStore } from "../chat/reply-store.ts"
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
  const { database, node, cluster } = storage
  const peers = cluster?.peers
  const store = new ConversationStore(database)
  const log = peers && new ReplyLog(database)
  const replyStore = new ReplyStore(database, node, log)
  const replies = new Replies(replyStore, config.max_replies)
  await replyStore.closeInterrupted()
  const chat = new Chat({
    idempotency: storage.idempotency,
    kept: new KeptAnswerStore(database),
    store,
    replyStore,
    replies,
    live: peers && log ? new LiveOverNodes({ store, replyStore, log, replies, peers }) : new LiveHere(store, replies),
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
  cluster?.onDeaths(() => chat.recover())
  node.onLost(() => chat.abandon())
  return chat
}
