/**
 * Unigram tokenizers over typed arrays: the ids that transformers.js finds, at a fraction of its time and memory.
 *
 * Reads a `tokenizer.json` of the kinds in `KINDS`: text in compatibility form, split into words with a leading `▁`, each
 * split into the pieces whose log-probabilities have the largest sum (Viterbi).
 */
import { normalForm } from "../normal-form.ts"
import { PieceTrie } from "./piece-trie.ts"

/** As transformers.js does for every `Precompiled` normalizer, whatever table the file carries. */
const DROPPED = /[\u0001-\u0008\u000B\u000E-\u001F\u007F\u008F\u009F]/g
const BLANK = /[\u0009\u000A\u000C\u000D\u00A0\u1680\u2000-\u200F\u2028\u2029\u202F\u205F\u2581\u3000\uFEFF\uFFFD]/g
const FULL_WIDTH_TILDE = "\uFF5E"
const SPACE = "▁"
/** Below the rarest piece: a character that no piece holds is taken alone, and as a last resort. */
const UNKNOWN_PENALTY = 10
/** Words are few and come again; longer ones are sentences of scripts without spaces. */
const MAX_CACHED_WORDS = 50_000
const MAX_CACHED_CHARS = 24

/** The steps in which tokenizers differ. */
interface Kind {
  toCase: (text: string) => string
  /** The words of a text. */
  word: RegExp
}

/** By the types of the steps that the file names: normalizers, pre-tokenizers, model, post-processor. */
const KINDS: Partial<Record<string, Kind>> = {
  "Precompiled,Lowercase WhitespaceSplit,Punctuation,Metaspace Unigram TemplateProcessing": {
    toCase: text => text.toLowerCase(),
    word: /[^\s\p{P}!-/:-@[-`{-~]+|[\p{P}!-/:-@[-`{-~]+/gu,
  },
  "Precompiled WhitespaceSplit,Metaspace Unigram TemplateProcessing": { toCase: text => text, word: /\S+/g },
}

interface Step {
  type: string
  replacement?: string
  prepend_scheme?: string
  str_rep?: string
}

interface AddedToken {
  id: number
  content: string
  special: boolean
  normalized?: boolean
}

export interface UnigramFile {
  normalizer: (Step & { normalizers?: Step[] }) | null
  pre_tokenizer: (Step & { pretokenizers?: Step[] }) | null
  post_processor: (Step & { single?: { SpecialToken?: { id: string }; Sequence?: { id: string } }[] }) | null
  added_tokens: AddedToken[]
  model: { type: string; unk_id: number; vocab: [piece: string, score: number][] }
}

export class Unigram {
  /** Ids of what says nothing: the unknown piece and the special tokens. */
  readonly silent: ReadonlySet<number>
  /** Ids of the special tokens that a model gets before and after a text. */
  readonly around: { before: number[]; after: number[] }
  private readonly kind: Kind
  private readonly unknown: number
  private readonly pieces: PieceTrie
  private readonly scores: Float64Array
  private readonly special: Map<string, number>
  private readonly specialText: RegExp
  private readonly known = new Map<string, number[]>()

  /** @throws Error where the file describes another kind of tokenizer */
  constructor(file: UnigramFile) {
    const kind = kindOf(file)
    if (!kind) throw new Error(`a tokenizer of another kind: ${nameOfKind(file)}`)
    this.kind = kind
    const { vocab, unk_id } = file.model
    this.unknown = unk_id
    this.scores = Float64Array.from(vocab, ([, score]) => score)
    this.scores[unk_id] = this.scores.reduce((least, score) => Math.min(least, score), 0) - UNKNOWN_PENALTY
    this.pieces = new PieceTrie(vocab.map(([piece]) => piece))
    this.special = new Map(file.added_tokens.map(({ content, id }) => [content, id]))
    this.specialText = anyOf([...this.special.keys()])
    this.silent = new Set([unk_id, ...file.added_tokens.filter(({ special }) => special).map(({ id }) => id)])
    this.around = this.template(file.post_processor?.single ?? [])
  }

  /** Whether this class finds the ids that transformers.js finds for this file. */
  static reads(file: UnigramFile): boolean {
    return kindOf(file) !== undefined
  }

  idOf(specialToken: string): number | undefined {
    return this.special.get(specialToken)
  }

  /** Ids without those that a model puts around a text. */
  encode(text: string): number[] {
    const ids: number[] = []
    for (const section of text.split(this.specialText)) {
      const special = this.special.get(section)
      if (special === undefined) this.encodeSection(section, ids)
      else ids.push(special)
    }
    return ids
  }

  private encodeSection(section: string, ids: number[]): void {
    const start = ids.length
    // Unknown characters in a row are one.
    for (const word of this.kind.toCase(compatible(section)).match(this.kind.word) ?? [])
      for (const id of this.wordIds(word))
        if (id !== this.unknown || ids.length === start || ids.at(-1) !== id) ids.push(id)
  }

  private template(single: { SpecialToken?: { id: string } }[]): Unigram["around"] {
    const ids = single.map(({ SpecialToken: token }) => (token ? this.special.get(token.id)! : null))
    const text = ids.indexOf(null)
    return { before: ids.slice(0, text) as number[], after: ids.slice(text + 1) as number[] }
  }

  private wordIds(word: string): number[] {
    const known = this.known.get(word)
    if (known) return known
    const ids = this.split(SPACE + word)
    if (word.length <= MAX_CACHED_CHARS) {
      if (this.known.size === MAX_CACHED_WORDS) this.known.clear()
      this.known.set(word, ids)
    }
    return ids
  }

  /** The piece that is this text; the unknown one where none is. */
  pieceId(text: string): number {
    let node = 0
    for (let at = 0; at < text.length && node >= 0; at++) node = this.pieces.child(node, text.charCodeAt(at))
    const id = node < 0 ? -1 : this.pieces.ids[node]!
    return id < 0 ? this.unknown : id
  }

  /** The pieces of a word that begins with `▁`, and how many units of it each holds. Unknown characters in a row are one. */
  cut(word: string): { id: number; units: number }[] {
    const pieces: { id: number; units: number }[] = []
    for (const piece of this.path(word)) {
      const last = pieces.at(-1)
      if (piece.id === this.unknown && last?.id === piece.id) last.units += piece.units
      else pieces.push(piece)
    }
    return pieces
  }

  private split(text: string): number[] {
    return this.path(text).map(({ id }) => id)
  }

  /** The best way to each position, and from there back. Where two are as good, the one with the longer last piece. */
  private path(text: string): { id: number; units: number }[] {
    const best = new Float64Array(text.length + 1).fill(Number.NEGATIVE_INFINITY)
    const from = new Int32Array(text.length + 1)
    const last = new Int32Array(text.length + 1)
    const reach = (end: number, start: number, id: number) => {
      const score = best[start]! + this.scores[id]!
      if (score <= best[end]!) return
      best[end] = score
      from[end] = start
      last[end] = id
    }
    best[0] = 0
    for (let start = 0; start < text.length; ) {
      const next = start + (text.codePointAt(start)! > 0xffff ? 2 : 1)
      let isAlonePossible = false
      for (let node = 0, at = start; at < text.length; at++) {
        node = this.pieces.child(node, text.charCodeAt(at))
        if (node < 0) break
        const id = this.pieces.ids[node]!
        if (id < 0) continue
        reach(at + 1, start, id)
        if (at + 1 === next) isAlonePossible = true
      }
      if (!isAlonePossible) reach(next, start, this.unknown)
      start = next
    }
    const pieces: { id: number; units: number }[] = []
    for (let end = text.length; end > 0; end = from[end]!) pieces.push({ id: last[end]!, units: end - from[end]! })
    return pieces.reverse()
  }
}

function nameOfKind({ normalizer, pre_tokenizer, model, post_processor }: UnigramFile): string {
  const steps = [normalizer?.normalizers ?? [normalizer], pre_tokenizer?.pretokenizers ?? [pre_tokenizer]]
  return [...steps.map(each => each.map(step => step?.type).join()), model.type, post_processor?.type].join(" ")
}

/** None too where a step of a known kind is set to do other things than in the files that we know. */
function kindOf(file: UnigramFile): Kind | undefined {
  const isUsual = ({ replacement, prepend_scheme, str_rep }: Step) =>
    (replacement ?? SPACE) === SPACE && (prepend_scheme ?? "always") === "always" && !str_rep
  const tokens = file.added_tokens
  const isNormalized = ({ normalized, special }: AddedToken) => normalized ?? !special
  if (!tokens.length || tokens.some(isNormalized) || !file.pre_tokenizer?.pretokenizers?.every(isUsual)) return
  const template = file.post_processor?.single ?? []
  const isToken = (id?: string) => tokens.some(({ content }) => content === id)
  const texts = template.filter(({ SpecialToken: token }) => !isToken(token?.id))
  if (texts.length !== 1 || texts[0]!.Sequence?.id !== "A") return
  return KINDS[nameOfKind(file)]
}

/** Any white space that a token says is to be stripped around it is left: none of it gets into a word. */
function anyOf(texts: string[]): RegExp {
  const longestFirst = texts.toSorted((one, other) => other.length - one.length)
  return new RegExp(`(${longestFirst.map(text => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`)
}

function compatible(text: string): string {
  const plain = text.replace(DROPPED, "").replace(BLANK, " ").split(FULL_WIDTH_TILDE)
  return plain.map(part => normalForm(part, "NFKC")).join(FULL_WIDTH_TILDE)
}
