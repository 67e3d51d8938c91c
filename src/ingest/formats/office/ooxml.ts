/** Packages of Office Open XML (docx, xlsx, pptx): parts by name, and the relations between them. ECMA-376 part 2. */
import { ExtractionError } from "../../../storage/document.ts"
import type { ZipEntry } from "../archive/zip-directory.ts"
import { ZipReader } from "../archive/zip-reader.ts"
import type { UnpackBudget } from "../extractor.ts"
import { isOle, openOle } from "../legacy/ole.ts"
import { attribute, walkXml, xmlEncoding } from "../xml.ts"

export interface Relation {
  /** Last word of the type address: `slide`, `notesSlide`, `comments` … */
  type: string
  /** Name of the part. */
  target: string
}

export class OfficePackage {
  private readonly zip: ZipReader
  private readonly byName = new Map<string, ZipEntry>()
  private unreadable = 0

  /** @throws ExtractionError as `ZipReader`; `encrypted_file` where the package is wrapped in an encrypted OLE file. */
  constructor(bytes: Uint8Array, budget: UnpackBudget) {
    if (isOle(bytes)) throw encryptedOr(bytes)
    this.zip = new ZipReader(bytes, budget)
    for (const entry of this.zip.entries) this.byName.set(normal(entry.name), entry)
  }

  /** True where parts that were asked for, or the list of parts, are damaged. */
  get damaged(): boolean {
    return this.unreadable > 0 || this.zip.cutShort > 0 || this.zip.recovered
  }

  names(): string[] {
    return [...this.byName.keys()]
  }

  /** The text of an XML part; undefined where it is missing or damaged. Names are compared without case. */
  part(name: string): string | undefined {
    const bytes = this.bytes(name)
    return bytes && new TextDecoder(xmlEncoding(bytes)).decode(bytes)
  }

  /** The content of a part; undefined where it is missing or damaged. */
  bytes(name: string): Uint8Array | undefined {
    const entry = this.byName.get(normal(name))
    if (!entry) return undefined
    try {
      return this.zip.read(entry)
    } catch (error) {
      if (!(error instanceof ExtractionError) || error.code !== "corrupt_file") throw error
      this.unreadable++
      return undefined
    }
  }

  /** Relations of a part by id; those of the package itself for `""`. */
  relations(name: string): Map<string, Relation> {
    const slash = name.lastIndexOf("/")
    const xml = this.part(`${name.slice(0, slash + 1)}_rels/${name.slice(slash + 1)}.rels`)
    const relations = new Map<string, Relation>()
    if (!xml) return relations
    walkXml(xml, {
      open(tag, attributes) {
        if (tag !== "Relationship" || attributes.TargetMode === "External") return
        const type = (attributes.Type ?? "").split("/").at(-1)!
        relations.set(attributes.Id ?? String(relations.size), {
          type,
          target: resolvePart(name, attributes.Target ?? ""),
        })
      },
    })
    return relations
  }

  /** The part that the package is about, or the first whose name fits `pattern`. */
  mainPart(pattern: RegExp): string | undefined {
    for (const { type, target } of this.relations("").values())
      if (type === "officeDocument" && this.byName.has(normal(target))) return target
    return this.names().find(name => pattern.test(name))
  }
}

/** The value of the attribute `r:id`. */
export function relationId(attributes: Record<string, string>): string | undefined {
  for (const key in attributes) if (key.endsWith(":id")) return attributes[key]
  return attribute(attributes, "id")
}

/** A part by a path that is relative to another. */
export function resolvePart(from: string, target: string): string {
  if (target.startsWith("/")) return target.slice(1)
  const path = from.split("/").slice(0, -1)
  for (const step of target.split("/")) {
    if (step === "..") path.pop()
    else if (step !== ".") path.push(step)
  }
  return path.join("/")
}

const normal = (name: string) => name.replace(/^\/+/, "").toLowerCase()

/** Office puts an encrypted package, and an old binary document, into an OLE file. */
function encryptedOr(bytes: Uint8Array): ExtractionError {
  if (openOle(bytes).has("encryptedpackage")) return new ExtractionError("encrypted_file", "the document is encrypted")
  return new ExtractionError("corrupt_file", "the document is not an Office Open XML package")
}
