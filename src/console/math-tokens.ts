/** Where formulas stand in a text: between `$`, `$$`, `\(` and `\)`, `\[` and `\]`. Prices and names of variables are text. */
import type { TokenizerExtension } from "marked"

/** A longer one stays as it is written. */
export const MAX_FORMULA_CHARACTERS = 3_000

export type MathToken =
  | { type: "math"; raw: string; tex: string; display: boolean }
  /** Not closed, or not yet. */
  | { type: "openMath"; raw: string; text: string }

type Formula = Extract<MathToken, { type: "math" }>

const CLOSING: Record<string, string> = { $$: "$$", "\\[": "\\]", "\\(": "\\)", $: "$" }
const OPENING = /^(?:\$\$?|\\[[(])/
/** What says that `$5 or a 10$` is none. */
const SIGNS = /[\\^_=<>{}]|\s[-+*/]\s/

/** A formula at the beginning of the text. @param before the character in front of it */
function formulaAt(text: string, before: string): Formula | undefined {
  const opening = OPENING.exec(text)?.[0]
  if (!opening) return undefined
  const closing = CLOSING[opening]!
  const end = text.slice(0, MAX_FORMULA_CHARACTERS).indexOf(closing, opening.length)
  if (end < 0) return undefined
  const tex = text.slice(opening.length, end)
  if (!tex.trim() || /\n[ \t]*\n/.test(tex)) return undefined
  if (opening === "$" && !isInDollars(tex, before, text[end + 1] ?? "")) return undefined
  const raw = text.slice(0, end + closing.length)
  return { type: "math", raw, tex: tex.trim(), display: opening === "$$" || opening === "\\[" }
}

const isInDollars = (tex: string, before: string, after: string): boolean =>
  !/[\p{L}\p{N}$]/u.test(before + after) && !/^\s|\s$|[\n`]/.test(tex) && (!/\s/.test(tex) || SIGNS.test(tex))

/** As a block of its own, whose lines are no lists, headings or emphasis, also while it is still being written. */
export const mathBlock: TokenizerExtension = {
  name: "mathBlock",
  level: "block",
  start(text) {
    const [at] = ["\n$$", "\n\\["]
      .map(mark => text.indexOf(mark))
      .filter(at => at >= 0)
      .sort((a, b) => a - b)
    return at === undefined ? undefined : at + 1
  },
  tokenizer(text) {
    const indent = /^ {0,3}(?=\$\$|\\\[)/.exec(text)?.[0]
    if (indent === undefined) return undefined
    const formula = formulaAt(text.slice(indent.length), "")
    const rest = formula && /^[ \t]*(?:\n+|$)/.exec(text.slice(indent.length + formula.raw.length))
    if (formula && rest) return { ...formula, raw: indent + formula.raw + rest[0] }
    if (formula) return undefined
    // Not closed yet, or never: the paragraph as it is written.
    const raw = /^[\s\S]*?(?:\n[ \t]*(?=\n)|$)/.exec(text)![0]
    return { type: "openMath", raw, text: raw.trim() }
  },
}

export const mathInline: TokenizerExtension = {
  name: "mathInline",
  level: "inline",
  start(text) {
    const at = text.search(/\$|\\[[(]/)
    return at < 0 ? undefined : at
  },
  tokenizer: (text, tokens) => formulaAt(text, tokens.at(-1)?.raw.at(-1) ?? ""),
}
