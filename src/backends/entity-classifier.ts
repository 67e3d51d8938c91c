/** One token classifier: text to tokens, tokens to labels, labels to entities. */
import { basename, join } from "node:path"
import type { AutoModelForTokenClassification, AutoTokenizer } from "@huggingface/transformers"
import type { ModelEntity } from "./backend.ts"
import { type Atom, atomsOf, caseOf, entitiesOf, kindOfLabel } from "./entity-labels.ts"
import { CASES, classesOf, readWordClasses, SMALL_THROUGHOUT } from "./entity-words.ts"
import { likeliest } from "./likeliest.ts"
import type { Library } from "./model-side.ts"

export interface ClassifierPlace {
  /** Model folder: config.json, tokenizer.json, onnx/model*.onnx. */
  directory: string
  /** Which file under onnx/: `fp32` is model.onnx, `q8` model_quantized.onnx. */
  dtype: "fp32" | "q8"
}

type Tokenizer = Awaited<ReturnType<typeof AutoTokenizer.from_pretrained>>
type Model = Awaited<ReturnType<typeof AutoModelForTokenClassification.from_pretrained>>

/** What our own models say about themselves in config.json; others have none of it. */
interface OwnTraits {
  case_in_token_types?: boolean
  newline_token?: string
  /** File of the folder that lists known words; their classes join the case in the token types. */
  words?: string
}

interface ModelConfig {
  id2label: Record<string, string>
  max_position_embeddings?: number
  carrel?: OwnTraits
}

interface Output {
  data: Float32Array
  dims: number[]
}

/** A text as the model reads it. `firstToken[i]` is where atom i begins; -1 where it was cut off. */
interface Encoded {
  ids: number[]
  types: number[]
  atoms: Atom[]
  firstToken: number[]
  /** Class of each atom; empty without a list of words. */
  known: number[]
}

/** Tokens per run; many short windows together use the processor better than one by one. */
const BATCH_TOKENS = 4096

export class Classifier {
  private readonly idsOfAtom = new Map<string, number[]>()
  private readonly special: { begin: number[]; end: number[] }

  private constructor(
    private readonly library: Library,
    private readonly tokenizer: Tokenizer,
    private readonly model: Model,
    private readonly config: ModelConfig,
    private readonly classes: Map<string, number> | undefined,
  ) {
    this.special = this.specialTokens()
  }

  static async open({ directory, dtype }: ClassifierPlace, library: Library): Promise<Classifier> {
    const tokenizer = await library.AutoTokenizer.from_pretrained(directory, { local_files_only: true })
    const model = await library.AutoModelForTokenClassification.from_pretrained(directory, {
      local_files_only: true,
      dtype,
      device: "cpu",
      session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 },
    })
    const config = model.config as unknown as ModelConfig
    if (!Object.values(config.id2label ?? {}).some(label => kindOfLabel(label) === "NAME"))
      throw new Error("its labels name no persons (config.json, id2label)")
    const { words } = config.carrel ?? {}
    const classes = words === undefined ? undefined : readWordClasses(join(directory, basename(words)))
    const classifier = new Classifier(library, tokenizer, model, config, classes)
    await classifier.find(["Anna Smith"])
    return classifier
  }

  async find(texts: string[]): Promise<ModelEntity[][]> {
    const encoded = texts.map(text => this.encode(text))
    const found: ModelEntity[][] = texts.map(() => [])
    // Texts of one length share a run: padding is computed like text.
    const order = [...encoded.keys()].sort((a, b) => encoded[a]!.ids.length - encoded[b]!.ids.length)
    let rows: number[] = []
    for (const row of order) {
      if (rows.length > 0 && (rows.length + 1) * encoded[row]!.ids.length > BATCH_TOKENS) {
        await this.classify(rows, encoded, found, texts)
        rows = []
      }
      rows.push(row)
    }
    if (rows.length > 0) await this.classify(rows, encoded, found, texts)
    return found
  }

  private async classify(rows: number[], encoded: Encoded[], found: ModelEntity[][], texts: string[]): Promise<void> {
    const width = Math.max(...rows.map(row => encoded[row]!.ids.length))
    const ids = new BigInt64Array(rows.length * width)
    const mask = new BigInt64Array(rows.length * width)
    const types = new BigInt64Array(rows.length * width)
    for (const [at, row] of rows.entries()) {
      for (const [index, id] of encoded[row]!.ids.entries()) {
        ids[at * width + index] = BigInt(id)
        mask[at * width + index] = 1n
        types[at * width + index] = BigInt(encoded[row]!.types[index]!)
      }
    }
    const { Tensor } = this.library
    const tensor = (data: BigInt64Array) => new Tensor("int64", data, [rows.length, width])
    const outputs = (await this.model({
      input_ids: tensor(ids),
      attention_mask: tensor(mask),
      token_type_ids: tensor(types),
    })) as { logits: Output }
    const labels = outputs.logits.dims.at(-1)!
    for (const [at, row] of rows.entries()) {
      const { atoms, firstToken } = encoded[row]!
      const scored = atoms.flatMap((atom, index) => {
        if (firstToken[index]! < 0) return []
        const offset = (at * width + firstToken[index]!) * labels
        const { index: label, score } = likeliest(outputs.logits.data.subarray(offset, offset + labels))
        return [{ atom, label: this.config.id2label[label]!, score }]
      })
      found[row] = entitiesOf(scored, texts[row]!)
    }
  }

  private encode(text: string): Encoded {
    const newline = this.config.carrel?.newline_token
    const limit = (this.config.max_position_embeddings ?? 512) - 4
    const atoms = atomsOf(text, newline !== undefined)
    const typeOf = this.typesFor(atoms)
    const known = this.classes ? classesOf(atoms, this.classes) : []
    const ids = [...this.special.begin]
    const types = ids.map(() => typeOf(""))
    const firstToken: number[] = []
    for (const [index, atom] of atoms.entries()) {
      const parts = this.idsOf(atom.text === "\n" ? newline! : atom.text, atom.spaced)
      if (ids.length + parts.length > limit) {
        firstToken.push(-1)
        continue
      }
      firstToken.push(parts.length > 0 ? ids.length : -1)
      ids.push(...parts)
      const type = typeOf(atom.text, known[index])
      for (const _ of parts) types.push(type)
    }
    ids.push(...this.special.end)
    for (const _ of this.special.end) types.push(typeOf(""))
    return { ids, types, atoms, firstToken, known }
  }

  /** What our own models are told of a word beside its letters: its case, and its class where they have a list. */
  private typesFor(atoms: Atom[]): (word: string, known?: number) => number {
    const { classes } = this
    if (!this.config.carrel?.case_in_token_types) return () => 0
    if (!classes) return word => caseOf(word)
    const capitals = atoms.some(({ text }) => [1, 2, 3].includes(caseOf(text)))
    return (word, known = 0) => {
      const spelt = caseOf(word)
      return (spelt === 0 && !capitals ? SMALL_THROUGHOUT : spelt) + CASES * known
    }
  }

  /** Tokenizers that mark spaces inside their tokens must be told whether one stood before the atom. */
  private idsOf(atom: string, spaced: boolean): number[] {
    const written = spaced ? ` ${atom}` : atom
    const known = this.idsOfAtom.get(written)
    if (known) return known
    const ids = this.tokenizer.encode(written, { add_special_tokens: false })
    if (this.idsOfAtom.size > 20_000) this.idsOfAtom.clear()
    this.idsOfAtom.set(written, ids)
    return ids
  }

  private specialTokens(): { begin: number[]; end: number[] } {
    const bare = this.tokenizer.encode("a", { add_special_tokens: false })
    const dressed = this.tokenizer.encode("a", { add_special_tokens: true })
    const at = dressed.indexOf(bare[0]!)
    return at < 0 ? { begin: [], end: [] } : { begin: dressed.slice(0, at), end: dressed.slice(at + bare.length) }
  }
}
