/** The header Idempotency-Key: a name that a client gives one request, so that it may send it again without harm. */

import type { Principal } from "../access/principal.ts"
import { repetitionKey } from "../access/view.ts"
import { invalid } from "../errors.ts"
import { type IdempotentRequest, requestHash } from "../storage/idempotency.ts"

/** @throws AppError invalid_request for a key that is empty or too long */
export function idempotencyKeyOf(request: Request): string | undefined {
  const key = request.headers.get("idempotency-key")?.trim()
  if (key === undefined) return undefined
  if (key.length < 1 || key.length > 255) throw invalid("Idempotency-Key", "must have 1 to 255 characters")
  return key
}

/** A chat request with its key; undefined without one. `action` and `asked` tell requests apart. */
export function turnRepetition(
  request: Request,
  principal: Principal,
  action: string,
  asked: { images?: readonly { mime_type: string; data: string }[] | null; [other: string]: unknown },
): IdempotentRequest | undefined {
  if (!asked.images?.length || !request.headers.has("idempotency-key"))
    return repetitionOf(request, principal, "turn", { action, asked })
  // Of a hundred megabytes no canonical text is made.
  const images = asked.images.map(({ mime_type, data }) => [mime_type, digestOf(data)])
  return repetitionOf(request, principal, "turn", { action, asked: { ...asked, images } })
}

const digestOf = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex")

/** A request with its key; undefined without one. Keys of different operations do not meet. */
export function repetitionOf(
  request: Request,
  { view }: Principal,
  operation: IdempotentRequest["operation"],
  asked: unknown,
): IdempotentRequest | undefined {
  const key = idempotencyKeyOf(request)
  if (key === undefined) return undefined
  return { workspaceId: view.workspaceId, operation, key: repetitionKey(view, key), hash: requestHash(asked) }
}
