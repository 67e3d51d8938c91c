import { Parser } from "htmlparser2"

export interface XmlEvents {
  /** `name` and the keys of `attributes` are as written, with their prefix; use `localName`. */
  open?(name: string, attributes: Record<string, string>): void
  text?(text: string): void
  close?(name: string): void
}

/** Walks XML and tells local names (without prefix). Tolerates broken XML; expands no entity but the standard ones. */
export function walkXml(xml: string, events: XmlEvents): void {
  const parser = parserFor(events)
  parser.write(xml)
  parser.end()
}

/** A large part at once would be held as bytes, as a string and as what is made of it. */
const PIECE_BYTES = 1024 * 1024

/** The same from bytes, a megabyte at a time. */
export function walkXmlBytes(bytes: Uint8Array, events: XmlEvents): void {
  const parser = parserFor(events)
  const decoder = new TextDecoder(xmlEncoding(bytes))
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    parser.write(decoder.decode(bytes.subarray(at, at + PIECE_BYTES), { stream: true }))
  parser.end()
}

/** XML is UTF-8 unless its byte-order mark says otherwise; Office writes no other encodings. */
export function xmlEncoding(bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le"
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8"
}

function parserFor(events: XmlEvents): Parser {
  return new Parser(
    {
      onopentag: (name, attributes) => events.open?.(localName(name), attributes),
      ontext: text => events.text?.(text),
      onclosetag: name => events.close?.(localName(name)),
    },
    { xmlMode: true, decodeEntities: true },
  )
}

function localName(name: string): string {
  const colon = name.indexOf(":")
  return colon < 0 ? name : name.slice(colon + 1)
}

/** An attribute by its local name, whatever its prefix. */
export function attribute(attributes: Record<string, string>, name: string): string | undefined {
  for (const key in attributes) if (localName(key) === name) return attributes[key]
  return undefined
}
