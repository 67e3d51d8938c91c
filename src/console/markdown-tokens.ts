/** The tokens of a text in Markdown. One that grows is cut anew from its last blocks only. */
import { Marked, type Token } from "marked"
import { mathBlock, mathInline } from "./math-tokens.ts"

const never = () => undefined

const marked = new Marked({
  gfm: true,
  extensions: [mathBlock, mathInline],
  tokenizer: {
    // HTML is text like any other.
    html: never,
    tag: never,
    // `[1]: …` and `[1][2]` are citations here, not references to an address further down.
    def: never,
    reflink: never,
    // A list that is just begun, "Steps:\n-", would flash up as a heading.
    lheading: never,
  },
})

/** A longer text stands as it is: its elements would be too many for a page. */
const MAX_CHARACTERS = 100_000

/** What follows may still change the last block, and what that was changes the one before. */
const OPEN_BLOCKS = 2

/** Cuts one text after the other. Where a text goes on from the one before, tokens that stand are the same objects. */
export class MarkdownCutter {
  private text = ""
  private tokens: readonly Token[] = []
  /** Characters that were cut so far. */
  cut = 0

  tokensOf(text: string): readonly Token[] {
    if (text === this.text) return this.tokens
    const kept = this.standing(text)
    const at = kept.reduce((sum, { raw }) => sum + raw.length, 0)
    this.cut += text.length - at
    this.tokens = [...kept, ...cutWhole(text.slice(at), text.length)]
    this.text = text
    return this.tokens
  }

  /** Those that no further text changes. Line ends of another kind are counted otherwise than they are written. */
  private standing(text: string): readonly Token[] {
    if (!this.text || !text.startsWith(this.text) || text.length > MAX_CHARACTERS || text.includes("\r")) return []
    let open = 0
    const from = this.tokens.findLastIndex(({ type }) => type !== "space" && ++open === OPEN_BLOCKS)
    return this.tokens.slice(0, Math.max(0, from))
  }
}

/** @param length of all that it is the end of */
function cutWhole(text: string, length: number): Token[] {
  try {
    if (length <= MAX_CHARACTERS) return marked.lexer(text)
  } catch {
    // thousands of quotes in each other, for one
  }
  return [{ type: "text", raw: text, text, escaped: false }]
}
