/**
 * The static model's tokenizer over typed arrays: the ids that transformers.js finds, some twenty times as fast. A static
 * model spends its time on little else.
 *
 * Reads a `tokenizer.json` of one kind alone: text in compatibility form and lower case, split at white space and around
 * punctuation, each part with a leading `▁` and split into the pieces whose log-probabilities have the largest sum
 * (Unigram, Viterbi).
 */

/** As transformers.js does for every `Precompiled` normalizer, whatever table the file carries. */
const DROPPED = /[\u0001-\u0008\u000B\u000E-\u001F\u007F\u008F\u009F]/g
const BLANK = /[\u0009\u000A\u000C\u000D\u00A0\u1680\u2000-\u200F\u2028\u2029\u202F\u205F\u2581\u3000\uFEFF\uFFFD]/g
const FULL_WIDTH_TILDE = "\uFF5E"
/** Parts of a text: what stands between white space, runs of punctuation apart from the rest. */
const PART = /[^\s\p{P}!-/:-@[-`{-~]+|[\p{P}!-/:-@[-`{-~]+/gu
const SPACE = "▁"
/** Below the rarest piece: a character that no piece holds is taken alone, and as a last resort. */
const UNKNOWN_PENALTY = 10
/** Words are few and come again; longer ones are sentences of scripts without spaces. */
const MAX_CACHED_WORDS = 50_000
const MAX_CACHED_CHARS = 24

const KIND = "Precompiled,Lowercase WhitespaceSplit,Punctuation,Metaspace Unigram"

export interface UnigramFile {
  normalizer: { type: string; normalizers?: { type: string }[] } | null
  pre_tokenizer: { type: string; pretokenizers?: { type: string }[] } | null
  added_tokens: { id: number; content: string; special: boolean }[]
  model: { type: string; unk_id: number; vocab: [piece: string, score: number][] }
}

export class Unigram {
  readonly unknown: number
  private readonly pieces: PieceTrie
  private readonly scores: Float64Array
  private readonly special: Map<string, number>
  private readonly specialText: RegExp
  private readonly known = new Map<string, number[]>()

  /** @throws Error where the file describes another kind of tokenizer */
  constructor(file: UnigramFile) {
    const parts = [file.normalizer?.normalizers, file.pre_tokenizer?.pretokenizers]
    const kind = [...parts.map(steps => steps?.map(({ type }) => type).join()), file.model.type].join(" ")
    if (kind !== KIND) throw new Error(`a tokenizer of another kind: ${kind}`)
    const { vocab, unk_id } = file.model
    this.unknown = unk_id
    this.scores = Float64Array.from(vocab, ([, score]) => score)
    this.scores[unk_id] = this.scores.reduce((least, score) => Math.min(least, score), 0) - UNKNOWN_PENALTY
    this.pieces = new PieceTrie(vocab.map(([piece]) => piece))
    this.special = new Map(file.added_tokens.map(({ content, id }) => [content, id]))
    const escaped = [...this.special.keys()].map(content => content.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    this.specialText = new RegExp(`(${escaped.join("|")})`)
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
    for (const word of normalized(section).match(PART) ?? [])
      for (const id of this.wordIds(word))
        if (id !== this.unknown || ids.length === start || ids.at(-1) !== id) ids.push(id)
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

  /** The best way to each position, and from there back. Where two are as good, the one with the longer last piece. */
  private split(text: string): number[] {
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
    const ids: number[] = []
    for (let end = text.length; end > 0; end = from[end]!) ids.push(last[end]!)
    return ids.reverse()
  }
}

function normalized(text: string): string {
  const plain = text.replace(DROPPED, "").replace(BLANK, " ").split(FULL_WIDTH_TILDE)
  return plain
    .map(part => part.normalize("NFKC"))
    .join(FULL_WIDTH_TILDE)
    .toLowerCase()
}

/** All pieces by their UTF-16 units. Edges stand in one open-addressed table: no object per node. */
class PieceTrie {
  /** Id of the piece that ends at a node; -1 where none does. */
  readonly ids: Int32Array
  private readonly parents: Int32Array
  private readonly units: Uint16Array
  private readonly children: Int32Array
  private readonly mask: number
  private nodes = 1

  constructor(pieces: string[]) {
    const most = pieces.reduce((sum, piece) => sum + piece.length, 1)
    const slots = 2 ** Math.ceil(Math.log2(most * 1.3))
    this.mask = slots - 1
    this.parents = new Int32Array(slots).fill(-1)
    this.units = new Uint16Array(slots)
    this.children = new Int32Array(slots)
    const ids = new Int32Array(most).fill(-1)
    for (const [id, piece] of pieces.entries()) {
      let node = 0
      for (let at = 0; at < piece.length; at++) node = this.grow(node, piece.charCodeAt(at))
      ids[node] = id
    }
    this.ids = ids.slice(0, this.nodes)
  }

  /** The node below by one unit; -1 where no piece goes on so. */
  child(node: number, unit: number): number {
    const slot = this.find(node, unit)
    return this.parents[slot]! < 0 ? -1 : this.children[slot]!
  }

  private grow(node: number, unit: number): number {
    const slot = this.find(node, unit)
    if (this.parents[slot]! >= 0) return this.children[slot]!
    this.parents[slot] = node
    this.units[slot] = unit
    this.children[slot] = this.nodes
    return this.nodes++
  }

  /** The slot of this edge, or the free one where it would stand. */
  private find(node: number, unit: number): number {
    let slot = (Math.imul(Math.imul(node, 0x9e3779b1) ^ unit, 0x85ebca6b) >>> 7) & this.mask
    while (this.parents[slot]! >= 0 && (this.parents[slot] !== node || this.units[slot] !== unit))
      slot = (slot + 1) & this.mask
    return slot
  }
}
