/** Writes old Office files for tests: Word documents in 8-bit code pages, workbooks that are encrypted. */
import { createHash } from "node:crypto"
import { CFB, utils, write } from "@e965/xlsx"
import iconv from "iconv-lite"
import { writeZip } from "./zip-writer.ts"

export function ole(streams: Record<string, Uint8Array>): Uint8Array {
  const file = CFB.utils.cfb_new()
  for (const [name, content] of Object.entries(streams)) CFB.utils.cfb_add(file, `/${name}`, content)
  return CFB.write(file, { type: "buffer" }) as Uint8Array
}

/** Word 6: a run of bytes; what hints at their code page are the language and the fonts' character sets. */
export function word6(text: Uint8Array, language: number, charsets: number[] = []): Uint8Array {
  const fonts = charsets.map(charset => {
    const font = Buffer.alloc(12)
    font.writeUInt8(11, 0)
    font.writeUInt8(charset, 4)
    font.write("Arial", 6, "latin1")
    return font
  })
  const table = Buffer.concat([Buffer.alloc(2), ...fonts])
  table.writeUInt16LE(table.length, 0)
  const main = Buffer.alloc(1024 + text.length + table.length)
  main.writeUInt16LE(0xa5dc, 0)
  main.writeUInt16LE(101, 2)
  main.writeUInt16LE(language, 6)
  main.writeUInt32LE(1024, 24)
  main.writeUInt32LE(1024 + text.length, 28)
  main.writeUInt32LE(1024 + text.length, 0xd0)
  main.writeUInt32LE(table.length, 0xd4)
  main.set(text, 1024)
  main.set(table, 1024 + text.length)
  return ole({ WordDocument: main })
}

/** Word 97 with pieces of a byte per character, `repeats` of them for the same bytes. */
export function word97(text: Uint8Array, language: number, repeats = 1): Uint8Array {
  const main = Buffer.alloc(1024 + text.length)
  main.writeUInt16LE(0xa5ec, 0)
  main.writeUInt16LE(193, 2)
  main.writeUInt16LE(language, 6)
  main.writeUInt16LE(0x200, 10)
  main.writeUInt16LE(14, 32)
  main.writeUInt16LE(22, 62)
  main.writeUInt32LE(text.length * repeats, 64 + 3 * 4)
  main.writeUInt16LE(93, 152)
  main.set(text, 1024)
  const table = Buffer.alloc(5 + (repeats + 1) * 4 + repeats * 8)
  table.writeUInt8(2, 0)
  table.writeUInt32LE(table.length - 5, 1)
  for (let i = 0; i <= repeats; i++) table.writeUInt32LE(i * text.length, 5 + i * 4)
  for (let i = 0; i < repeats; i++)
    table.writeUInt32LE(((1024 * 2) | 0x40000000) >>> 0, 5 + (repeats + 1) * 4 + i * 8 + 2)
  main.writeUInt32LE(table.length, 154 + 33 * 8 + 4)
  return ole({ WordDocument: main, "1Table": table })
}

type Digest = (...parts: Uint8Array[]) => Buffer
const digest =
  (algorithm: string): Digest =>
  (...parts) =>
    createHash(algorithm).update(Buffer.concat(parts)).digest()
const md5 = digest("md5")
const sha1 = digest("sha1")
const u32 = (value: number) => Buffer.from(new Uint32Array([value]).buffer)
const u16 = (...values: number[]) => Buffer.from(new Uint16Array(values).buffer)

function rc4(key: Uint8Array, data: Uint8Array): Buffer {
  const state = Array.from({ length: 256 }, (_, i) => i)
  let j = 0
  for (let i = 0; i < 256; i++) {
    j = (j + state[i]! + key[i % key.length]!) % 256
    ;[state[i], state[j]] = [state[j]!, state[i]!]
  }
  let i = 0
  j = 0
  return Buffer.from(
    data.map(byte => {
      i = (i + 1) % 256
      j = (j + state[i]!) % 256
      ;[state[i], state[j]] = [state[j]!, state[i]!]
      return byte ^ state[(state[i]! + state[j]!) % 256]!
    }),
  )
}

/** The FilePass record's body, and what encrypts a record's body at its position. */
interface Scheme {
  pass: Buffer
  encrypt(body: Uint8Array, position: number): Buffer
}

const SALT = Buffer.from("carrel-salt-0123")
const VERIFIER = Buffer.from("carrel-verifier!")

/** A key stream that begins anew each 1024 bytes. */
function byBlocks(key: (block: number) => Uint8Array): Scheme["encrypt"] {
  return (body, position) => {
    const whole = Buffer.alloc(Math.ceil((position + body.length) / 1024) * 1024)
    whole.set(body, position)
    const blocks = Array.from({ length: whole.length / 1024 }, (_, i) =>
      rc4(key(i), whole.subarray(i * 1024, (i + 1) * 1024)),
    )
    return Buffer.concat(blocks).subarray(position, position + body.length)
  }
}

/** Excel 97. */
export function rc4Scheme(password: string): Scheme {
  const first = md5(Buffer.from(password, "utf16le")).subarray(0, 5)
  const base = md5(...Array.from({ length: 16 }, () => Buffer.concat([first, SALT]))).subarray(0, 5)
  const key = (block: number) => md5(base, u32(block))
  const verified = rc4(key(0), Buffer.concat([VERIFIER, md5(VERIFIER)]))
  return { pass: Buffer.concat([u16(1, 1, 1), SALT, verified]), encrypt: byBlocks(key) }
}

/** Excel 2002. */
export function cryptoApiScheme(password: string, keyBits: number): Scheme {
  const base = sha1(SALT, Buffer.from(password, "utf16le"))
  const key = (block: number) => {
    const bytes = sha1(base, u32(block)).subarray(0, keyBits / 8)
    return keyBits === 40 ? Buffer.concat([bytes, Buffer.alloc(11)]) : bytes
  }
  const verified = rc4(key(0), Buffer.concat([VERIFIER, sha1(VERIFIER)]))
  const header = Buffer.concat([u32(4), u32(0), u32(0x6801), u32(0x8004), u32(keyBits), u32(1), u32(0), u32(0), u16(0)])
  const info = [
    u32(4),
    u32(header.length),
    header,
    u32(16),
    SALT,
    verified.subarray(0, 16),
    u32(20),
    verified.subarray(16),
  ]
  return { pass: Buffer.concat([u16(1, 2, 2), ...info]), encrypt: byBlocks(key) }
}

/** Excel 95 and 97: the bytes that [MS-OFFCRYPTO] 2.3.7.2 makes of "VelvetSweatshop" are mixed in. */
export const xorScheme: Scheme = {
  pass: u16(0, 0xb359, 0x9a0a),
  encrypt(body, position) {
    const mix = Buffer.from("876b9ae21ee305621e699660986e9404", "hex")
    const end = position + body.length
    return Buffer.from(body.map((byte, i) => ((byte >> 3) | ((byte << 5) & 255)) ^ mix[(end + i) % 16]!))
  },
}

/** A workbook's stream with the record that says how it is encrypted, and so encrypted. */
export function encryptWorkbook(stream: Uint8Array, { pass, encrypt }: Scheme): Uint8Array {
  const parts: Buffer[] = []
  let position = 0
  const put = (type: number, body: Uint8Array) => {
    parts.push(u16(type, body.length), Buffer.from(body))
    position += 4 + body.length
  }
  const view = Buffer.from(stream)
  for (let at = 0; at + 4 <= view.length; at += 4 + view.readUInt16LE(at + 2)) {
    const type = view.readUInt16LE(at)
    const body = Buffer.from(view.subarray(at + 4, at + 4 + view.readUInt16LE(at + 2)))
    if (type === 0x85) body.writeUInt32LE(body.readUInt32LE(0) + 4 + pass.length, 0)
    const plain = [0x809, 0xe1].includes(type) ? body.length : type === 0x85 ? 4 : 0
    const hidden = encrypt(body, position + 4)
    put(type, Buffer.concat([body.subarray(0, plain), hidden.subarray(plain)]))
    if (at === 0) put(0x2f, pass)
  }
  return Buffer.concat(parts)
}

const relation = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="x/${type}" Target="${target}"/>`

/** A workbook whose cells share one string. */
export function sharedStringWorkbook(stringLength: number, rows: number, columns = 20): Uint8Array {
  const cells = (row: number) =>
    Array.from({ length: columns }, (_, i) => `<c r="${String.fromCharCode(65 + i)}${row}" t="s"><v>0</v></c>`).join("")
  const sheet = Array.from({ length: rows }, (_, i) => `<row r="${i + 1}">${cells(i + 1)}</row>`).join("")
  return writeZip([
    {
      name: "_rels/.rels",
      content: `<Relationships>${relation("a", "officeDocument", "xl/workbook.xml")}</Relationships>`,
    },
    {
      name: "xl/_rels/workbook.xml.rels",
      content: `<Relationships>${relation("a", "worksheet", "worksheets/sheet1.xml")}${relation("b", "sharedStrings", "sharedStrings.xml")}</Relationships>`,
    },
    { name: "xl/workbook.xml", content: '<workbook><sheets><sheet name="A" r:id="a"/></sheets></workbook>' },
    { name: "xl/sharedStrings.xml", content: `<sst><si><t>${"ficus ".repeat(stringLength / 6)}</t></si></sst>` },
    { name: "xl/worksheets/sheet1.xml", content: `<worksheet><sheetData>${sheet}</sheetData></worksheet>` },
  ])
}

/** A workbook of Excel 95 in this code page, whichever it names: a sheet called `texts[2]`, with two rows. */
export function biff5(page: string, named: number, texts: string[]): Uint8Array {
  const book = utils.book_new()
  const blank = (text: string, sign: string) => sign.repeat(iconv.encode(text, page).length)
  const marks = texts.map((text, i) => blank(text, "QXZ"[i]!))
  utils.book_append_sheet(
    book,
    utils.aoa_to_sheet([
      [marks[0], 1],
      [marks[1], 310],
    ]),
    marks[2],
  )
  const bytes = Buffer.from(write(book, { type: "buffer", bookType: "biff5" }))
  for (const [i, mark] of marks.entries()) iconv.encode(texts[i]!, page).copy(bytes, bytes.indexOf(mark))
  bytes.writeUInt16LE(named, bytes.indexOf(Buffer.from([0x42, 0, 2, 0])) + 4)
  return bytes
}
