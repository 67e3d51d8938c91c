/** What the next message is asked with: what the conversation has, and what was changed in the bar since. */
import type { Conversation, Reading } from "../../wire.ts"

export type Scope = "library" | "files" | "context" | "none"

export interface ChatSettings {
  /** Empty means the conversation's own, or the daemon's default. */
  model: string
  scope: Scope
  /** The files of the scope "files". */
  fileIds: readonly string[]
  contextId: string
  redaction: boolean
  thinking: boolean
  /** How much of the chosen files an answer is made from. */
  reading: Reading
}

/** Settings of a conversation as the daemon keeps them. One that begins with a file is about that file. */
export function settingsOf(conversation: Conversation | null | undefined, fileId: string | null): ChatSettings {
  const fresh = {
    use_library: true,
    context_id: null,
    file_ids: fileId ? [fileId] : [],
    redaction: false,
    thinking: false,
    reading: "auto" as const,
  }
  const { use_library, context_id, file_ids, redaction, thinking, reading } = conversation?.settings ?? fresh
  return {
    model: "",
    scope: !use_library ? "none" : file_ids.length > 0 ? "files" : context_id ? "context" : "library",
    fileIds: file_ids,
    contextId: context_id ?? "",
    redaction,
    thinking,
    reading,
  }
}

/** The fields of a request. What is not sent the daemon takes from the conversation. */
export function requestOf(wanted: Partial<ChatSettings>) {
  const { model, scope, redaction, thinking, reading } = wanted
  return {
    ...(model ? { model } : {}),
    ...(scope ? scopeOf({ ...wanted, scope }) : {}),
    ...(redaction === undefined ? {} : { redaction }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(reading === undefined ? {} : { reading }),
  }
}

/** Each choice takes the others off again. */
function scopeOf({ scope, fileIds = [], contextId = "" }: Partial<ChatSettings> & { scope: Scope }) {
  if (scope === "none") return { use_library: false }
  return {
    use_library: true,
    file_ids: scope === "files" ? [...fileIds] : [],
    context_id: scope === "context" ? contextId.trim() : "",
  }
}
