/**
 * Encryption of Office documents ([MS-OFFCRYPTO]) under the password that Excel uses by itself where a workbook is only
 * protected against changes: everyone may read it. Other passwords are not known, and not guessed.
 */
import { createDecipheriv, createHash } from "node:crypto"
import { ExtractionError } from "../../../storage/document.ts"
import { isOle, openOle } from "../legacy/ole.ts"
import { attribute, walkXml } from "../xml.ts"

const DEFAULT_PASSWORD = Buffer.from("VelvetSweatshop", "utf16le")

export function hash(algorithm: string, ...parts: Uint8Array[]): Buffer {
  const state = createHash(algorithm)
  for (const part of parts) state.update(part)
  return state.digest()
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value >>> 0)
  return bytes
}

/** The stream cipher, from its start; each call gives the next bytes of the key stream. */
export class Rc4 {
  private readonly state = Uint8Array.from({ length: 256 }, (_, i) => i)
  private i = 0
  private j = 0

  constructor(key: Uint8Array) {
    const { state } = this
    for (let i = 0, j = 0; i < 256; i++) {
      j = (j + state[i]! + key[i % key.length]!) & 255
      const kept = state[i]!
      state[i] = state[j]!
      state[j] = kept
    }
  }

  next(): number {
    const { state } = this
    this.i = (this.i + 1) & 255
    const a = state[this.i]!
    this.j = (this.j + a) & 255
    const b = state[this.j]!
    state[this.i] = b
    state[this.j] = a
    return state[(a + b) & 255]!
  }

  apply(bytes: Uint8Array): Buffer {
    return Buffer.from(bytes.map(byte => byte ^ this.next()))
  }
}

/** Gives the key of a block of the document, by its number. */
export type BlockKey = (block: number) => Uint8Array

/** Office 97: MD5 and 40 bits of key. `info`: salt, verifier and its hash, 16 bytes each. */
export function rc4Key(info: Uint8Array): BlockKey | undefined {
  if (info.length < 48) return undefined
  const salt = info.subarray(0, 16)
  const first = hash("md5", DEFAULT_PASSWORD).subarray(0, 5)
  const repeated = Array.from({ length: 16 }, () => Buffer.concat([first, salt]))
  const base = hash("md5", ...repeated).subarray(0, 5)
  const key: BlockKey = block => hash("md5", base, u32(block))
  const cipher = new Rc4(key(0))
  const verifier = cipher.apply(info.subarray(16, 32))
  return hash("md5", verifier).equals(cipher.apply(info.subarray(32, 48))) ? key : undefined
}

interface Verifier {
  keyBits: number
  salt: Uint8Array
  verifier: Uint8Array
  verifierHash: Uint8Array
}

/** Header and verifier of the CryptoAPI schemes, after the version. */
function readVerifier(info: Uint8Array): Verifier | undefined {
  const view = new DataView(info.buffer, info.byteOffset, info.byteLength)
  if (info.length < 44) return undefined
  const start = 8 + view.getUint32(4, true)
  if (start + 40 + 20 > info.length) return undefined
  return {
    keyBits: view.getUint32(24, true) || 40,
    salt: info.subarray(start + 4, start + 20),
    verifier: info.subarray(start + 20, start + 36),
    verifierHash: info.subarray(start + 40),
  }
}

/** Office 2002: SHA-1 and up to 128 bits. */
export function cryptoApiKey(info: Uint8Array): BlockKey | undefined {
  const read = readVerifier(info)
  if (!read || read.keyBits > 128) return undefined
  const base = hash("sha1", read.salt, DEFAULT_PASSWORD)
  const key: BlockKey = block => {
    const bytes = hash("sha1", base, u32(block)).subarray(0, read.keyBits / 8)
    return read.keyBits === 40 ? Buffer.concat([bytes, Buffer.alloc(11)]) : bytes
  }
  const cipher = new Rc4(key(0))
  const verifier = cipher.apply(read.verifier)
  return hash("sha1", verifier).equals(cipher.apply(read.verifierHash.subarray(0, 20))) ? key : undefined
}

/** What an encrypted package of Office 2007 and later says; undefined where the default password does not open it. */
function decryptPackage(info: Uint8Array, content: Uint8Array): Uint8Array | undefined {
  if (info.length < 8 || content.length < 24) return undefined
  const minor = new DataView(info.buffer, info.byteOffset, info.byteLength).getUint16(2, true)
  const size = Number(new DataView(content.buffer, content.byteOffset, 8).getBigUint64(0, true))
  const body = content.subarray(8)
  const plain =
    minor === AGILE ? decryptAgile(info.subarray(8), body) : minor === 2 ? decryptStandard(info, body) : undefined
  return plain?.subarray(0, Math.min(size, plain.length))
}

const AGILE = 4
const STANDARD_ROUNDS = 50_000
/** Office writes 100 000. */
const MAX_ROUNDS = 1_000_000

function decryptStandard(info: Uint8Array, body: Uint8Array): Uint8Array | undefined {
  const read = readVerifier(info.subarray(4))
  if (!read || ![128, 192, 256].includes(read.keyBits)) return undefined
  const base = hash("sha1", spin("sha1", read.salt, STANDARD_ROUNDS), u32(0))
  const derive = (fill: number) =>
    hash(
      "sha1",
      Buffer.alloc(64, fill).map((byte, i) => byte ^ (base[i] ?? 0)),
    )
  const key = Buffer.concat([derive(0x36), derive(0x5c)]).subarray(0, read.keyBits / 8)
  const verifier = decryptBlocks(`aes-${read.keyBits}-ecb`, key, null, read.verifier)
  const expected = decryptBlocks(`aes-${read.keyBits}-ecb`, key, null, read.verifierHash.subarray(0, 32))
  if (!hash("sha1", verifier).equals(expected.subarray(0, 20))) return undefined
  return decryptBlocks(`aes-${read.keyBits}-ecb`, key, null, body)
}

const SEGMENT_BYTES = 4096
const VERIFIER_INPUT = Buffer.from("fea7d2763b4b9e79", "hex")
const VERIFIER_VALUE = Buffer.from("d7aa0f6d3061344e", "hex")
const KEY_VALUE = Buffer.from("146e0be7abacd0d6", "hex")

function decryptAgile(xml: Uint8Array, body: Uint8Array): Uint8Array | undefined {
  const found = new Map<string, Record<string, string>>()
  walkXml(new TextDecoder().decode(xml), {
    open: (name, attributes) => {
      if (!found.has(name)) found.set(name, attributes)
    },
  })
  const [data, own] = [found.get("keyData"), found.get("encryptedKey")]
  if (!data || !own) return undefined
  const rounds = Number(attribute(own, "spinCount"))
  const [keyScheme, dataScheme] = [readScheme(own), readScheme(data)]
  if (!keyScheme || !dataScheme || !(rounds >= 0 && rounds <= MAX_ROUNDS)) return undefined
  const base = spin(keyScheme.hash, keyScheme.salt, rounds)
  const open = (block: Uint8Array, name: string) => {
    const key = sized(hash(keyScheme.hash, base, block), keyScheme.keyBytes)
    return decryptBlocks(keyScheme.cipher, key, sized(keyScheme.salt, 16), bytesOf(own, name))
  }
  const verifier = open(VERIFIER_INPUT, "encryptedVerifierHashInput").subarray(0, keyScheme.salt.length)
  const expected = open(VERIFIER_VALUE, "encryptedVerifierHashValue")
  const actual = hash(keyScheme.hash, verifier)
  if (!actual.equals(expected.subarray(0, actual.length))) return undefined
  const key = open(KEY_VALUE, "encryptedKeyValue").subarray(0, dataScheme.keyBytes)
  const segments: Uint8Array[] = []
  for (let at = 0; at < body.length; at += SEGMENT_BYTES) {
    const iv = sized(hash(dataScheme.hash, dataScheme.salt, u32(at / SEGMENT_BYTES)), 16)
    segments.push(decryptBlocks(dataScheme.cipher, key, iv, body.subarray(at, at + SEGMENT_BYTES)))
  }
  return Buffer.concat(segments)
}

interface Scheme {
  hash: string
  cipher: string
  keyBytes: number
  salt: Uint8Array
}

function readScheme(attributes: Record<string, string>): Scheme | undefined {
  const keyBits = Number(attribute(attributes, "keyBits"))
  const name = (attribute(attributes, "hashAlgorithm") ?? "").toLowerCase().replace("-", "")
  const known = ["sha1", "sha256", "sha384", "sha512", "md5"].includes(name) && [128, 192, 256].includes(keyBits)
  const plain =
    attribute(attributes, "cipherAlgorithm") === "AES" && attribute(attributes, "cipherChaining") === "ChainingModeCBC"
  if (!known || !plain) return undefined
  return { hash: name, cipher: `aes-${keyBits}-cbc`, keyBytes: keyBits / 8, salt: bytesOf(attributes, "saltValue") }
}

const bytesOf = (attributes: Record<string, string>, name: string): Buffer =>
  Buffer.from(attribute(attributes, name) ?? "", "base64")

/** Cut, or filled up as the specification says. */
const sized = (bytes: Uint8Array, length: number): Buffer =>
  Buffer.concat([bytes, Buffer.alloc(length, 0x36)]).subarray(0, length)

function spin(algorithm: string, salt: Uint8Array, rounds: number): Buffer {
  let state = hash(algorithm, salt, DEFAULT_PASSWORD)
  for (let i = 0; i < rounds; i++) state = hash(algorithm, u32(i), state)
  return state
}

/** Whole blocks of 16 bytes; what is left over is cut off. */
function decryptBlocks(cipher: string, key: Uint8Array, iv: Uint8Array | null, bytes: Uint8Array): Buffer {
  const decipher = createDecipheriv(cipher, key, iv).setAutoPadding(false)
  return Buffer.concat([decipher.update(bytes.subarray(0, bytes.length & ~15)), decipher.final()])
}

/**
 * A package of Office 2007 and later out of the OLE file that encrypts it; other bytes as they are.
 * @throws ExtractionError `encrypted_file`
 */
export function openPackage(bytes: Uint8Array): Uint8Array {
  if (!isOle(bytes)) return bytes
  const streams = openOle(bytes)
  const content = streams.get("encryptedpackage")
  if (!content) return bytes
  const plain = decryptPackage(streams.get("encryptioninfo") ?? new Uint8Array(), content)
  if (!plain) throw new ExtractionError("encrypted_file", "the document needs a password")
  return plain
}
