/** AES-256-GCM over what is small enough to be done at once, and the keys that are derived from others. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"

export const KEY_BYTES = 32
export const TAG_BYTES = 16
const NONCE_BYTES = 12

/** Nonce, ciphertext and tag in one. @param place what it belongs to: elsewhere it cannot be opened */
export function seal(key: Uint8Array, bytes: Uint8Array, place: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(place))
  return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
}

/** @throws Error for another key, another place or changed bytes */
export function open(key: Uint8Array, sealed: Uint8Array, place: string): Buffer {
  if (sealed.byteLength < NONCE_BYTES + TAG_BYTES) throw new Error("what is sealed was cut")
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(place))
    .setAuthTag(sealed.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
}

/** 32 bytes by HKDF-SHA256; another `purpose` or `salt` gives a key that tells nothing of this one. */
export const derived = (key: Uint8Array, purpose: string, salt: Uint8Array = Buffer.alloc(0)): Buffer =>
  Buffer.from(hkdfSync("sha256", key, salt, purpose, KEY_BYTES))
