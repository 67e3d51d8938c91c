/** Checks a request before anything is stored: settings, model, files, redaction. What is wrong is thrown here. */
import type { ModelCatalog, ResolvedModel } from "../backends/index.ts"
import { parseRedaction, type Redactor } from "../redaction/redact.ts"
import type { ConversationRow, MessageRow } from "./conversation-rows.ts"
import { TurnRedaction } from "./redaction.ts"
import { type ChatFiles, existingFiles, type Scope } from "./retrieval.ts"
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
  redaction: TurnRedaction
  request: TurnRequest
  /** Redacted; empty where the request has no message. */
  message: string
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
  const { models, redactor, redactionEnforced } = dependencies
  const request = withFallbacks(given)
  const settings = mergeSettings(request, conversation && (JSON.parse(conversation.settings) as ChatSettings))
  const redaction = new TurnRedaction(redactor, parseRedaction(settings.redaction, redactionEnforced(workspaceId)))
  const scope = await scopeOf(dependencies, workspaceId, settings, request)
  const model = await models.resolve(request.model ?? conversation?.model)
  const message = await redaction.text(request.message ?? "")
  if (request.system_prompt) settings.system_prompt = await redaction.text(request.system_prompt)
  else if (settings.system_prompt) settings.system_prompt = await redaction.silently(settings.system_prompt)
  return { model, settings, scope, redaction, request, message, promptEntities: redaction.count }
}

/** @throws AppError not_found for files, and conversations as context, that the workspace lacks */
async function scopeOf(
  { files, filesOf }: PrepareDependencies,
  workspaceId: string,
  settings: ChatSettings,
  request: TurnRequest,
): Promise<Scope> {
  if (request.file_ids?.length) await files.getAll(workspaceId, request.file_ids)
  const context = settings.context_id
  const named = context?.startsWith("conv_") ? await filesOf(context) : null
  const given = settings.file_ids.length > 0 ? settings.file_ids : null
  const wanted = named && given ? given.filter(id => named.includes(id)) : (named ?? given)
  return {
    fileIds: wanted && (await existingFiles(files, workspaceId, wanted)).map(file => file.id),
    contextId: named ? null : context,
  }
}

/** A stored message as this turn's model may see it: it may be redacted where it was not when it came. */
export async function asSeen(message: MessageRow, redaction: TurnRedaction): Promise<MessageRow> {
  if (message.redaction === redaction.key) return message
  return { ...message, content: await redaction.silently(message.content) }
}
