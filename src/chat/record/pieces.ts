/**
 * The content of turns as it is kept: a text that is stored with its message, passage or call already is named, so that a
 * conversation does not grow with the square of its length, and a deleted file leaves nothing in the prompts it was part of.
 */
import { withoutMarks } from "../../grounding/citations.ts"

/** A text as it stands, or where it is: a passage as the model is given it, or as it was found; what a tool gave or a note; a message. */
export type Piece = string | { passage: number } | { found: number } | { other: number } | { message: string }

/** What pieces name. */
export interface Texts {
  /** By number; none where it is gone or withheld. */
  passages: ReadonlyMap<number, string>
  /** By position. */
  others: ReadonlyMap<number, string>
  /** By id. */
  messages: ReadonlyMap<string, string>
}

/** Shorter messages are repeated: their names are as long. */
const LONG_MESSAGE = 64
/** Shorter texts of files are found where they stand alone between line breaks: they are words that stand anywhere. */
const LONG_TEXT = 16

interface Known {
  text: string
  piece: Exclude<Piece, string>
}

/** Splits contents; to be made once for all of an answer's. */
export function splitterFor({ passages, others, messages }: Texts): (content: string) => Piece[] {
  const known: Known[] = []
  for (const [passage, text] of passages) {
    known.push({ text: withoutMarks(text), piece: { passage } })
    if (withoutMarks(text) !== text) known.push({ text, piece: { found: passage } })
  }
  for (const [other, text] of others) known.push({ text, piece: { other } })
  for (const [message, text] of messages) if (text.length >= LONG_MESSAGE) known.push({ text, piece: { message } })
  const longestFirst = known
    .filter(({ text }) => text !== "")
    .sort((left, right) => right.text.length - left.text.length)
  const passagesInOrder = known.filter(({ piece }) => "passage" in piece)
  return content => {
    let pieces: Piece[] = inOrder(content, passagesInOrder)
    for (const each of longestFirst)
      pieces = pieces.flatMap(piece => (typeof piece === "string" ? split(piece, each) : [piece]))
    return pieces
  }
}

/** How far from the one before a passage is looked for: behind the line over it. */
const HEAD = 2_000

/** The passages of a whole text stand one behind the other: each is looked for near the one before, and not everywhere. */
function inOrder(content: string, passages: readonly Known[]): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const { text, piece } of passages) {
    if (text.length < LONG_TEXT) continue
    const near = from === 0 ? content.length : Math.min(content.length, from + HEAD + text.length)
    const at = content.slice(from, near).indexOf(text)
    if (at < 0) continue
    if (at > 0) pieces.push(content.slice(from, from + at))
    pieces.push(piece)
    from += at + text.length
  }
  if (from < content.length || pieces.length === 0) pieces.push(content.slice(from))
  return pieces
}

function split(content: string, { text, piece }: Known): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (let at = content.indexOf(text); at >= 0; at = content.indexOf(text, at + text.length)) {
    const end = at + text.length
    if (text.length < LONG_TEXT && !(isLineEnd(content[at - 1]) && isLineEnd(content[end]))) continue
    if (at > from) pieces.push(content.slice(from, at))
    pieces.push(piece)
    from = end
  }
  if (from < content.length || pieces.length === 0) pieces.push(content.slice(from))
  return pieces
}

const isLineEnd = (character: string | undefined): boolean => character === undefined || character === "\n"

/** The content again. @param missing what stands for a text that is not there */
export function join(pieces: readonly Piece[], texts: Texts, missing: string): string {
  return pieces.map(piece => (typeof piece === "string" ? piece : (textOf(piece, texts) ?? missing))).join("")
}

function textOf(piece: Exclude<Piece, string>, { passages, others, messages }: Texts): string | undefined {
  if ("other" in piece) return others.get(piece.other)
  if ("message" in piece) return messages.get(piece.message)
  if ("found" in piece) return passages.get(piece.found)
  const text = passages.get(piece.passage)
  return text === undefined ? undefined : withoutMarks(text)
}
