/**
 * The marks `[n]` that bind an answer to the passages that were given under these numbers. Only the daemon sets such
 * marks in what a model reads: text of a document that holds them could otherwise pass for a passage of its own, or
 * bring a citation into an answer that quotes it.
 */
const MARK = /\[(\d{1,4}(?: ?[,;] ?\d{1,4})*)\]/g

/** A mark in a text: `[2]`, or `[1, 3]`. Offsets count UTF-16 units. */
export interface Mark {
  numbers: number[]
  start: number
  end: number
}

export const marksIn = (text: string): Mark[] =>
  [...text.matchAll(MARK)].map(({ 0: whole, 1: list, index }) => ({
    numbers: list!.split(/[,;]/).map(Number),
    start: index,
    end: index + whole.length,
  }))

/** The numbers that a text cites, each once, in the order of their first mark. */
export const numbersIn = (text: string): number[] => [...new Set(marksIn(text).flatMap(({ numbers }) => numbers))]

/**
 * What templates of models set between turns, by its first character. Model servers read it as such wherever it stands in a
 * prompt, so a document that holds it could end our words and speak as the system or the user.
 */
const CONTROL =
  /[<[](?=(?<=<)(?:\|[\w.-]{1,40}\|>|｜[^<>｜\n]{1,40}｜>|\/?s>|(?:start|end)_of_turn>|<\/?SYS>>|[be]os>|(?:BOS|EOS)_TOKEN>|\/?tool_(?:call|response)>)|(?<=\[)\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_(?:CALLS|RESULTS|CONTENT))\])/g

/**
 * The same text, as long as before, with marks that cite nothing, `[2]` becomes `(2)`, and without what only templates of
 * models may set: `<|im_start|>` becomes `‹|im_start|>`.
 */
export const withoutMarks = (text: string): string => withoutControl(text.replace(MARK, "($1)"))

/** The same for a text whose marks are wanted, such as notes that a model made of numbered passages. */
export const withoutControl = (text: string): string => text.replace(CONTROL, first => (first === "<" ? "‹" : "("))

/** The same text with the numbers of its marks changed; those that become 0 are taken out. */
export function renumbered(text: string, change: (number: number) => number): string {
  return text.replace(MARK, (_, list: string) => {
    const numbers = list.split(/[,;]/).map(each => change(Number(each)))
    const kept = [...new Set(numbers.filter(number => number > 0))]
    return kept.length > 0 ? `[${kept.join(", ")}]` : ""
  })
}

export interface Cited<Passage> {
  /** Each once, in the order of their first mark. */
  citations: Passage[]
  /** Numbers that no passage has. */
  invalid: number[]
}

/** The passages that a text cites. Without passages a bracketed number is something else: a list index in code, perhaps. */
export function citedIn<Passage extends { index: number }>(text: string, passages: readonly Passage[]): Cited<Passage> {
  if (passages.length === 0) return { citations: [], invalid: [] }
  const byIndex = new Map(passages.map(passage => [passage.index, passage]))
  const numbers = numbersIn(text)
  return {
    citations: numbers.flatMap(number => byIndex.get(number) ?? []),
    invalid: numbers.filter(number => !byIndex.has(number)),
  }
}
