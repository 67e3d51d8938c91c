/**
 * One request carried out for somebody who does not wait for it. A daemon may die amid it: then it is sent again under its
 * Idempotency-Key, and where the routes say that the first try came to nothing, what that one made is removed and the
 * request made anew, so that nothing is there twice.
 */
import type { Holders } from "../access/holders.ts"
import type { Principal } from "../access/principal.ts"
import type { View } from "../access/view.ts"
import { AppError } from "../errors.ts"
import { inBackground } from "../threads/background.ts"
import { orAbort } from "../threads/or-abort.ts"
import type { Dispatch, InnerAnswer } from "./dispatch.ts"
import type { BackgroundRoom } from "./room.ts"
import { type Made, type TargetUrl, targetOf } from "./targets.ts"

/** How far a request is, as its row has it. */
export interface Progress {
  /** An earlier try may have been cut off. */
  begun: boolean
  /** Part of the Idempotency-Key. */
  round: number
  leftover: Made | null
}

export interface Errand {
  principal: Principal
  /** Its own; the Idempotency-Key begins with it. */
  key: string
  url: TargetUrl
  /** JSON. */
  body: string
  progress: Progress
  /** Stores how far it is, before it is carried on. */
  save(progress: Pick<Progress, "round" | "leftover">): Promise<void>
  signal: AbortSignal
}

/** `later`: a model or a store is missing for now, and another try makes sense. */
export type Outcome = Pick<InnerAnswer, "statusCode" | "requestId" | "body"> & { later: boolean }

/** Removes what a failed try left; does nothing where it is gone. */
export type Forget = (view: View, made: Made) => Promise<void>

/** What every worker needs that carries errands out. */
export interface ErrandDependencies {
  holders: Pick<Holders, "find">
  room: BackgroundRoom
  dispatch: Dispatch
  forget: Forget
}

/** A model or a store that is not there now, a line that is full, a disk that is. */
const PASSING = [503, 507]
const MADE = ["run_id", "conversation_id", "response_id"] as const

/** @throws the reason of the signal */
export async function carryOut(errand: Errand, dispatch: Dispatch, forget: Forget): Promise<Outcome> {
  const { principal, key, url, body, save, signal } = errand
  let { begun, round, leftover } = errand.progress
  for (;;) {
    if (leftover) await forget(principal.view, leftover)
    const call = { principal, url, body, idempotencyKey: `${key}-${round}`, signal }
    const { failure, ...answer } = await orAbort(
      inBackground(() => dispatch(call)),
      signal,
    )
    const isFailed = answer.statusCode >= 400
    const made = isFailed ? madeBefore(failure) : madeInVain(url, answer)
    if (!isFailed && !made) return { ...answer, later: false }
    const later = PASSING.includes(answer.statusCode)
    if (!begun && !(made && later)) return { ...answer, later }
    round++
    leftover = made ?? null
    await save({ round, leftover })
    if (!begun) return { ...answer, later }
    begun = false // from here on it is the first try
  }
}

function madeBefore(failure: unknown): Made | undefined {
  if (!(failure instanceof AppError)) return undefined
  for (const detail of failure.details ?? [])
    for (const name of MADE) if (typeof detail[name] === "string") return { [name]: detail[name] } as Made
  return undefined
}

function madeInVain(url: TargetUrl, { body }: Pick<InnerAnswer, "body">): Made | undefined {
  const { failed } = targetOf(url)
  return failed?.(JSON.parse(body) as Record<string, unknown>)
}
