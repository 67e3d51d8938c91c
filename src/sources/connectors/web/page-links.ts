/** What a crawler wants of a page: where it leads, what it says about itself, and a hash of what people see of it. */
import { createHash } from "node:crypto"
import { Parser } from "htmlparser2"
import { htmlText } from "../../../ingest/formats/text/html.ts"
import { Turns } from "../../../threads/turns.ts"

/** Of a page that is larger the beginning is looked through. */
const MAX_BYTES = 4 * 1024 * 1024
/** Read at a time. */
const STEP = 32_768
const TURN_MS = 10
const MAX_LINKS = 500
const MAX_LINK = 1_000
const UNSEEN = new Set(["script", "style", "noscript", "template"])

export interface PageLinks {
  /** As they are written; in order, none twice. */
  links: string[]
  /** What links are relative to. */
  base: string
  canonical: string | undefined
  /** The page asks not to be found. */
  noindex: boolean
  nofollow: boolean
  /** Changes with what people see. */
  hash: string
}

export async function linksOf(bytes: Uint8Array, url: string, charset: string | undefined, signal: AbortSignal) {
  const turns = new Turns(TURN_MS, signal)
  const found = new Set<string>()
  const hash = createHash("sha256")
  const page: PageLinks = { links: [], base: url, canonical: undefined, noindex: false, nofollow: false, hash: "" }
  let unseen = 0
  const parser = new Parser({
    onopentag(name, attributes) {
      if (UNSEEN.has(name)) unseen++
      read(name, attributes, page, found)
    },
    ontext(text) {
      if (unseen === 0) hash.update(text.replace(/\s+/g, " "))
    },
    onclosetag(name) {
      if (UNSEEN.has(name)) unseen--
    },
  })
  const html = htmlText(bytes.subarray(0, MAX_BYTES), charset)
  for (let at = 0; at < html.length; at += STEP) {
    parser.write(html.slice(at, at + STEP))
    await turns.next()
  }
  parser.end()
  page.links = page.nofollow ? [] : [...found]
  page.hash = hash.digest("hex").slice(0, 32)
  return page
}

function read(name: string, attributes: Record<string, string>, page: PageLinks, found: Set<string>): void {
  const { href = "", rel = "", content = "" } = attributes
  if (name === "base" && page.base !== "" && URL.canParse(href, page.base)) page.base = new URL(href, page.base).href
  if (href !== "" && href.length <= MAX_LINK) {
    if (name === "link" && /\bcanonical\b/i.test(rel)) page.canonical ??= href
    if ((name === "a" || name === "area") && !/\bnofollow\b/i.test(rel) && found.size < MAX_LINKS) found.add(href)
  }
  if (name === "meta" && /^(?:robots|carrel)$/i.test(attributes.name ?? "")) told(content, page)
}

/** By a header, or by the page. */
export function told(text: string, page: Pick<PageLinks, "noindex" | "nofollow">): void {
  if (/\b(?:noindex|none)\b/i.test(text)) page.noindex = true
  if (/\b(?:nofollow|none)\b/i.test(text)) page.nofollow = true
}
