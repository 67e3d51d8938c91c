/**
 * BERT's tokenizer for text without case: the ids that transformers.js finds, and how much of a text is cut in pieces, which
 * tells the language of the vocabulary from others.
 */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { normalForm } from "../normal-form.ts"

/** The part of a `tokenizer.json` that says how it splits. */
interface WordPieceFile {
  normalizer: {
    type: string
    clean_text?: boolean
    handle_chinese_chars?: boolean
    strip_accents?: boolean | null
    lowercase?: boolean
  } | null
  pre_tokenizer: { type: string } | null
  post_processor: { single?: { SpecialToken?: { id: string }; Sequence?: unknown }[] } | null
  added_tokens: { id: number; content: string; special: boolean }[]
  model: {
    type: string
    vocab: Record<string, number>
    unk_token: string
    continuing_subword_prefix: string
    max_input_chars_per_word?: number
  }
}

interface Pieces {
  ids: number[]
  /** Words of letters, and pieces behind the first one of a word; a word that no pieces make counts as three. */
  words: number
  continued: number
}

/** In characters; a longer one is unknown. */
const MAX_WORD = 100
const DROPPED = /[\0\uFFFD]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu
/** What BERT takes for Chinese: each is a word. */
const SINGLE =
  /[\u{4E00}-\u{9FFF}\u{3400}-\u{4DBF}\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2B81F}\u{2B820}-\u{2CEAF}\u{F900}-\u{FAFF}\u{2F800}-\u{2FA1F}]/gu
const WORD = /[^\s\p{P}!-/:-@[-`{-~]+|[\p{P}!-/:-@[-`{-~]/gu
const LETTER = /^\p{L}/u
const UNKNOWN_PIECES = 2

export class WordPieces {
  readonly begin: number
  readonly end: number
  readonly padding: number
  /** Ids of what says nothing: the unknown piece and the special tokens. */
  readonly silent: ReadonlySet<number>
  private readonly unknown: number
  private readonly vocabulary: ReadonlyMap<string, number>
  private readonly prefix: string
  /** UTF-16 units of the longest piece. */
  private readonly longest: number

  /** @param file one that `reads` says yes to */
  constructor({ model, added_tokens }: WordPieceFile) {
    this.vocabulary = new Map(Object.entries(model.vocab))
    this.prefix = model.continuing_subword_prefix
    this.longest = Object.keys(model.vocab).reduce((most, piece) => Math.max(most, piece.length), 0)
    const idOf = (token: string) => this.vocabulary.get(token)!
    this.unknown = idOf(model.unk_token)
    this.begin = idOf("[CLS]")
    this.end = idOf("[SEP]")
    this.padding = idOf("[PAD]")
    this.silent = new Set([this.unknown, ...added_tokens.filter(({ special }) => special).map(({ id }) => id)])
  }

  static reads({ normalizer, pre_tokenizer, post_processor, added_tokens, model }: WordPieceFile): boolean {
    const known = ["[PAD]", "[CLS]", "[SEP]", "[MASK]", model.unk_token]
    const around = post_processor?.single?.map(part => part.SpecialToken?.id ?? "").join(" ")
    return (
      model.type === "WordPiece" &&
      around === "[CLS]  [SEP]" &&
      ["[CLS]", "[SEP]", "[PAD]", model.unk_token].every(token => Object.hasOwn(model.vocab, token)) &&
      pre_tokenizer?.type === "BertPreTokenizer" &&
      (model.max_input_chars_per_word ?? MAX_WORD) === MAX_WORD &&
      added_tokens.every(({ content }) => known.includes(content)) &&
      normalizer?.type === "BertNormalizer" &&
      normalizer.lowercase === true &&
      normalizer.clean_text !== false &&
      normalizer.handle_chinese_chars !== false &&
      normalizer.strip_accents !== false
    )
  }

  /** Without the tokens around a text; what reads like one of them in it is text. @param most pieces after which the rest is left out */
  encode(text: string, most = Number.POSITIVE_INFINITY): Pieces {
    const pieces: Pieces = { ids: [], words: 0, continued: 0 }
    for (const [word] of plain(text).matchAll(WORD)) {
      if (pieces.ids.length >= most) break
      const ids = this.cut(word)
      pieces.ids.push(...ids)
      if (!LETTER.test(word)) continue
      pieces.words++
      pieces.continued += ids[0] === this.unknown ? UNKNOWN_PIECES : ids.length - 1
    }
    return pieces
  }

  /** The longest piece that begins a word, then the longest that goes on. */
  private cut(word: string): number[] {
    const whole = this.vocabulary.get(word)
    if (whole !== undefined) return [whole]
    if (Array.from(word).length > MAX_WORD) return [this.unknown]
    const ids: number[] = []
    for (let from = 0; from < word.length; ) {
      let to = Math.min(word.length, from + this.longest)
      let id: number | undefined
      for (; to > from; to--) {
        id = this.vocabulary.get((from > 0 ? this.prefix : "") + word.slice(from, to))
        if (id !== undefined) break
      }
      if (id === undefined) return [this.unknown]
      ids.push(id)
      from = to
    }
    return ids
  }
}

const plain = (text: string): string =>
  normalForm(text.replace(DROPPED, "").replace(SINGLE, " $& "), "NFD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase()

/** Undefined where the folder's tokenizer is of another kind. */
export function readWordPieces(directory: string): WordPieces | undefined {
  const file = JSON.parse(readFileSync(join(directory, "tokenizer.json"), "utf8")) as WordPieceFile
  return WordPieces.reads(file) ? new WordPieces(file) : undefined
}
