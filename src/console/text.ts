/**
 * The words of the console in the language of whoever reads them. The key of a text is its English sentence in ICU
 * MessageFormat, so code reads as before; `languages/` holds the others, each fetched when it is chosen.
 */
import { setupI18n } from "@lingui/core"
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { Catalogue, Text } from "./languages/catalogue.ts"
import { LANGUAGES, type LanguageCode } from "./languages/languages.ts"

export type { Text } from "./languages/catalogue.ts"

type Values = Record<string, string | number | null | undefined>
type Token = string | [name: string] | [name: string, type: "plural", cases: Record<string, string[]>]

const KEY = "carrel-language"
const ENGLISH = { locale: "en", messages: { en: {} } }

const ARGUMENT = /\{(\w+)(?:, plural,((?: \w+ \{[^{}]*\})+))?\}/g
const CASE = / (\w+) \{([^{}]*)\}/g

const compiled = new Map<string, Token[]>()

/**
 * What Lingui's own compiler makes of a text, for the part of MessageFormat that the console's texts keep to: values and
 * plurals without anything within. That compiler alone would be an eighth of the first load. A text is cut once.
 */
export function compile(text: string): Token[] {
  const known = compiled.get(text)
  if (known) return known
  const tokens: Token[] = []
  let at = 0
  for (const { 0: whole, 1: name, 2: cases, index } of text.matchAll(ARGUMENT)) {
    if (index > at) tokens.push(text.slice(at, index))
    tokens.push(cases ? [name!, "plural", casesOf(cases)] : [name!])
    at = index + whole.length
  }
  if (at < text.length) tokens.push(text.slice(at))
  compiled.set(text, tokens)
  return tokens
}

const casesOf = (cases: string): Record<string, string[]> =>
  Object.fromEntries([...cases.matchAll(CASE)].map(([, name, words]) => [name!, words!.split(/(#)/).filter(Boolean)]))

const i18n = setupI18n(ENGLISH).setMessagesCompiler(compile)
let current: LanguageCode = "en"

/** The sentence in the chosen language, with its values in place. */
export const t = (text: Text, values?: Values): string => i18n._(text, values && isolated(values))

/** In a line from right to left, a name or an address keeps its own direction. */
function isolated(values: Values): Values {
  if (LANGUAGES[current].direction === "ltr") return values
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === "string" ? `\u2068${value}\u2069` : value]),
  )
}

/** A command, a pattern or the like, which no line from right to left turns around. */
export const leftToRight = (text: string): string =>
  LANGUAGES[current].direction === "ltr" ? text : `\u2066${text}\u2069`

/** What stands for a tag of a text: an element for `<name/>`, a function of the words inside for `<name>words</name>`. */
type Part = ComponentChildren | ((inside: string) => ComponentChildren)

/** A sentence with elements in it: `rich("Open <page>the library</page>.", { page: words => <Link …>{words}</Link> })`. */
export function rich(text: Text, parts: Record<string, Part>, values?: Values): ComponentChildren {
  const drawn: ComponentChildren[] = []
  const sentence = t(text, values)
  let at = 0
  for (const { 0: whole, 1: name, 2: inside, index } of sentence.matchAll(/<(\w+)(?:\/>|>(.*?)<\/\1>)/g)) {
    if (!Object.hasOwn(parts, name!)) continue
    const part = parts[name!]
    drawn.push(sentence.slice(at, index), typeof part === "function" ? part(inside ?? "") : part)
    at = index + whole.length
  }
  drawn.push(sentence.slice(at))
  return drawn
}

export const language = (): LanguageCode => current

/** What `Intl` writes by: the browser's own kind of the chosen language, such as British English. */
export function locale(): string {
  const own = navigator.languages?.find(each => languageOf(each) === current) // there are none outside a browser
  return own ?? LANGUAGES[current].tag
}

/** Draws again when another language is chosen. */
export function useLanguage(): LanguageCode {
  const [shown, setShown] = useState(current)
  useEffect(() => i18n.on("change", () => setShown(current)), [])
  return shown
}

/** Fetches the texts, and draws everything anew in them; what is typed or open stays. */
export async function chooseLanguage(next: LanguageCode): Promise<void> {
  localStorage.setItem(KEY, next)
  await speak(next)
}

/** The language that was chosen in this browser, or the first of the browser's own that there is. */
export async function speakAsChosen(): Promise<void> {
  const kept = localStorage.getItem(KEY) ?? ""
  const known = [kept, ...navigator.languages].map(languageOf).find(each => each !== undefined)
  // without its texts the console is there in English
  await speak(known ?? "en").catch(() => speak("en"))
}

/** Of several that were asked for in short order the last one stays. */
let asked: LanguageCode = "en"

async function speak(next: LanguageCode): Promise<void> {
  asked = next
  const language = LANGUAGES[next]
  const messages: Partial<Catalogue> = "load" in language ? await language.load() : {}
  if (asked !== next) return
  current = next
  document.documentElement.lang = language.tag
  document.documentElement.dir = language.direction
  i18n.loadAndActivate({ locale: locale(), messages: messages as Catalogue })
}

function languageOf(tag: string): LanguageCode | undefined {
  const [code = ""] = tag.toLowerCase().split("-")
  return Object.hasOwn(LANGUAGES, code) ? (code as LanguageCode) : undefined
}

/** Choices whose words stand in a table of the page. */
export const spoken = <T extends string>(choices: readonly (readonly [value: T, text: Text, ...rest: unknown[]])[]) =>
  choices.map(([value, text]) => [value, t(text)] as const)
