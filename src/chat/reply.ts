/** The reply to a turn of a conversation: what its readers are told first, then an answer (`answer.ts`) from its rows. */
import type { Capability, ChatImage } from "../backends/backend.ts"
import { answer } from "./answer.ts"
import type { Asked } from "./asked.ts"
import type { ChatDependencies } from "./dependencies.ts"
import type { ChatEvent } from "./events.ts"
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
  return yield* answer(turn.asked ?? (await askedBy(turn, dependencies)), dependencies, signal)
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

async function askedBy(turn: Turn, dependencies: ChatDependencies): Promise<Asked> {
  const { view, model, guard, scope, settings, continued } = turn
  return {
    ...{ view, model, guard, scope, settings, continued },
    history: await historyAsSeen(turn),
    message: turn.userMessage.content,
    field: "message",
    images: await picturesFor(turn, dependencies),
    after: [],
    tools: null,
    contextTokens: turn.conversation.context_tokens,
  }
}

/** Earlier messages as the model may see them now: a turn may be redacted where the ones before it were not. */
async function historyAsSeen({ history, guard }: Turn): Promise<PastMessage[]> {
  const past: PastMessage[] = []
  for (const message of history)
    if (message.content) past.push({ role: message.role, content: (await asSeen(message, guard)).content })
  return past
}

/** What a picture shows cannot be redacted, so under redaction the model sees none. */
async function picturesFor({ model, settings, guard, view }: Turn, { files }: ChatDependencies): Promise<ChatImage[]> {
  const sees = model.info.capabilities.includes("vision" satisfies Capability) && !guard.redacts
  return sees && settings.file_ids.length > 0 ? imagesOf(files, view, settings.file_ids) : []
}
