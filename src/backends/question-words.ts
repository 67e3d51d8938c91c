/** The words of texts as questions and sentences are compared by them. Pure. */
import { normalForm } from "../normal-form.ts"
import { FUNCTION_WORDS } from "./function-words.ts"

/** Function words of English, and what people say around a question. */
const ENGLISH = `a about after all also am an and any are as at be been before being both but by can could did do does done during each
either ever every for from further get give given gives had has have having he her here hers him his how i if in into is it
its just like made make many may me might more most much must my no nor not of off often on once one only or other our out over own per
please said say says shall she should so some such tell than that the their them then there these they this those through
to too under until up upon us very was we were what whats when where whether which while who whom whose why will with would
you your explain describe show find list know mean means regarding`
/** Of scripts without spaces, as they are segmented. */
const UNSPACED_WORDS =
  "的 了 是 在 什么 多少 几 谁 哪 哪个 哪儿 哪里 吗 呢 和 有 为 要 该 能 可以 想 时候 怎么 の は を に が で と も へ から まで より か です ます する した して とする ある いる 何 誰 いつ どこ いくら どの くらい ですか ますか れる られる ください 은 는 이 가 을 를"
/** Words that ask for a measure or a price: sentences that answer hold a figure in their place. */
const MEASURES =
  "long high much many often far early amount number cost costs price pay hoch lang oft früh viel viele teuer kostet kosten preis coûte coûtent prix cuesta precio costa costano prezzo custa preço стоит цена долго часто"

/** As `best-sentences.ts` in the search for follow-ups weighs them: the languages that it has always known. */
const FOLLOW_UP = `der die das und ist ein eine einen wie was wer wann wo warum den dem des im in zu für von mit auf
le la les un une des du de et est que qui quoi quand où comment pourquoi dans pour sur avec du au aux
el los las una unos y es qué quién cuándo dónde cómo por para con del`

const STOP = new Set(`${ENGLISH} ${FOLLOW_UP}`.split(/\s+/))
const fold = (text: string): string =>
  normalForm(text, "NFKD")
    .replace(/[\u0300-\u036f\u064b-\u065f]/g, "")
    .normalize("NFC")
    .toLowerCase()
const SILENT = new Set(
  fold([ENGLISH, FOLLOW_UP, UNSPACED_WORDS, ...Object.values(FUNCTION_WORDS)].join(" ")).split(/\s+/),
)

const MEASURE_WORDS = new Set(fold(MEASURES).split(/\s+/))

const UNSPACED = /[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/u
const WORDS = /[\p{L}\p{N}\p{M}]+/gu
/** Words of a script without spaces: the dictionary is one for Chinese, Japanese and Thai. */
const segmenter = new Intl.Segmenter("zh", { granularity: "word" })

/** Comparable forms of the words that carry meaning; pairs of characters for scripts without spaces. */
export function termsOf(text: string): string[] {
  return (fold(text).match(WORDS) ?? []).flatMap(word => {
    if (UNSPACED.test(word)) return pairs(word)
    return STOP.has(word) ? [] : [stem(word)]
  })
}

/** The words of a text without case, accents and signs, a blank between each. */
export const foldWords = (text: string): string => (fold(text).match(WORDS) ?? []).join(" ")

/** The folded words that say something of a subject, each once, in the order in which they come. */
export function subjectWords(text: string): string[] {
  const words = (fold(text).match(WORDS) ?? []).flatMap(word => (UNSPACED.test(word) ? segmented(word) : [word]))
  const subject = [...new Set(words)].filter(word => !SILENT.has(word))
  const named = subject.filter(word => !MEASURE_WORDS.has(word))
  return named.length > 0 ? named : subject // “what is the price?” asks for just that
}

const segmented = (word: string): string[] => [...segmenter.segment(word)].map(({ segment }) => segment)

/** What of a text is looked up when words of a question are matched with it. */
export interface WordForms {
  forms: ReadonlySet<string>
  folded: string
}

export function formsIn(words: readonly string[], text: string): WordForms {
  return { forms: new Set(words.flatMap(formsOf)), folded: UNSPACED.test(text) ? fold(text) : "" }
}

/** A word to be looked for, taken apart once. */
export interface LookedFor {
  word: string
  forms: readonly string[]
  /** Of a word in a script without spaces. */
  pairs: readonly string[] | null
}

export const lookedFor = (word: string): LookedFor => ({
  word,
  forms: formsOf(word),
  pairs: UNSPACED.test(word) ? pairs(word) : null,
})

/** How far a word stands in a text, 0..1: in any inflection, or by its pairs of characters. */
export function shareOf({ word, forms: own, pairs: parts }: LookedFor, { forms, folded }: WordForms): number {
  if (!parts) return own.some(form => forms.has(form)) ? 1 : 0
  if (folded.includes(word)) return 1
  return parts.filter(part => folded.includes(part)).length / parts.length
}

/** Letters by which inflections of a longer word are held to be one, whatever the language. */
const CUT = 5

function formsOf(word: string): string[] {
  const isCut = word.length > CUT && !/\p{N}/u.test(word)
  return isCut ? [stem(word), `${[...word].slice(0, CUT).join("")}*`] : [stem(word)]
}

function pairs(word: string): string[] {
  const characters = [...word]
  return characters.length === 1 ? characters : characters.slice(1).map((second, i) => characters[i]! + second)
}

/** Cuts common endings, so that `primed`, `priming` and `primes` meet; wrong for rare words, which costs little here. */
function stem(word: string): string {
  if (word.length <= 3 || /\p{N}/u.test(word)) return word
  const cut = word
    .replace(/(?:ies|ied)$/, "y")
    .replace(/(?:ations?|ating|ated)$/, "at")
    .replace(/(?:ingly|edly|ings?|ed|es|ly|s)$/, "")
    .replace(/(.)\1$/, "$1")
    .replace(/[ey]$/, "")
  return cut.length >= 3 ? cut : word
}
