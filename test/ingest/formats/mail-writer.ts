/** Writes mails for tests: messages as lines, Outlook items as compound files. */
import { burn, type Entry } from "@kenjiuno/msgreader/lib/Burner.js"

/** A message of headers and a body, with the line breaks of the wire. */
export const message = (headers: Record<string, string>, body: string): string =>
  `${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n${body.replace(/\r?\n/g, "\r\n")}`

/** A multipart body with its header; parts are given as messages. */
export function multipart(kind: string, parts: string[], boundary = `=_${kind}`): Record<"type" | "body", string> {
  return {
    type: `multipart/${kind}; boundary="${boundary}"`,
    body: `${parts.map(part => `--${boundary}\r\n${part}\r\n`).join("")}--${boundary}--\r\n`,
  }
}

/** A file that is attached, in base64. */
export const attached = (name: string, type: string, content: Uint8Array | string): string =>
  message(
    {
      "Content-Type": type,
      "Content-Transfer-Encoding": "base64",
      "Content-Disposition": `attachment; filename="${name}"`,
    },
    Buffer.from(content).toString("base64").replace(/.{76}/g, "$&\r\n"),
  )

export interface Item {
  /** Strings by the number of their property, such as `0037`. */
  texts: Record<string, string>
  /** Bytes likewise. */
  binaries?: Record<string, Uint8Array>
  recipients?: { name: string; address: string; type: 1 | 2 }[]
  files?: { name: string; bytes: Uint8Array }[]
  items?: Item[]
}

const DOCUMENT = 2
const DIRECTORY = 1

/** An Outlook item (.msg). */
export function writeMsg(item: Item): Uint8Array {
  const entries: Entry[] = [{ name: "Root Entry", type: 5, children: [], length: 0 }]
  const add = (parent: number, entry: Entry): number => {
    entries[parent]!.children!.push(entries.length)
    return entries.push(entry) - 1
  }
  const folder = (parent: number, name: string) => add(parent, { name, type: DIRECTORY, children: [], length: 0 })
  const stream = (parent: number, name: string, bytes: Uint8Array) =>
    add(parent, { name, type: DOCUMENT, length: bytes.length, binaryProvider: () => bytes })
  const texts = (parent: number, strings: Record<string, string>) => {
    for (const [id, text] of Object.entries(strings))
      stream(parent, `__substg1.0_${id}001F`, Buffer.from(text, "utf16le"))
  }
  const properties = (parent: number, headerBytes: number, values: [id: number, type: number, value: number][]) => {
    const bytes = Buffer.alloc(headerBytes + values.length * 16)
    values.forEach(([id, type, value], i) => {
      bytes.writeUInt16LE(type, headerBytes + i * 16)
      bytes.writeUInt16LE(id, headerBytes + i * 16 + 2)
      bytes.writeUInt32LE(6, headerBytes + i * 16 + 4)
      bytes.writeUInt32LE(value, headerBytes + i * 16 + 8)
    })
    stream(parent, "__properties_version1.0", bytes)
  }
  const fill = (parent: number, { texts: strings, binaries = {}, recipients = [], files = [], items = [] }: Item) => {
    texts(parent, strings)
    for (const [id, bytes] of Object.entries(binaries)) stream(parent, `__substg1.0_${id}0102`, bytes)
    recipients.forEach(({ name, address, type }, i) => {
      const at = folder(parent, `__recip_version1.0_#${String(i).padStart(8, "0")}`)
      properties(at, 8, [[0x0c15, 3, type]])
      texts(at, { "3001": name, "39FE": address })
    })
    files.forEach(({ name, bytes }, i) => {
      const at = folder(parent, `__attach_version1.0_#${String(i).padStart(8, "0")}`)
      properties(at, 8, [[0x3705, 3, 1]])
      texts(at, { "3707": name })
      stream(at, "__substg1.0_37010102", bytes)
    })
    items.forEach((inner, i) => {
      const at = folder(parent, `__attach_version1.0_#${String(files.length + i).padStart(8, "0")}`)
      properties(at, 8, [[0x3705, 3, 5]])
      const within = folder(at, "__substg1.0_3701000D")
      properties(within, 24, [])
      fill(within, inner)
    })
  }
  properties(0, 32, [])
  fill(0, item)
  return Uint8Array.from(burn(entries))
}

/** Attributes of `winmail.dat`. */
export function writeTnef(attributes: { id: number; value: Uint8Array }[]): Uint8Array {
  const parts = [Buffer.from([0x78, 0x9f, 0x3e, 0x22, 1, 0])]
  for (const { id, value } of attributes) {
    const head = Buffer.alloc(9)
    head.writeUInt8(1, 0)
    head.writeUInt16LE(id, 1)
    head.writeUInt32LE(value.length, 5)
    parts.push(head, Buffer.from(value), Buffer.alloc(2))
  }
  return Buffer.concat(parts)
}
