/**
 * What Outlook wraps a mail in for other Outlooks, `winmail.dat` ([MS-OXTNEF]): its text where the mail itself has none,
 * and the attached files.
 */
import { decompressRTF } from "@kenjiuno/decompressrtf"
import { ExtractionError } from "../../../storage/document.ts"
import type { Extractor } from "../extractor.ts"
import { decodeText } from "../text/decode.ts"
import { addHtml, htmlText } from "../text/html.ts"
import { splitParagraphs } from "../text/text.ts"
import { addLetter } from "./letter.ts"

const SIGNATURE = "\x78\x9f\x3e\x22"

const ATTACHMENT_BEGINS = 0x9002
const ATTACHMENT_TITLE = 0x8010
const ATTACHMENT_DATA = 0x800f
const ATTACHMENT_PROPERTIES = 0x9005
const MESSAGE_PROPERTIES = 0x9003
const BODY = 0x800c

const PROPERTY = { body: 0x1000, rtf: 0x1009, html: 0x1013, data: 0x3701, shortName: 0x3704, longName: 0x3707 } as const
const OBJECT = 0x0d
const UNICODE = 0x1f
const MULTIPLE = 0x1000
/** Before the data of an attached object. */
const INTERFACE_ID_BYTES = 16
const MAX_RTF_BYTES = 16 * 1024 * 1024

interface File {
  name: string
  bytes: Uint8Array | undefined
}

export const extractTnef: Extractor = async ({ bytes }, context) => {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const files: File[] = []
  let body: Buffer | undefined
  let properties = new Map<number, Value>()
  for (const { id, value } of attributes(data)) {
    if (id === ATTACHMENT_BEGINS) files.push({ name: "", bytes: undefined })
    else if (id === BODY) body = value
    else if (id === MESSAGE_PROPERTIES) properties = propertiesOf(value)
    else addTo(files.at(-1), id, value)
  }
  await addLetter(
    {
      subject: undefined,
      fields: [],
      async addBody(out) {
        const html = properties.get(PROPERTY.html)?.bytes
        const plain = textOf(properties.get(PROPERTY.body)) || (body ? decodeText(trimZeros(body)) : "")
        const rtf = properties.get(PROPERTY.rtf)?.bytes
        if (plain.trim()) {
          out.addRaw(plain.trim(), splitParagraphs)
          out.endRaw()
        } else if (html) addHtml(htmlText(html), out, { titled: false })
        else if (rtf && rtf.length <= MAX_RTF_BYTES)
          await context.extractMember(
            { name: "the text of the mail", bytes: Uint8Array.from(decompressRTF([...rtf])) },
            "rtf",
          )
      },
      attachments: files.map(({ name, bytes = new Uint8Array() }, index) => ({
        name: name || `attachment ${index + 1}`,
        unpack: mostBytes => (bytes.length <= mostBytes ? bytes : undefined),
      })),
    },
    context,
  )
}

function addTo(file: File | undefined, id: number, value: Buffer): void {
  if (!file) return
  if (id === ATTACHMENT_TITLE) file.name ||= decodeText(trimZeros(value))
  else if (id === ATTACHMENT_DATA) file.bytes = value
  else if (id === ATTACHMENT_PROPERTIES) {
    const properties = propertiesOf(value)
    file.name = textOf(properties.get(PROPERTY.longName)) || textOf(properties.get(PROPERTY.shortName)) || file.name
    const data = properties.get(PROPERTY.data)
    file.bytes ??= data?.type === OBJECT ? data.bytes.subarray(INTERFACE_ID_BYTES) : data?.bytes
  }
}

/** Up to where the file ends or is damaged. @throws ExtractionError where it is no such file */
function* attributes(data: Buffer): Generator<{ id: number; value: Buffer }> {
  if (data.toString("latin1", 0, 4) !== SIGNATURE) throw new ExtractionError("corrupt_file", "not a TNEF file")
  // After signature and key: level (1 byte), number, type, length, data, checksum (2 bytes).
  for (let at = 6; at + 9 <= data.length; ) {
    const id = data.readUInt16LE(at + 1)
    const start = at + 9
    const end = start + data.readUInt32LE(at + 5)
    if (end > data.length) return
    yield { id, value: data.subarray(start, end) }
    at = end + 2
  }
}

interface Value {
  type: number
  bytes: Buffer
}

/** Properties by their number; of several values the first. What stands behind damage is left out. */
function propertiesOf(data: Buffer): Map<number, Value> {
  const found = new Map<number, Value>()
  try {
    const count = data.readUInt32LE(0)
    let at = 4
    for (let i = 0; i < count && at < data.length; i++) {
      const type = data.readUInt16LE(at)
      const id = data.readUInt16LE(at + 2)
      at += 4
      if (id >= 0x8000) at = afterName(data, at)
      const { value, end } = valueAt(data, at, type)
      if (value) found.set(id, { type: type & ~MULTIPLE, bytes: value })
      at = end
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return found
}

/** Named properties: the set, then a number or a name. */
function afterName(data: Buffer, at: number): number {
  const isNumber = data.readUInt32LE(at + 16) === 0
  return isNumber ? at + 24 : at + 24 + padded(data.readUInt32LE(at + 20))
}

const FIXED_BYTES: Record<number, number> = {
  2: 4,
  3: 4,
  4: 4,
  5: 8,
  6: 8,
  7: 8,
  10: 4,
  11: 4,
  20: 8,
  64: 8,
  72: 16,
}

function valueAt(data: Buffer, at: number, type: number): { value: Buffer | undefined; end: number } {
  const fixed = FIXED_BYTES[type & ~MULTIPLE]
  const hasCount = fixed === undefined || (type & MULTIPLE) !== 0
  const count = hasCount ? data.readUInt32LE(at) : 1
  let end = hasCount ? at + 4 : at
  if (fixed !== undefined) return { value: undefined, end: end + count * fixed }
  let value: Buffer | undefined
  for (let i = 0; i < count; i++) {
    const length = data.readUInt32LE(end)
    value ??= data.subarray(end + 4, end + 4 + length)
    end += 4 + padded(length)
  }
  return { value, end }
}

const padded = (bytes: number) => Math.ceil(bytes / 4) * 4

function textOf(value: Value | undefined): string {
  if (!value) return ""
  const text = value.type === UNICODE ? value.bytes.toString("utf16le") : decodeText(trimZeros(value.bytes))
  return text.replace(/\0+$/, "")
}

function trimZeros(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0)
  return end < 0 ? bytes : bytes.subarray(0, end)
}
