import { Parser } from "htmlparser2"
import type { BlockKind } from "../../../storage/document.ts"
import { tidyText } from "../clean-text.ts"
import type { DocumentBuilder } from "../document-builder.ts"
import type { Extractor } from "../extractor.ts"
import { decodeText } from "./decode.ts"
import { SvgWalk } from "./svg.ts"

/** Elements whose text is not for readers, or not shown by browsers. */
const SKIPPED = new Set(["script", "style", "math", "template", "datalist"])
/** What ends an open paragraph by opening, whatever else is open in it: the parser sees that only where nothing is. */
const ENDS_PARAGRAPH = new Set(
  (
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 " +
    "h5 h6 header hr main menu nav ol p pre section summary table ul"
  ).split(" "),
)
const BLOCKS = new Set(
  (
    "address article aside blockquote br caption center details dialog dd div dl dt fieldset figcaption figure footer form " +
    "h1 h2 h3 h4 h5 h6 header hr legend li main nav ol option p pre section summary table tbody td tfoot th thead title " +
    "tr ul body head"
  ).split(" "),
)
/** Kinds of input: boxes, and those whose value nobody sees. */
const TICKED = new Set(["checkbox", "radio"])
const UNSHOWN = new Set(["hidden", "password", "file", "image", "color", "range"])
const META_TEXT = /^(description|keywords|author|og:title|og:description)$/i
const DECLARED_CHARSET = /charset\s*=\s*["']?\s*([\w-]+)/i

/** Text of a page in reading order; headings give the sections, table rows stay on one line. */
export const extractHtml: Extractor = async ({ bytes, reading }, { out }) => {
  const html = htmlText(bytes, reading?.charset)
  addHtml(reading?.mainContent ? (await import("./main-content.ts")).mainContentOf(html) : html, out)
}

/** A page as text; `declared` is the encoding that is told beside it, and goes before what the page says itself. */
export function htmlText(bytes: Uint8Array, declared?: string): string {
  const head = Buffer.from(bytes.subarray(0, 4096)).toString("latin1")
  return decodeText(bytes, declared ?? DECLARED_CHARSET.exec(head)?.[1])
}

/** Adds the text of an HTML document to `out`, beginning with its title unless told otherwise. */
export function addHtml(html: string, out: DocumentBuilder, { titled = true } = {}): void {
  const walk = new HtmlWalk(out, titled)
  const parser = new Parser(
    {
      onopentag: (name, attributes) => walk.open(name, attributes),
      ontext: text => walk.text(text),
      onclosetag: name => walk.close(name),
    },
    { decodeEntities: true },
  )
  parser.write(html)
  parser.end()
  walk.flush()
}

/** Gathers the text of one block at a time and hands it over when a block element begins or ends. */
class HtmlWalk {
  private gathered = ""
  private kind: BlockKind = "paragraph"
  private level: number | undefined
  /** Elements open inside of one that is not shown, that one included. */
  private skipping = 0
  /** What is not shown is a paragraph: many have no end tag. */
  private skippingParagraph = false
  private drawing: SvgWalk | undefined
  private preformatted = 0
  /** Cells of the row that is open; their block elements do not end a block. */
  private rows = 0
  private headerCells = 0
  private dataCells = 0

  constructor(
    private readonly out: DocumentBuilder,
    private readonly titled: boolean,
  ) {}

  open(name: string, attributes: Record<string, string>): void {
    if (this.skippingParagraph && ENDS_PARAGRAPH.has(name)) this.skipping = 0
    if (!this.skipping) this.skippingParagraph = name === "p"
    if (this.skipping || SKIPPED.has(name) || isHidden(name, attributes) || (name === "title" && !this.titled)) {
      this.skipping++
      return
    }
    if (name === "svg" && !this.drawing)
      this.drawing = new SvgWalk(line => {
        this.gathered += `${BREAK}${line}${BREAK}`
      }, false)
    if (this.drawing) this.drawing.open(name)
    else this.element(name, attributes)
  }

  text(text: string): void {
    if (this.skipping) return
    if (this.drawing) this.drawing.text(text)
    else this.gathered += text
  }

  close(name: string): void {
    if (this.skipping) {
      this.skipping--
      return
    }
    if (this.drawing) {
      this.drawing.close(name)
      if (this.drawing.depth === 0) this.drawing = undefined
      return
    }
    if (name === "tr" && this.rows) {
      this.flush()
      this.rows--
    } else if (BLOCKS.has(name) && name !== "br") this.boundary(name)
    if (name === "pre") this.preformatted = Math.max(0, this.preformatted - 1)
  }

  /** Hands over what was gathered. */
  flush(): void {
    const text = this.preformatted ? this.gathered : this.rows ? cells(this.gathered) : tidyText(unwrap(this.gathered))
    const row: BlockKind = this.headerCells > 0 && this.dataCells === 0 ? "table_header" : "table_row"
    this.out.add(this.rows ? row : this.preformatted ? "code" : this.kind, text, this.level)
    this.gathered = ""
    this.kind = "paragraph"
    this.level = undefined
    this.headerCells = 0
    this.dataCells = 0
  }

  private element(name: string, attributes: Record<string, string>): void {
    if (name === "meta") this.meta(attributes)
    else if (name === "img" || name === "area") this.gathered += attributes.alt ? ` ${attributes.alt} ` : ""
    else if (name === "input") this.input(attributes)
    else if (name === "tr") this.openRow()
    else if (this.rows && (name === "td" || name === "th")) {
      this.gathered += "\t"
      if (name === "th") this.headerCells++
      else this.dataCells++
    } else if (BLOCKS.has(name)) this.boundary(name)
    if (name === "pre") this.preformatted++
    if (name === "li") this.kind = "list_item"
    const heading = /^h([1-6])$/.exec(name)
    if (heading && !this.rows) {
      this.kind = "heading"
      this.level = Number(heading[1])
    }
  }

  private boundary(name: string): void {
    if (this.rows) this.gathered += " "
    else if (name === "br" && this.kind !== "heading") this.gathered += BREAK
    else if (name === "br") this.gathered += " "
    else this.flush()
  }

  private openRow(): void {
    // A table inside a cell: its rows end the row around it, so that layout tables do not become one line.
    this.flush()
    this.rows++
  }

  /** What a field shows; hidden ones and passwords show nothing. */
  private input({ type = "text", value, placeholder, checked }: Record<string, string>): void {
    const kind = type.toLowerCase()
    if (TICKED.has(kind)) this.gathered += checked === undefined ? " " : " [x] "
    else if (!UNSHOWN.has(kind)) this.gathered += ` ${value || placeholder || ""} `
  }

  private meta(attributes: Record<string, string>): void {
    if (!META_TEXT.test(attributes.name ?? attributes.property ?? "") || !attributes.content) return
    this.flush()
    this.out.add("paragraph", tidyText(attributes.content))
  }
}

/**
 * What the element itself says; style sheets are not read. A page that hides itself as a whole means to be shown by its
 * script.
 */
function isHidden(name: string, attributes: Record<string, string>): boolean {
  const { hidden, style } = attributes
  if (hidden === undefined && style === undefined && name !== "dialog") return false
  if (name === "html" || name === "body") return false
  if (name === "dialog" && attributes.open === undefined) return true
  // "until-found" is for those who search.
  if (hidden !== undefined && hidden.toLowerCase() !== "until-found") return true
  return style !== undefined && UNSEEN.test(style)
}

const UNSEEN = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\b/i

/** Stands for `<br>` until the line breaks of the source, which mean blanks, are gone. */
const BREAK = "\u0001"

function unwrap(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll(BREAK, "\n")
}

function cells(text: string): string {
  return text
    .split("\t")
    .slice(text.startsWith("\t") || !text.slice(0, text.indexOf("\t")).trim() ? 1 : 0)
    .map(cell => cell.replace(/[\s\u0001]+/g, " ").trim())
    .join("\t")
}
