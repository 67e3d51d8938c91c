/** Checks a request before anything is stored: settings, model, files, redaction. What is wrong is thrown here. */
import type { ModelCatalog, ResolvedModel } from "../backends/index.ts"
import { Guard } from "../grounding/guard.ts"
import { refusePrivateContext, type Scope, scopeOf } from "../grounding/scope.ts"
import type { Guarded } from "../guarded.ts"
import { keptRedaction, parseRedaction, type Redactor } from "../redaction/redact.ts"
import type { ConversationRow, MessageRow, NewUserMessage } from "./conversation-rows.ts"
import { USER_MESSAGE } from "./fields.ts"
import { type ChatFiles, existingFiles } from "./retrieval.ts"
import { type ChatSettings, mergeSettings, type TurnRequest, withFallbacks } from "./settings.ts"

export interface PrepareDependencies {
  models: ModelCatalog
  files: ChatFiles
  redactor: Redactor
  /** Every request of that workspace is redacted, whatever it asks. */
  redactionEnforced(workspaceId: string): boolean
  /** Every file that was given to a conversation of the workspace. @throws AppError not_found */
  filesOf(conversationId: string): Promise<string[]>
}

/** What a turn is made with, checked and redacted. */
export interface Prepared {
  model: ResolvedModel
  settings: ChatSettings
  scope: Scope
  guard: Guard
  request: TurnRequest
  /** Redacted; empty where the request has no message. */
  message: Guarded<string>
  /** The same as it is stored. */
  added: Guarded<NewUserMessage>
  /** Found in message and system prompt. */
  promptEntities: number
}

/** @throws AppError invalid_request, invalid_pattern, not_found, model_not_found, model_unavailable */
export async function prepareTurn(
  dependencies: PrepareDependencies,
  workspaceId: string,
  given: TurnRequest,
  conversation: ConversationRow | undefined,
): Promise<Prepared> {
  const { redactor, redactionEnforced } = dependencies
  const request = withFallbacks(given)
  const settings = mergeSettings(request, conversation && (JSON.parse(conversation.settings) as ChatSettings))
  const enforced = redactionEnforced(workspaceId)
  const guard = new Guard(redactor, parseRedaction(settings.redaction, enforced))
  settings.redaction = keptRedaction(settings.redaction, enforced)
  try {
    return await prepare(dependencies, workspaceId, { request, settings, guard, conversation })
  } catch (error) {
    throw await guard.error(error) // what is wrong may be told in the request's own words
  }
}

async function prepare(
  dependencies: PrepareDependencies,
  workspaceId: string,
  turn: Pick<Prepared, "request" | "settings" | "guard"> & { conversation: ConversationRow | undefined },
): Promise<Prepared> {
  const { models, files } = dependencies
  const { request, settings, guard, conversation } = turn
  await guard.refusePrivateKeys("response_format", settings.response_format)
  if (request.file_ids?.length) await files.getAll(workspaceId, request.file_ids)
  const scope = await scopeIn(dependencies, workspaceId, settings)
  const isKnown = async (contextId: string) => (await files.idsOfContext(workspaceId, contextId)).length > 0
  if (request.context_id) await refusePrivateContext(guard, scope.contextId, isKnown)
  const model = await models.resolve(request.model ?? conversation?.model)
  const message = await guard.text(request.message ?? "")
  if (request.system_prompt) settings.system_prompt = await guard.text(request.system_prompt)
  else if (settings.system_prompt) settings.system_prompt = await guard.silently(settings.system_prompt)
  const promptEntities = guard.count
  const added = await guard.pass<NewUserMessage>(
    { content: message, nerCount: promptEntities, redaction: guard.key },
    USER_MESSAGE,
  )
  return { model, settings, scope, guard, request, message, added, promptEntities }
}

/** Where the turn looks: given files, and those of its conversation, that still exist. */
async function scopeIn(
  { files, filesOf }: PrepareDependencies,
  workspaceId: string,
  { file_ids, context_id }: ChatSettings,
): Promise<Scope> {
  const { fileIds, contextId } = await scopeOf({ fileIds: file_ids, contextId: context_id }, filesOf)
  return { fileIds: fileIds && (await existingFiles(files, workspaceId, fileIds)).map(file => file.id), contextId }
}

/** A stored message as this turn's model may see it: it may be redacted where it was not when it came. */
export async function asSeen(
  message: MessageRow,
  guard: Guard,
): Promise<Omit<MessageRow, "content"> & { content: Guarded<string> }> {
  if (message.redaction === guard.key) guard.trust(message.content)
  return { ...message, content: await guard.silently(message.content) }
}
