/** Messages of webhooks, as the product signs them. */
import { createHmac } from "node:crypto"

interface Signing {
  text: string
  /** Base64, behind `whsec_`. */
  secret: string
  /** How old it is. */
  age_s?: number
  /** What it is signed with, and of, where that is not the same. */
  signed_with?: string
  signed_text?: string
  /** In place of the headers that were right. */
  headers?: Record<string, string>
}

/** The step with the headers of what it says under `sign`. */
export function signedHeaders<T extends { body?: unknown }>(step: T): T {
  const given = (step.body as { sign?: Signing } | undefined)?.sign
  if (!given) return step
  const { text, secret, age_s = 0, signed_with = secret, signed_text = text, headers = {} } = given
  const [id, at] = ["evt_1", `${Math.floor(Date.now() / 1_000) - age_s}`]
  const key = Buffer.from(signed_with.replace(/^whsec_/, ""), "base64")
  const signature = createHmac("sha256", key).update(`${id}.${at}.${signed_text}`).digest("base64")
  const right = { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": `v1,${signature}` }
  return { ...step, body: { text, secret, headers: { ...right, ...headers } } }
}
