/** Stored answers shown again: how each was made, what its passages would be now, and the same prompt asked once more. */
import { isNarrow, type View } from "../../access/view.ts"
import type { ChatImage, ChatTurn } from "../../backends/backend.ts"
import { AppError } from "../../errors.ts"
import type { Guard } from "../../grounding/guard.ts"
import type { Source } from "../../grounding/passages.ts"
import { underGuard } from "../../grounding/under-guard.ts"
import { isBeingWritten, type MessageRow, settingsOf } from "../conversation-rows.ts"
import type { ChatDependencies } from "../dependencies.ts"
import { imagesOf, type Retrieved, retrieve } from "../retrieval.ts"
import { type AnsweredSteps, answered, type UnstoredAnswer } from "../unstored.ts"
import { type AnswerRecord, isMissing, type Seen, shownRecord } from "./answer-record.ts"
import { askAgain } from "./ask-again.ts"
import { type Difference, differenceOf } from "./difference.ts"
import { rebuilt, sha256 } from "./stored-prompt.ts"

export interface RecordRequest {
  conversationId: string
  messageId: string
}

/** What is told beside the record itself. */
export interface RecordDetail {
  /** The turns of the prompt. */
  prompt: boolean
  /** What its passages would be now. */
  difference: boolean
}

/** An answer to a prompt that was answered before. */
export interface Replay {
  /** The content that is stored. */
  former: string
  /** Whether the model gets what it got then, byte for byte. */
  samePrompt: boolean
  answer: UnstoredAnswer
  /** Null where the library cannot be searched. */
  difference(): Promise<Difference | null>
}

export class Records {
  constructor(private readonly dependencies: ChatDependencies) {}

  /**
   * @throws AppError not_found for a message that the caller does not see, that no model has written, and whose record was
   *   not kept; store_unavailable where it is to be compared and the library cannot be searched
   */
  async show(view: View, asked: RecordRequest, detail: RecordDetail, signal: AbortSignal): Promise<AnswerRecord> {
    const seen = await this.seen(view, asked)
    const shown = withoutLimits(view, shownRecord(seen, detail.prompt))
    return detail.difference ? { ...shown, difference: await this.difference(view, seen, signal) } : shown
  }

  /**
   * Asks the model with the prompt of a stored answer, the same options and seed; nothing is stored.
   * @param model value of another one
   * @throws AppError not_found as above; forbidden where it is only shared with the caller; conflict where a part of the prompt is gone or out of the caller's sight;
   *   model_not_found, model_unavailable
   */
  async replay(
    asker: { view: View; requestId: string },
    asked: RecordRequest,
    model: string | undefined,
    signal: AbortSignal,
  ): Promise<Replay> {
    const { models, meter, usage, store } = this.dependencies
    await store.getOwn(asker.view, asked.conversationId)
    const seen = await this.seen(asker.view, asked)
    const request = await this.promptOf(asker.view, seen)
    const { record, sources, message } = seen
    return this.underGuardOf(asker.view, seen, async guard => {
      const account = await usage.account(asker.view, { contextId: record.facts.scope.context_id })
      const resolved = await models.resolve(model ?? record.facts.model.value, asker.view.models, account)
      if (guard.key === record.facts.redaction.rules) guard.trust(...textsOf(request.turns))
      const given = record.facts.passages.flatMap(({ index }) => sources.find(source => source.index === index) ?? [])
      const steps: AnsweredSteps = place => askAgain({ request, sources: given, model: resolved, guard, meter }, place)
      return {
        former: message.content,
        samePrompt: !guard.redacts || guard.key === record.facts.redaction.rules,
        difference: () => this.difference(asker.view, seen, signal).catch(unlessUnavailable),
        answer: {
          model: resolved.info.value,
          message: null,
          echo: {},
          events: answered(this.dependencies, { requestId: asker.requestId, guard, account }, steps, signal),
        },
      }
    })
  }

  private async seen(view: View, { conversationId, messageId }: RecordRequest): Promise<Seen> {
    const { store, records, files } = this.dependencies
    await store.get(view, conversationId)
    const messages = await store.messages(conversationId)
    const message = messages.find(({ id, role }) => id === messageId && role === "assistant")
    const record = message && (await records.find(messageId))
    if (!message || !record) throw noRecord(message)
    const stored: Source[] = JSON.parse(message.sources)
    const ids = [
      ...stored.map(({ file_id }) => file_id),
      ...record.facts.passages.map(({ file_id }) => file_id),
      ...record.facts.dropped.flatMap(({ file_id }) => file_id ?? []),
      ...[...record.texts.values()].flatMap(({ file_ids }) => file_ids),
    ]
    const found = ids.length > 0 ? await files.existing(view, ids) : []
    const known = new Map(found.map(({ id, sha256 }) => [id, sha256]))
    const sources = stored.filter(({ file_id, text }) => known.has(file_id) && text !== "")
    const shown = [...record.texts].filter(([, { file_ids }]) => file_ids.every(id => known.has(id)))
    const texts = {
      passages: new Map(sources.map(({ index, text }) => [index, text])),
      others: new Map(shown.map(([position, { text }]) => [position, text])),
      messages: new Map(messages.filter(each => each.position < message.position).map(each => [each.id, each.content])),
    }
    return { conversationId, message, record, sources, texts, files: known }
  }

  /** @throws AppError conflict */
  private async promptOf(view: View, seen: Seen) {
    const { prompt, facts } = seen.record
    const images = prompt ? await this.picturesIn(view, seen) : []
    const request = prompt && !isMissing(facts, seen.texts) ? rebuilt(prompt, seen.texts, images) : undefined
    if (!request)
      throw new AppError("conflict", {
        message: "the prompt of this answer cannot be made again: a text that it holds is deleted, changed or not seen",
      })
    return request
  }

  /** Those of the prompt that there still are: pictures of files, and those of messages, the newest first, as far as any is wanted. */
  private async picturesIn(view: View, { conversationId, message, record }: Seen): Promise<ChatImage[]> {
    const { files, store, images } = this.dependencies
    const wanted = new Set(record.prompt?.turns.flatMap(turn => turn.images?.map(image => image.sha256) ?? []))
    if (wanted.size === 0) return []
    const named: string[] = JSON.parse((await store.get(view, conversationId)).file_ids)
    const found: ChatImage[] = []
    const take = (some: readonly ChatImage[]) => found.push(...some.filter(({ data }) => wanted.delete(sha256(data))))
    const ofMessages = await images.of(conversationId)
    const before = (await store.messages(conversationId)).filter(({ position }) => position < message.position)
    for (const { id } of before.toReversed())
      for (const stored of wanted.size > 0 ? (ofMessages.get(id) ?? []) : []) take(await images.load([stored]))
    if (wanted.size > 0) take(await imagesOf(files, view, [...(record.facts.scope.file_ids ?? []), ...named]))
    return found
  }

  private async difference(view: View, seen: Seen, signal: AbortSignal): Promise<Difference> {
    const { passages, dropped, searched, library_changes: before } = seen.record.facts
    const found = await this.foundNow(view, seen, signal)
    return differenceOf({
      given: passages,
      leftOut: new Set(dropped.flatMap(({ chunk_id }) => chunk_id ?? [])),
      found: found?.sources,
      degraded: { before: searched?.degraded ?? null, now: found?.searched?.degraded ?? null },
      files: seen.files,
      changes: { before, now: await this.dependencies.records.libraryChanges(view.workspaceId) },
    })
  }

  /** Undefined where nothing was searched then. @throws AppError store_unavailable */
  private async foundNow(view: View, seen: Seen, signal: AbortSignal): Promise<Retrieved | undefined> {
    const { searched, scope, filter } = seen.record.facts
    if (!searched) return undefined
    return this.underGuardOf(view, seen, async guard => {
      const { query, limit, minRelevance } = searched
      const turn = {
        ...{ view, query, guard },
        scope: { fileIds: scope.file_ids, contextId: scope.context_id, filter },
        passages: {
          ...(limit === undefined ? {} : { limit }),
          ...(minRelevance === undefined ? {} : { minRelevance }),
        },
      }
      const steps = retrieve({ ...this.dependencies, fileWaitMs: 0 }, turn, signal)
      let step = await steps.next()
      while (!step.done) step = await steps.next()
      if (step.value.unavailable) throw new AppError("store_unavailable", { message: "the library cannot be searched" })
      return step.value
    })
  }

  /** The rules of the conversation, or all of them where the answer was made under some. */
  private async underGuardOf<T>(
    view: View,
    { conversationId, record }: Seen,
    work: (guard: Guard) => Promise<T>,
  ): Promise<T> {
    const { redaction } = settingsOf(await this.dependencies.store.get(view, conversationId))
    return underGuard(this.dependencies, view.workspaceId, redaction ?? record.facts.redaction.on, work)
  }
}

function unlessUnavailable(error: unknown): null {
  if (error instanceof AppError && error.code === "store_unavailable") return null
  throw error
}

/** What narrowed the credentials is told to those who see the whole workspace. */
const withoutLimits = (view: View, record: AnswerRecord): AnswerRecord =>
  record.asked_by && (isNarrow(view) || view.own !== null)
    ? { ...record, asked_by: { ...record.asked_by, contexts: null, filters: null } }
    : record

const textsOf = (turns: readonly ChatTurn[]): (string | object)[] =>
  turns.flatMap(turn => [turn.content, ...(turn.role === "assistant" ? [turn.toolCalls ?? []] : [])].flat())

function noRecord(message: MessageRow | undefined): AppError {
  if (!message) return new AppError("not_found", { message: "there is no such reply in the conversation" })
  const why = isBeingWritten(message)
    ? "the reply is being written: its record comes with its first words"
    : "no record was kept of this reply: it ended before its first words were stored, or a former version wrote it"
  return new AppError("not_found", { message: why })
}
