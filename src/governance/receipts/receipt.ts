/** Receipts as they are shown and signed, and how a signature is made and checked. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto"
import { canonicalJson } from "../../canonical-json.ts"
import type { Database } from "../../storage/database.ts"
import { secretNamed } from "../../storage/secrets.ts"

/** What is signed. Its values are texts, arrays of texts and null: nothing of which JSON has two forms. */
export interface UnsignedReceipt {
  id: string
  /** See `ReceiptWhat`. */
  what: string
  /** Of what was removed; of an end user those of the conversations and runs. */
  ids: string[]
  /** Of the bytes that were removed; of an end user that of the name as well. Hex. */
  sha256s: string[]
  /** Stores that have none of it. */
  removed_from: string[]
  /** When that was so. */
  at: string
  /** When the last backup is gone that may hold it; null where nobody said how long they are kept. */
  backups_until: string | null
}

export interface Receipt extends UnsignedReceipt {
  /** Base64 of the Ed25519 signature over the RFC 8785 form of the rest. */
  signature: string
}

/** The public key, as RFC 8037 has it. */
export interface ReceiptKey {
  kty: "OKP"
  crv: "Ed25519"
  /** Base64url. */
  x: string
  /** The RFC 7638 thumbprint. */
  kid: string
  use: "sig"
  alg: "EdDSA"
}

/** What comes before the 32 bytes of a private key in PKCS #8 (RFC 8410). */
const PKCS8_HEAD = Buffer.from("302e020100300506032b657004220420", "hex")

export class ReceiptSigner {
  readonly key: ReceiptKey
  private readonly privateKey: KeyObject

  /** @param seed 32 bytes */
  constructor(seed: Buffer) {
    this.privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: "der", type: "pkcs8" })
    const { x } = createPublicKey(this.privateKey).export({ format: "jwk" })
    this.key = keyOf(x!)
  }

  /** With the key of this installation, made where there is none. */
  static async of(database: Database): Promise<ReceiptSigner> {
    return new ReceiptSigner(await secretNamed(database, "receipts"))
  }

  sign(receipt: UnsignedReceipt): Receipt {
    return { ...receipt, signature: sign(null, signedBytes(receipt), this.privateKey).toString("base64") }
  }
}

/** Whether the receipt is as it was signed, whatever else is in it. @throws Error for a key of another kind */
export function isGenuine({ signature, ...receipt }: Receipt, key: Pick<ReceiptKey, "kty" | "crv" | "x">): boolean {
  const { kty, crv, x } = key
  const publicKey = createPublicKey({ key: { kty, crv, x }, format: "jwk" })
  if (publicKey.asymmetricKeyType !== "ed25519") throw new Error("the key is none of Ed25519")
  const bytes = Buffer.from(signature, "base64")
  return bytes.toString("base64") === signature && verify(null, signedBytes(receipt), publicKey, bytes)
}

const signedBytes = (receipt: object): Buffer => Buffer.from(canonicalJson(receipt), "utf8")

function keyOf(x: string): ReceiptKey {
  const required = { crv: "Ed25519", kty: "OKP", x } as const
  const kid = createHash("sha256").update(canonicalJson(required)).digest("base64url")
  return { ...required, kid, use: "sig", alg: "EdDSA" }
}
