/** How the records and events of conversations pass the guard: what comes from elsewhere, and what is the daemon's own. */
import { CITATION, ERROR, WARNING } from "../grounding/fields.ts"
import type { Fields } from "../guarded.ts"
import type {
  ConversationChange,
  ConversationPatch,
  FinishedReply,
  NewConversation,
  NewUserMessage,
} from "./conversation-rows.ts"
import type { ChatSettings } from "./settings.ts"
import type { ChatEventData, ChatEventName, Source } from "./types.ts"

export const SOURCE: Fields<Source> = { ...CITATION, score: "own", text: "text" }

/** How each event passes on its way to the caller. */
export const CHAT_EVENTS: { readonly [Name in ChatEventName]: Fields<ChatEventData[Name]> } = {
  conversation_created: { conversation_id: "own", model: "own", created_at: "own", additional_metadata: "json" },
  message_started: { message_id: "own", conversation_id: "own", model: "own", user_message_id: "own" },
  status: { phase: "own", detail: "text" },
  warning: WARNING,
  redaction: { ner_count: "own", kinds: "own" },
  sources: { sources: SOURCE },
  thinking_delta: { text: "own" },
  message_delta: { text: "own" },
  message_completed: {
    message_id: "own",
    content: "own",
    citations: CITATION,
    finish_reason: "own",
    usage: "own",
    ner_count: "own",
    timings: "own",
  },
  error: { error: ERROR, message_id: "own" },
  done: {},
}

/** Files exist, the scope was looked at when it came, and of the redaction only its rules are kept. */
const SETTINGS = {
  system_prompt: "text",
  use_library: "own",
  context_id: "own",
  file_ids: "own",
  options: { temperature: "own", top_p: "own", max_tokens: "own", seed: "number", stop: "text" },
  thinking: "own",
  response_format: "json",
  redaction: "own",
} as const satisfies Fields<ChatSettings>

export const NEW_CONVERSATION: Fields<NewConversation> = {
  id: "own",
  workspaceId: "own",
  title: "text",
  model: "own",
  settings: SETTINGS,
  additionalMetadata: "json",
}

export const CONVERSATION_CHANGE: Fields<ConversationChange> = {
  model: "own",
  settings: SETTINGS,
  additionalMetadata: "json",
  title: "text",
  fileIds: "own",
}

export const CONVERSATION_PATCH: Fields<ConversationPatch> = { title: "text", additional_metadata: "json" }

export const USER_MESSAGE: Fields<NewUserMessage> = { content: "text", nerCount: "own", redaction: "own" }

export const FINISHED_REPLY: Fields<FinishedReply> = {
  content: "own",
  citations: CITATION,
  sources: SOURCE,
  finishReason: "own",
  error: ERROR,
  warnings: WARNING,
  nerCount: "own",
  promptTokens: "own",
  completionTokens: "own",
  contextTokens: "own",
}
