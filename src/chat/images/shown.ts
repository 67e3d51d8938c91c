/** Which pictures of a conversation its model is shown. */
import type { Capability, ChatImage } from "../../backends/backend.ts"
import { IMAGE_TOKENS } from "../../grounding/tokens.ts"
import { windowOf } from "../../grounding/window.ts"
import type { ChatDependencies } from "../dependencies.ts"
import type { Turn } from "../prepare.ts"
import { MAX_IMAGES } from "./check.ts"
import type { StoredImage } from "./message-images.ts"

/** Share of the window that pictures of earlier messages may take. */
const EARLIER_SHARE = 0.25

/** By message, those that are shown; some hundred megabytes perhaps, to be disposed with the answer. */
export interface ShownImages extends Disposable {
  of(messageId: string): ChatImage[]
}

/**
 * Those of the message that is answered, all of them; of earlier ones the newest, as far as there is room in the window.
 * @throws AppError overloaded; the reason of the signal
 */
export async function imagesShown(turn: Turn, { images }: ChatDependencies, signal: AbortSignal): Promise<ShownImages> {
  const chosen = seesImages(turn) ? chosenOf(turn, await images.of(turn.conversation.id)) : []
  const all = chosen.flatMap(([, stored]) => stored)
  const room = await images.enter(all, turn.view.workspaceId, signal)
  try {
    const loaded = new Map<string, ChatImage[]>()
    for (const [id, stored] of chosen) loaded.set(id, await images.load(stored))
    return { of: id => loaded.get(id) ?? [], [Symbol.dispose]: () => room[Symbol.dispose]() }
  } catch (error) {
    room[Symbol.dispose]()
    throw error
  }
}

function chosenOf(
  { userMessage, history, model }: Turn,
  stored: ReadonlyMap<string, StoredImage[]>,
): [messageId: string, StoredImage[]][] {
  const own = stored.get(userMessage.id) ?? []
  const fitting = Math.max(1, Math.floor((windowOf(model.info) * EARLIER_SHARE) / IMAGE_TOKENS))
  let left = Math.min(fitting, MAX_IMAGES - own.length)
  const earlier = history.toReversed().map(({ id }): [string, StoredImage[]] => {
    const some = (stored.get(id) ?? []).slice(0, Math.max(0, left))
    left -= some.length
    return [id, some]
  })
  return [[userMessage.id, own], ...earlier]
}

/** What a picture shows cannot be redacted, so under redaction the model sees none. */
const seesImages = ({ model: { info }, guard }: Turn): boolean =>
  (info.canMore || info.capabilities.includes("vision" satisfies Capability)) && !guard.redacts
