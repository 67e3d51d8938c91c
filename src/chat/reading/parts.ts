/** Cuts the texts of files into parts that a model can read at once. Pure: the same texts give the same parts, after a restart too. */

import { guessTokens } from "../../backends/guess-tokens.ts"
import type { Guard } from "../../grounding/guard.ts"
import { headOf, SOURCE, type Source } from "../../grounding/passages.ts"
import type { TextFile } from "../../library/whole-texts.ts"
import { type Stretch, sourceOf } from "./stretches.ts"

/** UTF-16 units around a part that are looked at with it, so that a private value which its ends cut is seen. */
const MARGIN = 200
/** Small files of one part at most: the notes of one part have little room for each of more. */
const MAX_FILES_OF_PART = 20
/** Tokens of the number and the place over a stretch, beside the name of its file. */
const HEAD_TOKENS = 10

/** What a part holds of one file. */
export interface Piece {
  file: TextFile
  stretches: Stretch[]
  /** What stands around it. */
  before: string
  after: string
}

/** A piece of a file, or several files that are small, whole. */
export type Part = readonly Piece[]

/**
 * Parts of about the same size for a file that needs several; small neighbors share one.
 * @param budget tokens of one part at most, as they are guessed for any model
 */
export function partsOf(files: readonly Pick<Piece, "file" | "stretches">[], budget: number): Part[] {
  const parts: Piece[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const { file, stretches } of files) {
    const [first, ...more] = piecesOf(file, stretches, budget)
    if (!first) continue
    const added = more.length > 0 ? Number.POSITIVE_INFINITY : tokensOf(first)
    const last = parts.at(-1)
    if (last && last.length < MAX_FILES_OF_PART && size + added <= budget) {
      last.push(first)
      size += added
    } else {
      parts.push(...[first, ...more].map(piece => [piece]))
      size = added
    }
  }
  return parts
}

function tokensOf({ file, stretches }: Piece): number {
  const head = guessTokens(file.name) + HEAD_TOKENS
  return stretches.reduce((sum, { text }) => sum + guessTokens(text) + head, 0)
}

function piecesOf(file: TextFile, given: readonly Stretch[], budget: number): Piece[] {
  const stretches = given.flatMap(stretch => smaller(stretch, budget))
  const sizes = stretches.map(({ text }) => guessTokens(text))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const aim = total / Math.max(1, Math.ceil(total / budget))
  const groups: Stretch[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const [at, stretch] of stretches.entries()) {
    if (size >= aim || size + sizes[at]! > budget) {
      groups.push([])
      size = 0
    }
    groups.at(-1)!.push(stretch)
    size += sizes[at]!
  }
  return groups.map((group, at) => ({
    file,
    stretches: group,
    before: groups[at - 1]?.at(-1)?.text.slice(-MARGIN) ?? "",
    after: groups[at + 1]?.[0]?.text.slice(0, MARGIN) ?? "",
  }))
}

/** Two halves of a part that the model's server found too long; undefined where it is one stretch alone. */
export function halvesOf(part: Part): [Part, Part] | undefined {
  if (part.length > 1) {
    const half = Math.ceil(part.length / 2)
    return [part.slice(0, half), part.slice(half)]
  }
  const piece = part[0]!
  const { stretches } = piece
  if (stretches.length < 2) return undefined
  const middle = Math.ceil(stretches.length / 2)
  const [first, second] = [stretches.slice(0, middle), stretches.slice(middle)]
  return [
    [{ ...piece, stretches: first, after: second[0]!.text.slice(0, MARGIN) }],
    [{ ...piece, stretches: second, before: first.at(-1)!.text.slice(-MARGIN) }],
  ]
}

/** A stretch that is larger than a part, cut; a small window and a script of many tokens make it so. */
function smaller(stretch: Stretch, budget: number): Stretch[] {
  const { text, position } = stretch
  const pieces = Math.ceil(guessTokens(text) / budget)
  if (pieces <= 1) return [stretch]
  const length = Math.ceil(text.length / (pieces + 1))
  const cut: Stretch[] = []
  for (let from = 0; from < text.length; ) {
    const splitsPair = /[\ud800-\udbff]/.test(text[from + length - 1] ?? "")
    const to = Math.min(text.length, from + length + (splitsPair ? 1 : 0))
    const place = { ...position, start: position.start + from, end: position.start + to }
    cut.push({ ...stretch, text: text.slice(from, to), position: place })
    from = to
  }
  return cut
}

/** The stretches of a part under the numbers 1, 2, 3 …, as the model may see them. */
export async function shownSources(part: Part, guard: Guard): Promise<Source[]> {
  const sources: Source[] = []
  for (const piece of part) {
    const shown = await shownPiece(piece, guard)
    for (const [at, stretch] of piece.stretches.entries())
      sources.push(await guard.pass<Source>(sourceOf(piece.file, stretch, shown[at]!, sources.length + 1), SOURCE))
  }
  guard.trust(...sources.map(headOf))
  return sources
}

/** The texts of its stretches, each looked at with what stands around it. */
async function shownPiece({ stretches, before, after }: Piece, guard: Guard): Promise<string[]> {
  let whole = before && `${before}\n`
  const places = stretches.map(({ text, position }, at) => {
    if (at > 0 && stretches[at - 1]!.position.end !== position.start) whole += "\n"
    const from = whole.length
    whole += text
    return { from, to: whole.length }
  })
  const shown = await guard.window(after ? `${whole}\n${after}` : whole)
  return places.map(({ from, to }) => shown(from, to))
}

/** `report.pdf, pages 12 to 18`: for readers of a warning; a file that is whole in its part is its name. */
export function nameOf({ file, stretches, before, after }: Piece): string {
  if (!before && !after) return file.name
  const [first, last] = [stretches[0]!.position, stretches.at(-1)!.position]
  const [from, to] = [first.page ?? first.slide, last.page ?? last.slide]
  const kind = first.page === null ? "slide" : "page"
  if (from === null || to === null) return `${file.name}, characters ${first.start} to ${last.end}`
  return `${file.name}, ${from === to ? `${kind} ${from}` : `${kind}s ${from} to ${to}`}`
}
