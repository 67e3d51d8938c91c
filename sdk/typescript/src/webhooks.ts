/** Whether a message is from Carrel, by the rules of Standard Webhooks. */
import { SignatureError } from "./api-error.ts"
import type { EventRecord } from "./generated.ts"

/** Seconds that the clocks may differ. */
const TOLERANCE_SECONDS = 300

export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>

/** `{type, timestamp, data}`; its id, which stays over retries, is the header `webhook-id`. */
export type WebhookEvent = Omit<EventRecord, "id"> & { id: string }

export interface VerifyOptions {
  toleranceSeconds?: number
  /** For tests. */
  now?: Date
}

/**
 * The event of a message, once its signature holds.
 * @param body as it came, before anything parsed it
 * @param secret `whsec_…`
 * @throws SignatureError where it is not signed with the secret, or too old, or of the future
 */
export async function verify(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  { toleranceSeconds = TOLERANCE_SECONDS, now = new Date() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(name =>
    headerOf(headers, name),
  )
  if (!id || !timestamp || !signatures) throw new SignatureError("the headers of a webhook are missing")
  if (!/^\d{1,12}$/.test(timestamp)) throw new SignatureError("webhook-timestamp is no time")
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > toleranceSeconds)
    throw new SignatureError("the message is too old, or of the future")
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
  const signed = new Uint8Array([...new TextEncoder().encode(`${id}.${timestamp}.`), ...bytes])
  const key = await keyOf(secret)
  for (const each of signatures.split(" ")) {
    const [version, signature = ""] = each.split(",", 2)
    if (version === "v1" && (await holds(key, signature, signed))) return { ...eventOf(bytes), id }
  }
  throw new SignatureError("no signature holds")
}

function eventOf(bytes: Uint8Array): WebhookEvent {
  try {
    const value = JSON.parse(new TextDecoder().decode(bytes))
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value
  } catch {} // as told below
  throw new SignatureError("the body is no JSON object")
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1]
  return Array.isArray(found) ? found[0] : found
}

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ""))
  if (!bytes) throw new SignatureError("the secret is no base64")
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"])
}

async function holds(key: CryptoKey, signature: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const bytes = bytesOf(signature)
  return bytes !== undefined && crypto.subtle.verify("HMAC", key, bytes, signed)
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), letter => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}
