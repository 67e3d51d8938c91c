/** Cuts turns into texts that a model can read one at a time. Pure. */
import type { ChatTurn } from "../../backends/backend.ts"
import type { Count } from "../../grounding/tokens.ts"

export interface Part {
  text: string
  /** How many turns end with it, those before it included. */
  turns: number
}

/** Names of who speaks stand in lines of their own: lines that went through the guard before stay whole. */
const SPEAKERS = { system: "System:", user: "User:", assistant: "Assistant:", tool: "Result of a tool:" } as const

/** What stands around the words of turns. */
export const OWN_MARKS: readonly string[] = Object.values(SPEAKERS)

/** @param room tokens that one part may take */
export function partsOf(turns: readonly ChatTurn[], room: number, count: Count): Part[] {
  const parts: Part[] = []
  let texts: string[] = []
  let taken = 0
  const close = (ended: number) => {
    if (texts.length > 0) parts.push({ text: texts.join("\n\n"), turns: ended })
    texts = []
    taken = 0
  }
  for (const [at, turn] of turns.entries())
    for (const piece of piecesOf(spoken(turn), room, count)) {
      const tokens = count(piece) + 2
      if (taken + tokens > room) close(at)
      texts.push(piece)
      taken += tokens
    }
  close(turns.length)
  return parts
}

function spoken(turn: ChatTurn): string {
  const lines: string[] = [SPEAKERS[turn.role]]
  if (turn.content) lines.push(turn.content)
  if (turn.role === "user" && turn.images?.length) lines.push(`(${turn.images.length} pictures)`)
  if (turn.role === "assistant")
    for (const call of turn.toolCalls ?? []) lines.push(`(${call.name} ${JSON.stringify(call.arguments)})`)
  return lines.join("\n")
}

function piecesOf(text: string, room: number, count: Count): string[] {
  const pieces: string[] = []
  for (let left = text; left; ) {
    const piece = headOf(left, room, count)
    pieces.push(piece)
    left = left.slice(piece.length)
  }
  return pieces
}

/** The beginning of a text that takes no more than so many tokens; never empty, and no half of a character. */
export function headOf(text: string, room: number, count: Count): string {
  let head = text
  for (let tokens = count(head); tokens > room && head.length > 2; tokens = count(head)) {
    const length = Math.max(2, Math.floor((head.length * room) / tokens) - 1)
    head = head.slice(0, length).replace(/[\ud800-\udbff]$/, "")
  }
  return head
}
