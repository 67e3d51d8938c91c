/** OpenDocument and RTF through officeparser. */
import type { OfficeContentNode, OfficeParserAST, OfficeParserConfig } from "officeparser"
import { type BlockKind, ExtractionError } from "../../../storage/document.ts"
import type { DocumentBuilder } from "../document-builder.ts"
import type { Extractor, UnpackBudget } from "../extractor.ts"
import { addTable } from "../text/csv.ts"
import { addFormValues } from "./odf-forms.ts"

const MAX_UNPACKED_BYTES = 256 * 1024 * 1024

type ParsedType = "odt" | "odp" | "ods" | "rtf"
type ParseOffice = (file: Buffer, config: OfficeParserConfig) => Promise<OfficeParserAST>

export const extractOdt = reader("odt")
export const extractOdp = reader("odp")
export const extractOds = reader("ods")
export const extractRtf = reader("rtf")

function reader(fileType: ParsedType): Extractor {
  return async (source, { out, budget }) => {
    const document = await parse(source.bytes, fileType, budget)
    const walk = new TreeWalk(out)
    for (const node of document.content) walk.add(node)
    for (const nodes of Object.values(document.auxiliary ?? {}))
      if (Array.isArray(nodes)) for (const node of nodes as OfficeContentNode[]) walk.add(node)
    if (fileType.startsWith("od")) addFormValues(source.bytes, budget, out)
    if (walk.slides > 0) out.pageCount = (out.pageCount ?? 0) + walk.slides
  }
}

async function parse(bytes: Uint8Array, fileType: ParsedType, budget: UnpackBudget): Promise<OfficeParserAST> {
  const parser = await loadParser()
  const maxUncompressedBytes = Math.min(budget.bytes, MAX_UNPACKED_BYTES)
  try {
    return await parser.parseOffice(Buffer.from(bytes), {
      fileType,
      extractAttachments: false,
      ocr: false,
      decompressionLimits: { maxUncompressedBytes, maxZipEntries: Math.max(1, budget.entries) },
    })
  } catch (error) {
    const { message } = error as Error
    if (/password|encrypt/i.test(message)) throw new ExtractionError("encrypted_file", "the document is encrypted")
    if (/limit|too (many|large)|exceed/i.test(message))
      throw new ExtractionError("archive_rejected", "the document unpacks to more than is allowed for its size")
    throw new ExtractionError("corrupt_file", "the document is damaged", false, { cause: error })
  }
}

/** The ES module wrapper loses all names under Bun; its default is the parser class, which the types do not know. */
async function loadParser(): Promise<{ parseOffice: ParseOffice }> {
  const loaded = (await import("officeparser")) as unknown as { default: { parseOffice: ParseOffice } }
  return loaded.default
}

/** Nodes whose own text is taken, with the kind of block that they become. */
const LEAVES: Partial<Record<OfficeContentNode["type"], BlockKind>> = {
  heading: "heading",
  paragraph: "paragraph",
  text: "paragraph",
  definitionTerm: "paragraph",
  definitionDescription: "paragraph",
  list: "list_item",
  note: "notes",
  comment: "notes",
  code: "code",
}

class TreeWalk {
  slides = 0

  constructor(private readonly out: DocumentBuilder) {}

  add(node: OfficeContentNode): void {
    const leaf = LEAVES[node.type]
    if (leaf) this.leaf(leaf, node)
    else if (node.type === "table") this.table(node)
    else if (node.type === "sheet") this.sheet(node.metadata?.sheetName, node)
    else {
      if (node.type === "slide") this.out.at({ slide: node.metadata?.slideNumber ?? this.slides + 1, section: null })
      if (node.type === "slide") this.slides++
      this.inner(node)
    }
  }

  private sheet(name: string | undefined, node: OfficeContentNode): void {
    this.out.at({ sheet: name ?? null, section: null })
    this.out.add("heading", name ?? "", 1)
    this.table(node)
  }

  private inner(node: OfficeContentNode): void {
    const children = node.children ?? []
    if (children.length === 0 && node.text) this.out.add("paragraph", node.text)
    for (const child of children) this.add(child)
    this.attached(node)
  }

  private leaf(kind: BlockKind, node: OfficeContentNode): void {
    const level = node.type === "heading" ? Math.min(6, node.metadata?.level ?? 1) : undefined
    this.out.add(kind, textOf(node), level)
    // Text boxes and tables may hang below a paragraph, whose own text does not have theirs.
    for (const child of node.children ?? []) if (child.type === "table") this.table(child)
    this.attached(node)
  }

  private attached({ notes = [], comments = [] }: OfficeContentNode): void {
    for (const note of [...notes, ...comments]) this.out.add("notes", textOf(note))
  }

  private table(node: OfficeContentNode): void {
    const rows = (node.children ?? []).filter(child => child.type === "row")
    addTable(
      rows.map(row => (row.children ?? []).map(textOf)),
      this.out,
    )
    for (const child of node.children ?? []) if (child.type !== "row") this.add(child)
    for (const row of rows) for (const cell of row.children ?? []) this.attached(cell)
    this.attached(node)
  }
}

/** Some formats give the text of a node, others only that of the leaves below. */
function textOf(node: OfficeContentNode): string {
  if (node.text !== undefined) return node.text
  if (node.type === "break") return "\n"
  const apart = node.type === "cell" || node.type === "list"
  return (node.children ?? [])
    .filter(child => child.type !== "table")
    .map(textOf)
    .join(apart ? " " : "")
}
