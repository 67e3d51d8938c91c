/** Books: the chapters in their order, then drawings that are files of their own. EPUB 3.3; a book under rights management is encrypted. */
import { ExtractionError } from "../../../storage/document.ts"
import type { Extractor } from "../extractor.ts"
import { OfficePackage, resolvePart } from "../office/ooxml.ts"
import { attribute, walkXml } from "../xml.ts"
import { decodeText } from "./decode.ts"
import { addHtml } from "./html.ts"
import { addSvg } from "./svg.ts"

export const extractEpub: Extractor = async ({ bytes }, { out, budget, progress, pause }) => {
  const pack = new OfficePackage(bytes, budget)
  const { chapters, drawings } = readManifest(pack)
  if (chapters.length === 0) throw new ExtractionError("corrupt_file", "the book has no chapter that can be read")
  const encrypted = encryptedParts(pack)
  if (chapters.some(({ path }) => encrypted.has(path)))
    throw new ExtractionError("encrypted_file", "the book is encrypted")
  const parts = [...chapters, ...drawings]
  for (const [index, { path, isDrawing }] of parts.entries()) {
    const content = pack.bytes(path)
    if (content && isDrawing) addSvg(decodeText(content), out)
    else if (content) addHtml(decodeText(content), out, { titled: false }) // a chapter's title is mostly the book's
    progress((index + 1) / parts.length)
    await pause()
  }
  if (pack.damaged) out.warn("damaged_parts", "parts of the book are damaged and were left out")
}

interface Part {
  path: string
  isDrawing: boolean
}

/** Without a manifest, pages and drawings in the order of their names. */
function readManifest(pack: OfficePackage): { chapters: Part[]; drawings: Part[] } {
  const items = new Map<string, Part>()
  const order: string[] = []
  const path = packagePath(pack)
  walkXml(pack.part(path) ?? "", {
    open(tag, attributes) {
      const type = attributes["media-type"] ?? ""
      const isDrawing = type === "image/svg+xml"
      if (tag === "item" && (isDrawing || /html/.test(type)))
        items.set(attributes.id ?? "", { path: resolvePart(path, decoded(attributes.href ?? "")), isDrawing })
      else if (tag === "itemref") order.push(attributes.idref ?? "")
    },
  })
  const spine = order.flatMap(id => items.get(id) ?? [])
  if (spine.length > 0)
    return { chapters: spine, drawings: [...items.values()].filter(part => part.isDrawing && !spine.includes(part)) }
  const names = pack.names().sort()
  return {
    chapters: names.filter(name => /\.x?html?$/.test(name)).map(name => ({ path: name, isDrawing: false })),
    drawings: names.filter(name => name.endsWith(".svg")).map(name => ({ path: name, isDrawing: true })),
  }
}

function packagePath(pack: OfficePackage): string {
  let path = ""
  walkXml(pack.part("META-INF/container.xml") ?? "", {
    open(tag, attributes) {
      if (tag === "rootfile") path ||= attribute(attributes, "full-path") ?? ""
    },
  })
  return path || (pack.names().find(name => name.endsWith(".opf")) ?? "")
}

function encryptedParts(pack: OfficePackage): Set<string> {
  const parts = new Set<string>()
  walkXml(pack.part("META-INF/encryption.xml") ?? "", {
    open(tag, attributes) {
      if (tag === "CipherReference") parts.add(decoded(attribute(attributes, "URI") ?? ""))
    },
  })
  return parts
}

/** A path as it is written in an address. */
function decoded(href: string): string {
  const path = href.split("#")[0]!
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
