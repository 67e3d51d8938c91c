/**
 * Tells at a glance which words could be part of a name or an address, so that the entity model is asked about them
 * alone and a stream of plain prose is not held back. It lets through too much rather than too little.
 */
import { commonWords, givenNames } from "./lexicon.ts"
import { hasUncasedLetter, hasUnreadLetter } from "./scripts.ts"

const ADDRESS_WORD =
  /^(?:street|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|square|sq|place|pl|terrace|highway|hwy|parkway|pkwy|alley|crescent|close|box|p\.?o|apt|apartment|suite|ste|unit|flat|floor|fl|room|rm|corner|zip|postcode|psc|apo|fpo|dpo|rue|calle|via|viale|plaza|platz|straße|strasse|str|weg|rua|ulica|ul|ulitsa|gatan|vej|vei|laan|straat|plein|ул|улица|улице|улицы|пр|проспект|пр-т|пер|переулок|бул|бульвар|наб|шоссе|пл|площадь|г|д|дом|корп|кв|квартира|вул|вулиця|вулиці|просп|пров|буд|м|οδός|οδό|οδού|λεωφόρος|λεωφ|πλατεία|τκ)$/
const ADDRESS_ENDING =
  /(?:straße|strasse|straat|gasse|gatan|gata|vägen|vagen|veien|vegen|gaten|laan|plein|dreef|allee|platz|weg|katu|tie|utca|gade|vej)$/
const TITLE =
  /^(?:mr|mrs|ms|miss|mx|dr|prof|professor|sir|madam|herr|frau|mme|mlle|señor|señora|signor|signora|don|doña|rev|fr|capt|sgt|lt|col|gen|hon)$/
/** Words that a name follows even where it is written small. */
const CUE =
  /^(?:name|named|called|call|i'm|i’m|am|mr|mrs|ms|miss|dr|prof|by|dear|hi|hello|hey|regards|sincerely|cheers|thanks|signed|from|with|to|and|between|for|said|says|met|meet|ask|tell|attendees|present|cc|team|participants|herr|frau|heiße|ist|hallo|liebe|lieber|grüßen|von|m'appelle|bonjour|madame|monsieur|cordialement|par|llamo|soy|hola|señor|señora|por|saludos|chiamo|sono|gentile|signora|signor|da|naam|ben|beste|mevrouw|heer|groet|door|nome|olá|senhor|senhora|nazywam|jestem|pan|pani|pozdrawiam|jmenuji|paní|heter|hej|hälsningar|av|hedder|hilsen|nimeni|olen|nevem|numesc|domnul|doamna|adım|sayın|merhaba|là|зовут|звати|звуть|имя|фамилия|господин|господину|госпожа|госпоже|пан|пані|казвам|зовем|здравствуйте|привет|вітаю|здравейте|уважаемый|уважаемая|шановний|шановна|λένε|ονομάζομαι|κύριος|κύριε|κυρία|γεια)$/
/** Words that turn to somebody: even a common word may be a name behind them (`hi will`). */
const ADDRESSED =
  /^(?:name|named|i'm|i’m|mr|mrs|ms|miss|dr|prof|dear|hi|hello|hey|regards|sincerely|cheers|herr|frau|hallo|hola)$/

/** Longer ones are seldom words: addresses of resources, tokens, names of files. */
const LONG = 48
const GLUED = /[@\\/]{1}.*[/\\]/

/** Markup, JSON, and lists without blanks: a word of a script without capitals, or one with a capital between signs. */
const isNameAmidSigns = (word: string): boolean =>
  hasUncasedLetter(word) ||
  /(?:^|[>"',،;\|\(\/\\\[])[\p{Lu}--\p{Script=Latin}]\p{Ll}/v.test(word) ||
  /[>"]\p{Lu}\p{Ll}+[<"]/u.test(word)

/** `before` holds the words that precede, at most eight. */
export function isCandidate(word: string, before: string[]): boolean {
  if (word.length > LONG || GLUED.test(word)) return !word.includes("://") && isNameAmidSigns(word)
  if (/^\P{L}*\d{1,6}\P{L}{0,4}$/u.test(word) || /^#?\d{1,5}[A-Za-z]?[,.;]?$/.test(word)) return true
  const core = word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}\p{M}]+$/gu, "")
  if (core === "" || !/\p{L}/u.test(core)) return false
  if (hasUncasedLetter(core)) return true
  if (hasUnreadLetter(core)) return isInAddress(before)
  const lower = core.toLowerCase().replace(/(?:['’]s|['’])$/, "")
  if (ADDRESS_WORD.test(lower) || ADDRESS_ENDING.test(lower) || TITLE.test(lower)) return true
  const capital = /\p{Lu}|\p{Lt}/u.test(core)
  const known = commonWords().has(lower)
  if (capital)
    return !known || givenNames().has(lower) || /^[\p{L}\d]+['’-]\p{Lu}/u.test(core) || followsGivenName(before)
  if (core.length < 3 || /[\d_(){}[\]=<>|*+#$]/.test(core)) return false
  if (known) return givenNames().has(lower) && ADDRESSED.test(smallWord(before.at(-1)))
  return givenNames().has(lower) || CUE.test(smallWord(before.at(-1))) || followsName(before) || isEnglish(before)
}

/** `alice moreau`, `ben q. osei`: the second word is a name if the first is. */
const followsName = (before: string[]): boolean => before.slice(-2).some(word => givenNames().has(smallWord(word)))

const smallWord = (written = ""): string => written.toLowerCase().replace(/[^\p{L}'’]/gu, "")

/** `Sarah Stone`, `Mr. Young`, `Jack Q. Frost`: a surname may be a word. */
function followsGivenName(before: string[]): boolean {
  const last = before.at(-1) ?? ""
  if (/[,;:!?)\]"]$/.test(last)) return false
  const core = last.replace(/\P{L}/gu, "")
  if (!/^\p{Lu}/u.test(core)) return false
  const lower = core.toLowerCase()
  return TITLE.test(lower) || core.length === 1 || (givenNames().has(lower) && !last.endsWith("."))
}

/** A town in its own writing: behind a number or a street, among words that are read. */
function isInAddress(before: string[]): boolean {
  const near = before.slice(-4)
  return (
    near.some(word => /\d/.test(word)) &&
    near.some(word => /^\P{L}*\p{Script=Latin}{2}/u.test(word)) &&
    near.filter(hasUnreadLetter).length < 3
  )
}

/** In English an unknown small word is rare and may be a name; in a language without word list every word is unknown. */
function isEnglish(before: string[]): boolean {
  let known = 0
  let counted = 0
  for (const word of before.slice(-8)) {
    const lower = smallWord(word)
    if (lower === "") continue
    counted++
    if (commonWords().has(lower.replace(/['’]s$/, ""))) known++
  }
  return known >= 0.6 * counted
}
