/**
 * Requests whose credential ended while they were worked on, as when their workspace was deleted: whatever they met then, a
 * row that is gone or one that refers to it, is answered as the next request would be.
 */

import { ValidationError } from "elysia"
import { isUnattended, type Principal } from "../access/principal.ts"
import { AppError, asStorageError } from "../errors.ts"

/** Those of some credentials that are still good. */
export type Alive = (credentials: string[]) => Promise<Set<string>>

export const credentialEnded = (): AppError =>
  new AppError("unauthorized", { message: "the credential that opened this request has ended" })

/** What a request failed with, for its answer. */
export type Failure = (error: unknown, context: { principal: Principal | undefined }) => Promise<unknown>

export const failureWith =
  (alive: Alive): Failure =>
  async (error, { principal }) => {
    if (!principal || isUnattended(principal) || !mayTellOfAnEnd(error)) return error
    const living = await alive([principal.credential]).catch(() => undefined) // what the request met is told then
    return living === undefined || living.has(principal.credential) ? error : credentialEnded()
  }

/** All else is about the request itself, or about the disk and the engines. */
const mayTellOfAnEnd = (error: unknown): boolean => {
  if (error instanceof AppError) return ENDINGS.has(error.code)
  return !(error instanceof ValidationError) && asStorageError(error) === undefined
}

const ENDINGS: ReadonlySet<string> = new Set<AppError["code"]>(["not_found", "conflict", "internal_error"])
