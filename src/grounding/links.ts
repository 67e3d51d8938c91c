/**
 * The addresses that a text leads to where somebody shows it as Markdown or HTML: links, pictures, references, autolinks
 * and bare addresses. Renderers differ, so this reads generously: what any common one would make a link counts. Addresses
 * without a scheme and a host (`#part`, `report.pdf`) lead nowhere foreign and do not. Takes time in proportion to the
 * text, whatever it holds.
 */
import { decodeHTML } from "entities"

/** An address as a browser would take it, and where it is written. Offsets count UTF-16 units. */
export interface Link {
  /** Entities and backslashes resolved; of a bare mail address `mailto:` and the address. */
  address: string
  start: number
  end: number
}

/** Parentheses in each other within one address: CommonMark allows no more. */
const MAX_NESTED = 32
/** Characters of a scheme. */
const MAX_SCHEME = 32
/** Of an address that is read in two ways, in the longer one. */
const MAX_LONGER = 4_200

/** In the order of their places; one place may be read in several ways. */
export function linksIn(text: string): Link[] {
  const asMarkdown = [...destinations(text), ...definitions(text), ...autolinks(text)].map(({ start, end }) => ({
    ...{ start, end },
    address: resolved(withoutEscapes(text.slice(start, end))),
  }))
  const asHtml = attributes(text).map(({ start, end }) => ({ start, end, address: resolved(text.slice(start, end)) }))
  return [
    ...[...asMarkdown, ...asHtml, ...inStyles(text)].filter(({ address }) => leadsAway(address)),
    ...bare(text),
    ...mailAddresses(text),
  ]
    .sort((left, right) => left.start - right.start || left.end - right.end)
    .filter(
      ({ address, start }, at, all) => at === 0 || all[at - 1]!.start !== start || all[at - 1]!.address !== address,
    )
}

interface Span {
  start: number
  end: number
}

/** What stands in the parentheses of `[text](address "title")`, and of such as are left open. */
function destinations(text: string): Span[] {
  const found: Span[] = []
  /** Parentheses that are open in the run without spaces that is read. */
  let open: { start: number; depth: number; opens: boolean }[] = []
  const endRun = (end: number) => {
    // Only what the innermost holds has balanced parentheses, as an address must.
    const last = open.at(-1)
    if (last?.opens) found.push({ start: last.start, end })
    open = []
  }
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    if (character === "\\") at++
    else if (isSpace(character)) endRun(at)
    else if (character === "(") {
      const opens = text[at - 1] === "]"
      while (opens && isSpace(text[at + 1])) at++
      open.push({ start: at + 1, depth: 0, opens })
      if (!opens || text[at + 1] !== "<") continue
      const end = endOfAngle(text, at + 2)
      found.push({ start: at + 2, end })
      at = end - 1
    } else if (character === ")") {
      const closed = open.pop()
      if (!closed) continue
      if (closed.opens && closed.depth <= MAX_NESTED) found.push({ start: closed.start, end: at })
      const outer = open.at(-1)
      if (outer) outer.depth = Math.max(outer.depth, closed.depth + 1)
    }
  }
  endRun(text.length)
  return found
}

const isSpace = (character: string | undefined): boolean => character !== undefined && character <= " "

/** Where `<address>` ends: spaces may stand in it, line breaks and further brackets may not. */
function endOfAngle(text: string, from: number): number {
  let at = from
  while (at < text.length && !/[<>\n]/.test(text[at]!)) at++
  return at
}

/** `[label]: address`, also in quotes and lists. */
const DEFINITION = /^[ \t>*+\-\d.)]{0,40}\[[^\]\n]{1,999}\]:[ \t]*\n?[ \t]*(?:<([^<>\n]*)>|([^\s<]\S*))/gm

const definitions = (text: string): Span[] => matches(text, DEFINITION)

/** `<scheme:…>` */
const AUTOLINK = /<([a-z][a-z\d+.-]{1,31}:[^\s<>]*)>/gi

const autolinks = (text: string): Span[] => matches(text, AUTOLINK)

function matches(text: string, pattern: RegExp): Span[] {
  return [...text.matchAll(pattern)].map(({ 0: whole, 1: first, 2: second, index }) => {
    const address = first ?? second ?? ""
    const start = index + whole.lastIndexOf(address)
    return { start, end: start + address.length }
  })
}

/** What an attribute of HTML leads to, or a style. Names of attributes that hold none do no harm: bare words lead nowhere. */
const ATTRIBUTE =
  /(?:href|src|srcset|action|poster|background|data|ping|url)\s{0,20}(?:=|\()\s{0,20}(?:(["'])|(?=[^\s"'>]))/gi

function attributes(text: string): Span[] {
  if (!text.includes("<")) return []
  const found: Span[] = []
  const never = new Set<string>()
  const pattern = new RegExp(ATTRIBUTE)
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const start = pattern.lastIndex
    const quote = match[1]
    let end = -1
    if (quote && !never.has(quote)) {
      end = text.indexOf(quote, start)
      if (end < 0) never.add(quote) // not looked for again: there is none in the rest
    }
    const stop = match[0].includes("(") ? /[\s>)]/ : /[\s>]/
    if (end < 0) for (end = start; end < text.length && !stop.test(text[end]!); ) end++
    const value = text.slice(start, end)
    // A list of pictures has addresses between commas and widths; a line break within one address is dropped.
    if (/[ ,]/.test(value))
      for (const { 0: word, index } of value.matchAll(/[^\s,]+(?:,[^\s,]+)*/g))
        found.push({ start: start + index, end: start + index + word.length })
    else found.push({ start, end })
    pattern.lastIndex = Math.max(end, start)
  }
  return found
}

/** A style attribute, or a style sheet. */
const STYLE = /\bstyle\s{0,20}(?:=\s{0,20}(?:"([^"]*)"|'([^']*)'|([^\s>"']+))|[^<>]{0,200}>([^<]*))/gi

/** CSS names an address in several ways, and escapes letters in its own: what leads away anywhere in a style counts, all of it. */
function inStyles(text: string): Link[] {
  if (!text.includes("<")) return []
  return [...text.matchAll(STYLE)].flatMap(({ 0: whole, 1: double, 2: single, 3: unquoted, 4: sheet, index }) => {
    const style = double ?? single ?? unquoted ?? sheet ?? ""
    const start = index + whole.lastIndexOf(style)
    const addresses = withoutCssEscapes(resolved(style)).match(
      /(?:[a-z][a-z\d+.-]{0,31}:|(?<!:))[\\/]{2}[^\s"'();,]+/gi,
    )
    return (addresses ?? []).map(address => ({ address, start, end: start + style.length }))
  })
}

const withoutCssEscapes = (style: string): string =>
  style.replace(/\\(?:([\da-f]{1,6})\s?|([^\da-f\n]))/gi, (_, code?: string, letter?: string) =>
    code ? String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff)) : letter!,
  )

/** Addresses that stand by themselves. What stands in one is part of it. */
function bare(text: string): Link[] {
  const found: Link[] = []
  let runEnd = 0
  const pattern = new RegExp(BARE)
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    let start = match.index
    const isHost = match[0] !== "://"
    while (!isHost && match.index - start < MAX_SCHEME && /[a-z\d+.-]/i.test(text[start - 1] ?? "")) start--
    while (!isHost && start < match.index && !/[a-z]/i.test(text[start]!)) start++
    if (start === match.index && !isHost) continue
    const end = endOfBare(text, pattern.lastIndex)
    const address = trimmed(text.slice(start, end))
    if (address.length > match.index + match[0].length - start)
      found.push({ address, start, end: start + address.length })
    if (end >= runEnd) runEnd = endOf(RUN, text, end)
    const longer = goesOn(text, end, runEnd)
      ? trimmed(text.slice(start, Math.min(runEnd, start + MAX_LONGER)))
      : address
    if (longer.length > address.length) found.push({ address: longer, start, end: start + longer.length })
    pattern.lastIndex = end
  }
  return found
}

const BARE = /:\/\/|(?<![\w./-])www\./gi

/**
 * An address is taken to end where a renderer of Markdown ends it (space, `<`), at `](` (it was the text of a link), at
 * punctuation of East Asian writing, and at a quote or grave accent behind which no address goes on.
 */
const END = /[\s<>\u3000-\u3002\u300a-\u3011\uff01\uff08-\uff0c\uff1a\uff1b\uff1f]|\]\(|["'`](?=[\s,;:.)\]}]|$)|$/g

/** Where every renderer ends an address: some take a quote for a part of it. */
const RUN = /[\s<>]|$/g

const endOfBare = (text: string, from: number): number => endOf(END, text, from)

function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}

/**
 * Behind an address that ended at a quote: whether something follows that is no address of its own, as in a list of them. Double
 * quotes and grave accents end an address but before a dot: most renderers take none for a part of it, and JSON is full of them.
 */
function goesOn(text: string, end: number, runEnd: number): boolean {
  const quote = text[end] ?? ""
  if (quote !== "'" && !(/["`]/.test(quote) && text[end + 1] === ".")) return false
  BEHIND.lastIndex = end
  BEHIND.exec(text)
  return BEHIND.lastIndex < runEnd && !startsAddress(text, BEHIND.lastIndex)
}

const BEHIND = /["'`,;:.()[\]{}]*/y

function startsAddress(text: string, at: number): boolean {
  SCHEME.lastIndex = at
  return SCHEME.test(text)
}

const SCHEME = /[a-z][a-z\d+.-]{1,31}:\/\//iy

/** Without the punctuation behind it: that of the sentence, and brackets that were opened before it. */
function trimmed(address: string): string {
  let end = address.length
  let surplus = address.split(")").length - address.split("(").length
  for (; end > 0; end--) {
    const last = address[end - 1]!
    if (last === ")" && surplus > 0) surplus--
    else if (!/[?!.,:;*_~'"`\]}|\\]/.test(last)) break
  }
  return address.slice(0, end)
}

function mailAddresses(text: string): Link[] {
  const found: Link[] = []
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    let start = at
    while (start > 0 && /[\w.+-]/.test(text[start - 1]!)) start--
    HOST.lastIndex = at + 1
    const host = HOST.exec(text)?.[0]
    if (start === at || !host) continue
    const end = at + 1 + host.length
    found.push({ address: `mailto:${text.slice(start, end)}`, start, end })
  }
  return found
}

const HOST = /[\w-]+(?:\.[\w-]+)+(?<![-._])/y

/** As Markdown reads backslashes. */
const withoutEscapes = (written: string): string => written.replace(/\\([!-/:-@[-`{-~])/g, "$1")

/** As a browser reads what is written: character references are resolved, white space is dropped. */
const resolved = (written: string): string =>
  (written.includes("&") ? decodeHTML(written) : written).replace(/[\t\n\r]/g, "").trim()

/** With a scheme, or a host: browsers read `\\host` as `//host`. */
const leadsAway = (address: string): boolean => /^[a-z][a-z\d+.-]*:.|^[\\/]{2}./i.test(address)
