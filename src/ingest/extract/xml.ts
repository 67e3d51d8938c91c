import { Parser } from "htmlparser2"

export interface XmlEvents {
  /** `name` and the keys of `attributes` are as written, with their prefix; use `localName`. */
  open?(name: string, attributes: Record<string, string>): void
  text?(text: string): void
  close?(name: string): void
}

/** Walks XML and tells local names (without prefix). Tolerates broken XML; expands no entity but the standard ones. */
export function walkXml(xml: string, events: XmlEvents): void {
  const parser = new Parser(
    {
      onopentag: (name, attributes) => events.open?.(localName(name), attributes),
      ontext: text => events.text?.(text),
      onclosetag: name => events.close?.(localName(name)),
    },
    { xmlMode: true, decodeEntities: true },
  )
  parser.write(xml)
  parser.end()
}

export function localName(name: string): string {
  const colon = name.indexOf(":")
  return colon < 0 ? name : name.slice(colon + 1)
}

/** An attribute by its local name, whatever its prefix. */
export function attribute(attributes: Record<string, string>, name: string): string | undefined {
  for (const key in attributes) if (localName(key) === name) return attributes[key]
  return undefined
}
