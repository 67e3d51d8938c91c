/** What the next message is asked with: what the conversation has, and what was changed in the bar since. */
import type { Conversation, Reading } from "../../wire.ts"

/** Of the model, where they are chosen. */
export type Options = Conversation["settings"]["options"]

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
  /** What the model is told before the first message; empty for nothing. */
  systemPrompt: string
  options: Options
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
    system_prompt: null,
    options: {},
  }
  const { use_library, context_id, file_ids, redaction, thinking, reading, system_prompt, options } =
    conversation?.settings ?? fresh
  return {
    model: "",
    scope: !use_library ? "none" : file_ids.length > 0 ? "files" : context_id ? "context" : "library",
    fileIds: file_ids,
    contextId: context_id ?? "",
    redaction,
    thinking,
    reading,
    systemPrompt: system_prompt ?? "",
    options,
  }
}

/** The fields of a request. What is not sent the daemon takes from the conversation. */
export function requestOf(wanted: Partial<ChatSettings>) {
  const { model, scope, redaction, thinking, reading, systemPrompt, options } = wanted
  return {
    ...(model ? { model } : {}),
    ...(scope ? scopeOf({ ...wanted, scope }) : {}),
    ...(redaction === undefined ? {} : { redaction }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(reading === undefined ? {} : { reading }),
    ...(systemPrompt === undefined ? {} : { system_prompt: systemPrompt }),
    ...(options === undefined ? {} : { options }),
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
