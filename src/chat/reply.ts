/** The reply to a turn of a conversation: what its readers are told first, then an answer (`answer.ts`) from its rows. */
import type { Capability, ChatImage } from "../backends/backend.ts"
import { answer } from "./answer.ts"
import type { Asked } from "./asked.ts"
import type { ChatDependencies } from "./dependencies.ts"
import type { ChatEvent } from "./events.ts"
import { memoryOf } from "./history/memory.ts"
import type { Place } from "./history/summary.ts"
import { imagesShown, type ShownImages } from "./images/shown.ts"
import { asSeen, type Turn } from "./prepare.ts"
import type { Ended, Progress } from "./progress.ts"
import type { PastMessage } from "./prompt.ts"
import { imagesOf } from "./retrieval.ts"

export async function* reply(
  turn: Turn,
  dependencies: ChatDependencies,
  signal: AbortSignal,
): AsyncGenerator<Progress, Ended> {
  yield* opening(turn)
  const conversationId = turn.conversation.id
  if (turn.asked) return yield* answer({ ...turn.asked, conversationId }, dependencies, signal)
  using shown = await imagesShown(turn, dependencies, signal)
  const asked = await askedBy(turn, shown, dependencies)
  return yield* answer({ ...asked, conversationId }, dependencies, signal)
}

function* opening({ conversation, created, replyId, userMessage, model }: Turn): Generator<ChatEvent> {
  const asked = { conversation_id: conversation.id, model: model.info.value }
  if (created) {
    const additional_metadata = JSON.parse(conversation.additional_metadata)
    yield {
      event: "conversation_created",
      data: { ...asked, created_at: conversation.created_at, additional_metadata },
    }
  }
  yield { event: "message_started", data: { message_id: replyId, ...asked, user_message_id: userMessage.id } }
}

async function askedBy(turn: Turn, shown: ShownImages, dependencies: ChatDependencies): Promise<Asked> {
  const { view, model, guard, scope, settings, continued, replyId, conversation } = turn
  const { history, places } = await historyAsSeen(turn, shown)
  return {
    ...{ view, model, guard, scope, settings, continued, history },
    memory: await memoryOf(dependencies, { conversationId: conversation.id, replyId, settings, guard }, places),
    message: turn.userMessage.content,
    field: "message",
    images: [...shown.of(turn.userMessage.id), ...(await picturesFor(turn, dependencies))],
    after: [],
    tools: null,
    contextTokens: conversation.context_tokens,
  }
}

/** Earlier messages as the model may see them now: a turn may be redacted where the ones before it were not. */
async function historyAsSeen(turn: Turn, shown: ShownImages): Promise<{ history: PastMessage[]; places: Place[] }> {
  const said = turn.history.filter(({ content }) => content)
  const history: PastMessage[] = []
  for (const { id, ...message } of said) {
    const { role, content } = await asSeen({ id, ...message }, turn.guard)
    const images = shown.of(id)
    history.push(role === "user" && images.length > 0 ? { role, content, images } : { role, content })
  }
  return { history, places: said }
}

/** What a picture shows cannot be redacted, so under redaction the model sees none. */
async function picturesFor({ model, settings, guard, view }: Turn, { files }: ChatDependencies): Promise<ChatImage[]> {
  const sees = model.info.capabilities.includes("vision" satisfies Capability) && !guard.redacts
  return sees && settings.file_ids.length > 0 ? imagesOf(files, view, settings.file_ids) : []
}
