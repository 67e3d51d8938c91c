/** Secrets that others gave us to use, such as the password of a mailbox: kept encrypted, never shown again. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import type { Database } from "./database.ts"
import { secretNamed } from "./secrets.ts"

const NONCE_BYTES = 12
const TAG_BYTES = 16

export class Sealer {
  /** @param key 32 bytes */
  constructor(private readonly key: Buffer) {}

  /** With the key that stands with the records: a table that is shown or exported alone tells nothing. */
  static async of(database: Database): Promise<Sealer> {
    return new Sealer(await secretNamed(database, "credentials"))
  }

  /** AES-256-GCM. @param place where it is kept, such as the id of its row: elsewhere it cannot be opened */
  seal(text: string, place: string): string {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv("aes-256-gcm", this.key, nonce).setAAD(Buffer.from(place))
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
    return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString("base64")
  }

  /** @throws Error for another key, another place or changed bytes */
  open(sealed: string, place: string): string {
    const bytes = Buffer.from(sealed, "base64")
    const decipher = createDecipheriv("aes-256-gcm", this.key, bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(place))
      .setAuthTag(bytes.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString("utf8")
  }
}
