/**
 * What a page of the web is about, without the navigation and the notices around it: found by Readability, which browsers
 * use for their reading view. It takes the cube of the depth of a page, so what no author writes is bounded first, and
 * such a page is read as a whole.
 */
import { Readability } from "@mozilla/readability"
import { Parser } from "htmlparser2"
import { parseHTML } from "linkedom"

const MAX_CHARS = 4 * 1024 * 1024
const MAX_ELEMENTS = 30_000
/** Elements in each other: what finding the main content costs grows with the square of it. */
const MAX_DEPTH = 100
/** Less text than this is a guess of Readability, which then takes the whole page. */
const SURE_CHARS = 500

const MAIN = "main, [role=main], article"
const AROUND =
  "nav, header, footer, aside, [role=navigation], [role=banner], [role=contentinfo], [role=complementary], [role=search]"

/** @returns a smaller page with the same title, or the page as it is */
export function mainContentOf(html: string): string {
  if (!isOrdinary(html)) return html
  try {
    // Both tags may be left out, which the parser does not know.
    return read(/<html[\s>]/i.test(html) ? html : `<html><head></head><body>${html}</body></html>`) ?? html
  } catch {
    return html // what the parser cannot make a document of is still a text
  }
}

function read(html: string): string | undefined {
  const { document } = parseHTML(html)
  if (!document.documentElement || !document.body) return undefined
  const title = document.querySelector("title")?.textContent?.trim() ?? ""
  const found = new Readability(document as unknown as Document).parse()
  if (found?.content && lengthOf(found.textContent) >= SURE_CHARS)
    return page(title || (found.title ?? ""), found.content)
  const part = partOf(html)
  return part === undefined ? undefined : page(title, part)
}

/** Of a short page: what it calls its main part, or all but what it calls navigation and the like. */
function partOf(html: string): string | undefined {
  const { document } = parseHTML(html) // Readability has taken the first one apart
  const mains = document.querySelectorAll(MAIN)
  const main = mains.length > 0 && lengthOf(mains[0]!.textContent) > 0 ? mains[0]! : undefined
  if (main && (mains.length === 1 || main.localName === "main")) return main.innerHTML
  for (const element of document.querySelectorAll(AROUND)) if (!element.closest("article, main")) element.remove()
  return lengthOf(document.body.textContent) > 0 ? document.body.innerHTML : undefined
}

const page = (title: string, content: string): string =>
  `<html><head><title>${title.replace(/[&<>]/g, sign => ESCAPED[sign]!)}</title></head><body>${content}</body></html>`

const ESCAPED: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

const lengthOf = (text: string | null | undefined): number => (text ?? "").trim().length

/** Counted by a parser that builds nothing. */
function isOrdinary(html: string): boolean {
  if (html.length > MAX_CHARS) return false
  let elements = 0
  let depth = 0
  let isBounded = true
  const parser = new Parser({
    onopentag() {
      elements++
      depth++
      if (elements > MAX_ELEMENTS || depth > MAX_DEPTH) {
        isBounded = false
        parser.pause()
      }
    },
    onclosetag() {
      depth--
    },
  })
  parser.write(html)
  if (isBounded) parser.end()
  return isBounded
}
