/** Signatures of what this installation hands out and takes back: HMAC-SHA-256, 43 characters. */
import { timingSafeEqual } from "node:crypto"

export const signatureOf = (secret: Uint8Array, text: string): string =>
  new Bun.CryptoHasher("sha256", secret).update(text).digest("base64url")

export function isSignature(given: string, secret: Uint8Array, text: string): boolean {
  const [found, expected] = [Buffer.from(given), Buffer.from(signatureOf(secret, text))]
  return found.length === expected.length && timingSafeEqual(found, expected)
}
