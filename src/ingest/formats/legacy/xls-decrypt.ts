/** Workbooks of Excel 97 to 2003 that are encrypted with the default password ([MS-XLS] 2.2.10). */
import { type BlockKey, cryptoApiKey, Rc4, rc4Key } from "../office/office-crypto.ts"

const FILE_PASS = 0x2f
const BOUND_SHEET = 0x85
/** Records that stay as they are: BOF of all versions, FilePass, InterfaceHdr, UsrExcl, FileLock, RRDInfo, RRDHead. */
const PLAIN = new Set([0x809, 0x409, 0x209, 0x009, FILE_PASS, 0xe1, 0x194, 0x195, 0x196, 0x138])
const BLOCK_BYTES = 1024
/** What the default password makes of the method called XOR obfuscation: its key, and the bytes to mix in. */
const XOR_KEY = 0xb359
const XOR_BYTES = Buffer.from("876b9ae21ee305621e699660986e9404", "hex")

/** Turns back the byte at a position of the stream, in a record of these ends. */
type Decrypt = (byte: number, position: number, start: number, end: number) => number

/**
 * The stream of a workbook in plain; the same where it is not encrypted.
 * @returns undefined where the default password does not open it
 */
export function decryptWorkbook(stream: Uint8Array): Uint8Array | undefined {
  const pass = findFilePass(stream)
  if (!pass) return stream
  const decrypt = cipherOf(pass.body)
  if (!decrypt) return undefined
  const plain = Uint8Array.from(stream)
  for (const { type, start, end } of records(stream)) {
    if (PLAIN.has(type)) continue
    // The first field of a sheet's entry is its position.
    for (let at = type === BOUND_SHEET ? start + 4 : start; at < end; at++)
      plain[at] = decrypt(stream[at]!, at, start, end)
  }
  // A record of no meaning instead, so that readers take the rest for what it is now.
  plain.fill(0, pass.at, pass.at + 2)
  return plain
}

function* records(stream: Uint8Array): Generator<{ type: number; at: number; start: number; end: number }> {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength)
  for (let at = 0; at + 4 <= stream.length; ) {
    const start = at + 4
    const end = Math.min(stream.length, start + view.getUint16(at + 2, true))
    yield { type: view.getUint16(at, true), at, start, end }
    at = end
  }
}

/** It stands right after the beginning of the workbook. */
function findFilePass(stream: Uint8Array): { at: number; body: Uint8Array } | undefined {
  let seen = 0
  for (const { type, at, start, end } of records(stream)) {
    if (type === FILE_PASS) return { at, body: stream.subarray(start, end) }
    if (++seen > 20) return undefined
  }
  return undefined
}

function cipherOf(body: Uint8Array): Decrypt | undefined {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength)
  // Versions before 97 know only the XOR method, and name none.
  if (body.length === 4) return xorCipher(view.getUint16(0, true))
  if (body.length < 6) return undefined
  if (view.getUint16(0, true) === 0) return xorCipher(view.getUint16(2, true))
  const major = view.getUint16(2, true)
  const key = major === 1 ? rc4Key(body.subarray(6)) : cryptoApiKey(body.subarray(6))
  return key && blockCipher(key)
}

function xorCipher(key: number): Decrypt | undefined {
  if (key !== XOR_KEY) return undefined
  return (byte, position, start, end) => {
    const mixed = byte ^ XOR_BYTES[(end + position - start) & 15]!
    return ((mixed << 3) | (mixed >> 5)) & 255
  }
}

/** The key stream runs over all bytes of the stream, also those that are left as they are. */
function blockCipher(key: BlockKey): Decrypt {
  let block = -1
  let keyStream = new Uint8Array()
  return (byte, position) => {
    const wanted = Math.floor(position / BLOCK_BYTES)
    if (wanted !== block) {
      block = wanted
      const cipher = new Rc4(key(block))
      keyStream = Uint8Array.from({ length: BLOCK_BYTES }, () => cipher.next())
    }
    return byte ^ keyStream[position % BLOCK_BYTES]!
  }
}
