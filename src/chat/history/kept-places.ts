/** Which stored messages the turns of a kept answer are. */
import type { ChatTurn } from "../../backends/backend.ts"
import type { KeptAnswer } from "../kept-answer-store.ts"
import type { Place } from "./summary.ts"

/** Whether a turn is shown as a message of its conversation; calls and their results are not. */
export const isSaid = ({ role, content }: ChatTurn): boolean =>
  (role === "user" || role === "assistant") && content !== ""

/** @param messages those that the said ones of the turns are stored as, in order */
export function placesOf(turns: readonly ChatTurn[], messages: readonly Place[]): (Place | null)[] {
  let next = 0
  return turns.map(turn => (isSaid(turn) ? (messages[next++] ?? null) : null))
}

/** @param turns what was asked and answered with it, as `turnsOf` gives it */
export function placesOfAnswer({ messageIds, reply }: KeptAnswer, turns: readonly ChatTurn[]): (Place | null)[] {
  // They were stored one behind the other, the reply last.
  const first = reply.position - messageIds.length + 1
  return placesOf(
    turns,
    messageIds.map((id, at) => ({ id, position: first + at })),
  )
}
