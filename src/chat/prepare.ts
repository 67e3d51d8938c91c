/** Checks a request before anything is stored: settings, model, files, redaction. What is wrong is thrown here. */
import { endUserOf } from "../access/end-user.ts"
import type { Filter } from "../access/filter/filter.ts"
import type { View } from "../access/view.ts"
import type { ToolCall } from "../backends/backend.ts"
import type { ResolvedModel } from "../backends/index.ts"
import { AppError, invalid } from "../errors.ts"
import type { Guard } from "../grounding/guard.ts"
import { type AskedScope, type Scope, scopeOf } from "../grounding/scope.ts"
import { underGuard } from "../grounding/under-guard.ts"
import type { Guarded } from "../guarded.ts"
import { keptRedaction } from "../redaction/redact.ts"
import type { Asked, Cut } from "./asked.ts"
import {
  type ConversationRow,
  type MessageRow,
  type NewUserMessage,
  settingsOf,
  USER_MESSAGE,
} from "./conversation-rows.ts"
import type { ChatDependencies } from "./dependencies.ts"
import { type CheckedImage, checkedImages } from "./images/check.ts"
import { type ChatSettings, isNamed, mergeSettings, type TurnRequest, withFallbacks } from "./settings.ts"

/** What a turn is made with, checked and redacted. */
export interface Prepared {
  model: ResolvedModel
  settings: ChatSettings
  scope: Scope
  guard: Guard
  request: TurnRequest
  /** For whom a conversation is that the turn makes. */
  endUser: string | null
  /** The request's message, empty where it has none, as it is stored. */
  added: Guarded<NewUserMessage>
  /** Of that message; undefined where the request does not say. */
  images: CheckedImage[] | undefined
  /** Found in message and system prompt. */
  promptEntities: number
}

/** What is prepared, with the rows that it is about: all that the writing of a reply needs to know. */
export interface Turn extends Omit<Prepared, "request" | "added" | "images" | "endUser"> {
  view: View
  requestId: string
  conversation: ConversationRow
  /** The conversation was made by this turn. */
  created: boolean
  /** Messages before the one that is answered, oldest first. */
  history: readonly MessageRow[]
  userMessage: MessageRow
  replyId: string
  /** A reply that was cut and is written on; null for a new one. */
  continued: (Cut & { nerCount: number }) | null
  /** What the answer is made from, where that is not the conversation. */
  asked?: Asked
  /** Told, before the reply is stored, what the model calls of the caller's tools. */
  onCalls?(calls: readonly Guarded<ToolCall>[]): Promise<void>
}

/**
 * @param conversation null for a new one
 * @throws AppError invalid_request, invalid_pattern, not_found, model_not_found, model_unavailable
 */
export async function prepareTurn(
  dependencies: ChatDependencies,
  view: View,
  given: TurnRequest,
  conversation: ConversationRow | null,
  signal?: AbortSignal,
): Promise<Prepared> {
  const request = withFallbacks(given)
  const endUser = endUserFor(view, request.end_user, conversation)
  const settings = mergeSettings(request, conversation ? settingsOf(conversation) : undefined)
  const prepare = async (guard: Guard): Promise<Prepared> => {
    settings.redaction = keptRedaction(settings.redaction, await dependencies.redactionEnforced(view.workspaceId))
    await guard.refusePrivateKeys("response_format", settings.response_format)
    const asked = {
      fileIds: settings.file_ids,
      contextId: settings.context_id,
      filter: settings.filter,
      named: {
        files: Boolean(request.file_ids?.length),
        context: Boolean(request.context_id),
        filter: isNamed(request.filter),
      },
    }
    const scope = await scopeIn(dependencies, view, asked, guard)
    refuseUnbounded(settings, scope)
    const whom = { endUser: endUser ?? conversation?.end_user, contextId: settings.context_id }
    const account = await dependencies.usage.account(view, whom)
    const model = await dependencies.models.resolve(request.model ?? conversation?.model, view.models, account)
    const images = await imagesOf(request, model, guard)
    const content = await guard.text(request.message ?? "")
    if (request.system_prompt) settings.system_prompt = await guard.text(request.system_prompt)
    else if (settings.system_prompt) settings.system_prompt = await guard.silently(settings.system_prompt)
    const promptEntities = guard.count
    const message: NewUserMessage = { content, nerCount: promptEntities, redaction: guard.key }
    return {
      model,
      settings,
      scope,
      guard,
      request,
      endUser,
      added: await guard.pass(message, USER_MESSAGE),
      images,
      promptEntities,
    }
  }
  return underGuard(dependencies, view.workspaceId, settings.redaction, prepare, signal)
}

async function imagesOf(
  { images, message }: TurnRequest,
  model: ResolvedModel,
  guard: Guard,
): Promise<CheckedImage[] | undefined> {
  if (!images) return undefined
  if (images.length > 0 && !message) throw invalid("images", "belong to a message")
  if (images.length > 0) refuseImages(model, guard, "images.0")
  return checkedImages(images)
}

/** What the model must not or cannot see. @param place of the first picture. @throws AppError invalid_request */
export function refuseImages({ info }: ResolvedModel, guard: Guard, place: string): void {
  if (guard.redacts) throw invalid(place, "holds a picture, which cannot be redacted as this request must be")
  if (!info.canMore && !info.capabilities.includes("vision"))
    throw invalid(place, `holds a picture, and ${info.value} sees none`)
}

/**
 * For whom a turn is that names this end user.
 * @param conversation null for a new one
 * @throws AppError forbidden where the conversation is another's
 */
export function endUserFor(
  view: View,
  named: string | undefined,
  conversation: Pick<ConversationRow, "end_user"> | null,
): string | null {
  const endUser = endUserOf(view, named)
  if (conversation && named && conversation.end_user !== null && conversation.end_user !== endUser)
    throw new AppError("forbidden", { message: "the conversation is another end user's" })
  return endUser
}

/** The whole of a library is nothing that one answer reads. @throws AppError invalid_request */
export function refuseUnbounded(
  { reading, use_library }: Pick<ChatSettings, "reading" | "use_library">,
  { fileIds, contextId, filter }: Scope,
): void {
  if (reading === "whole" && use_library && fileIds === null && contextId === null && filter === null)
    throw invalid("reading", "whole needs file_ids, context_id or filter to say what is read")
}

/** Where an answer looks: named files, and those of its conversation, that still exist. */
export function scopeIn(dependencies: ChatDependencies, view: View, asked: AskedScope, guard: Guard): Promise<Scope> {
  const { files } = dependencies
  const known = {
    existing: async (ids: readonly string[], passing: Filter | null) =>
      (await files.existing(view, ids, passing)).map(({ id }) => id),
    hasContext: (contextId: string) => files.hasContext(view, contextId),
    filesOfConversation: (id: string) => filesOfConversation(dependencies, view, id),
  }
  return scopeOf(asked, known, guard)
}

/** Every file that was given to a conversation, by its id or with the conversation as its context. @throws AppError not_found */
export async function filesOfConversation(
  { store, files }: ChatDependencies,
  view: View,
  conversationId: string,
): Promise<string[]> {
  const named: string[] = JSON.parse((await store.get(view, conversationId)).file_ids)
  return [...new Set([...named, ...(await files.idsOfContext(view, conversationId))])]
}

/** A stored message as this turn's model may see it: it may be redacted where it was not when it came. */
export async function asSeen(
  message: MessageRow,
  guard: Guard,
): Promise<Omit<MessageRow, "content"> & { content: Guarded<string> }> {
  if (message.redaction === guard.key) guard.trust(message.content)
  return { ...message, content: await guard.silently(message.content) }
}
