/** Bounds how much one model is asked at the same time and how much may wait for it. */
import { AppError } from "../errors.ts"
import { Gate } from "../threads/gate.ts"
import type { ChatPiece } from "./backend.ts"

export interface QueueLimits {
  /** Requests sent to one model at the same time; its server shares them out further. */
  parallel: number
  /** Requests that wait for one model; one more is refused as `overloaded`. */
  waiting: number
}

/** Bun sends 256 requests at the same time and holds further ones back unseen: some are left for lists and embeddings. */
const MAX_RUNNING = 224
/** Seconds after which asking again makes sense. */
const RETRY_AFTER_S = 5

/** The line before each model. */
export class ModelQueue extends Gate {
  constructor({ parallel, waiting }: QueueLimits) {
    super({
      places: MAX_RUNNING,
      placesPerKey: parallel,
      waiting: Number.POSITIVE_INFINITY,
      waitingPerKey: waiting,
      refusal: "too many requests already wait for this model",
      retryAfterSeconds: RETRY_AFTER_S,
    })
  }
}

/**
 * Asks a model when its turn has come; tells the position in the line meanwhile.
 * @param unreachable called when the server cannot be reached, so that the list of models is looked at anew
 */
export async function* askInLine(
  queue: ModelQueue,
  model: string,
  signal: AbortSignal,
  ask: () => AsyncIterable<ChatPiece>,
  unreachable: () => void,
): AsyncGenerator<ChatPiece> {
  signal.throwIfAborted()
  const ticket = queue.enter(model)
  try {
    for await (const position of ticket.positions(signal))
      yield { type: "waiting", phase: "queued", detail: `position ${position} in the line for this model` }
    yield* ask()
  } catch (error) {
    if (error instanceof AppError && error.code === "model_unavailable") unreachable()
    throw error
  } finally {
    ticket.leave()
  }
}
