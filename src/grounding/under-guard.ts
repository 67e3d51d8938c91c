/** The guard of a request, from what it asks. */
import { parseRedaction } from "../redaction/redact.ts"
import { Guard, type Redacting } from "./guard.ts"

/** What decides how a request is redacted, beside what it asks. */
export interface RedactionRules {
  redactor: Redacting
  /** Every request of that workspace is redacted, whatever it asks. */
  redactionEnforced(workspaceId: string): Promise<boolean>
}

/** @param asked see `parseRedaction`, which refuses what is wrong */
export const guardFor = async (
  { redactor, redactionEnforced }: RedactionRules,
  workspaceId: string,
  asked: unknown,
): Promise<Guard> => new Guard(redactor, parseRedaction(asked, await redactionEnforced(workspaceId)))

/**
 * Does the first work of a request under the guard that it asks for: what is wrong may be told in the request's own words,
 * so errors are redacted as well.
 * @param asked as the request gave it; see parseRedaction
 * @param signal of a client that waits: when it is gone, its own patterns are not searched for any more
 */
export async function underGuard<T>(
  { redactor, redactionEnforced }: RedactionRules,
  workspaceId: string,
  asked: unknown,
  work: (guard: Guard) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const guard = await guardFor({ redactor, redactionEnforced }, workspaceId, asked)
  try {
    return await guard.whileWaited(() => work(guard), signal)
  } catch (error) {
    if (signal?.aborted) throw error // nobody reads it
    throw await guard.error(error)
  }
}
