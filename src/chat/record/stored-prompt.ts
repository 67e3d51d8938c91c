/** The request that a model was asked with, as it is kept with the record of its answer, and made again byte for byte. */
import { createHash } from "node:crypto"
import type { ChatImage, ChatRequest, ChatTurn, Grounding } from "../../backends/backend.ts"
import { withoutMarks } from "../../grounding/citations.ts"
import { join, type Piece, splitterFor, type Texts } from "./pieces.ts"

/** A request without what belongs to the moment. */
export type KeptRequest = Omit<ChatRequest, "model" | "signal">

/** Pictures are not kept here: they are those of files and messages. */
interface StoredImage {
  mimeType: string
  sha256: string
}

type StoredTurn = Omit<ChatTurn, "content" | "images"> & { content: Piece[]; images?: StoredImage[] }

type StoredGrounding = Omit<Grounding, "question" | "topic" | "passages"> & {
  question: Piece[]
  topic: Piece[]
  passages: { index: number; score: number }[]
}

export interface StoredPrompt extends Omit<KeptRequest, "turns" | "grounding"> {
  turns: StoredTurn[]
  grounding?: StoredGrounding
  /** Of the turns as they were sent. */
  sha256: string
}

/** Longer prompts are not kept, in UTF-16 units of JSON. */
const MAX_LENGTH = 4_000_000

/** JSON of a StoredPrompt; null where it would be too long. */
export function toStore({ turns, grounding, ...request }: KeptRequest, texts: Texts): string | null {
  const split = splitterFor(texts)
  const prompt: StoredPrompt = {
    ...request,
    turns: turns.map(turn => toStoredTurn(turn, split)),
    ...(grounding
      ? {
          grounding: {
            ...grounding,
            question: split(grounding.question),
            topic: split(grounding.topic),
            passages: grounding.passages.map(({ index, score }) => ({ index, score })),
          },
        }
      : {}),
    sha256: digestOf(turns),
  }
  const json = JSON.stringify(prompt)
  return json.length > MAX_LENGTH ? null : json
}

function toStoredTurn(turn: ChatTurn, split: (content: string) => Piece[]): StoredTurn {
  const content = split(turn.content)
  if (turn.role !== "user") return { ...turn, content }
  if (!turn.images) return { role: turn.role, content }
  return { role: turn.role, content, images: turn.images.map(toStoredImage) }
}

const toStoredImage = ({ mimeType, data }: ChatImage): StoredImage => ({ mimeType, sha256: sha256(data) })

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** Of turns as they are sent; pictures by their own digests. */
const digestOf = (turns: readonly ChatTurn[]): string =>
  sha256(
    JSON.stringify(
      turns.map(turn =>
        turn.role === "user" && turn.images ? { ...turn, images: turn.images.map(toStoredImage) } : turn,
      ),
    ),
  )

/** A turn as it is shown; pictures by their digests. */
export type ShownTurn = Omit<ChatTurn, "images"> & { images?: StoredImage[] }

/** The turns with `missing` in the place of what is not there. */
export const shownTurns = ({ turns }: StoredPrompt, texts: Texts, missing: string): ShownTurn[] =>
  turns.map(turn => ({ ...turn, content: join(turn.content, texts, missing) }) as ShownTurn)

/**
 * The request as it was; undefined where a text of it is gone or is another now.
 * @param images those that there are, whichever the turns need
 */
export function rebuilt(
  { turns, grounding, sha256: digest, ...request }: StoredPrompt,
  texts: Texts,
  images: readonly ChatImage[],
): KeptRequest | undefined {
  const bySha256 = new Map(images.map(image => [sha256(image.data), image]))
  const again = turns.map(turn => {
    const content = join(turn.content, texts, "")
    if (!turn.images) return { ...turn, content } as ChatTurn
    return { ...turn, content, images: turn.images.flatMap(image => bySha256.get(image.sha256) ?? []) } as ChatTurn
  })
  if (digestOf(again) !== digest) return undefined
  return {
    ...request,
    turns: again,
    ...(grounding
      ? {
          grounding: {
            ...grounding,
            question: join(grounding.question, texts, ""),
            topic: join(grounding.topic, texts, ""),
            passages: grounding.passages.map(({ index, score }) => ({
              index,
              score,
              text: withoutMarks(texts.passages.get(index) ?? ""),
            })),
          },
        }
      : {}),
  }
}
