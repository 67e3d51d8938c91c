import type { ModelCatalog } from "../backends/index.ts"
import { Chat } from "../chat/chat.ts"
import { ConversationStore } from "../chat/conversation-store.ts"
import { SummaryStore } from "../chat/history/summary-store.ts"
import { MessageImages } from "../chat/images/message-images.ts"
import { KeptAnswerStore } from "../chat/kept-answer-store.ts"
import { LiveHere } from "../chat/live-events.ts"
import { LiveOverNodes } from "../chat/live-over-nodes.ts"
import { QueryRewriter } from "../chat/query-rewriter.ts"
import { NoteStore } from "../chat/reading/note-store.ts"
import { RecordStore } from "../chat/record/record-store.ts"
import { Replies } from "../chat/replies.ts"
import { ReplyLog } from "../chat/reply-log.ts"
import { ReplyStore } from "../chat/reply-store.ts"
import type { Config } from "../config.ts"
import { WholeTexts } from "../library/whole-texts.ts"
import { countedSearch } from "../search/counted-search.ts"
import type { SearchIndex } from "../search/index.ts"
import { LibraryAccess } from "../tools/library-access.ts"
import type { Access } from "./access.ts"
import type { LibraryParts } from "./library.ts"
import type { Models } from "./models.ts"
import type { Storage } from "./storage.ts"
import type { Fenced } from "./tools.ts"

interface ChatParts {
  storage: Storage
  access: Access
  chatModels: ModelCatalog
  models: Models
  index: SearchIndex
  files: LibraryParts
  fenced: Fenced
}

/** Conversations, those that a former process left half way ended. */
export async function openChat(
  config: Config,
  { storage, access, chatModels, models, index, files, fenced }: ChatParts,
) {
  const { database, node, cluster } = storage
  const peers = cluster?.peers
  const store = new ConversationStore(database)
  const log = peers && new ReplyLog(database)
  const replyStore = new ReplyStore(database, node, log)
  const replies = new Replies(replyStore, config.max_replies)
  await replyStore.closeInterrupted()
  const chat = new Chat({
    idempotency: storage.idempotency,
    usage: storage.usage,
    records: new RecordStore(database),
    kept: new KeptAnswerStore(database),
    summaries: new SummaryStore(database),
    images: new MessageImages(database, storage.blobs),
    store,
    replyStore,
    replies,
    live: peers && log ? new LiveOverNodes({ store, replyStore, log, replies, peers }) : new LiveHere(store, replies),
    models: chatModels,
    search: countedSearch(index, false, (...counted) => storage.usage.countSearch(...counted)),
    files: files.library,
    fileWaitMs: config.file_wait_seconds * 1000,
    texts: new WholeTexts(database),
    notes: new NoteStore(database),
    notesAtOnce: config.model_parallel > 2 ? config.model_parallel - 1 : config.model_parallel, // one for who comes next
    bench: { ...fenced, library: new LibraryAccess({ database, library: files.library }) },
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
