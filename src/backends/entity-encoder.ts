/**
 * A token classifier on the lower layers of an encoder: it finds names in scripts other than Latin, and is asked about what
 * the smaller model finds in Latin letters. It brings layers alone: the vectors of its pieces are rows of the embedding
 * model that lies beside it.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { AutoModelForTokenClassification } from "@huggingface/transformers"
import type { ModelEntity } from "./backend.ts"
import { entitiesOf } from "./entity-labels.ts"
import { type PieceAtom, pieceAtomsOf } from "./entity-pieces.ts"
import { likeliest } from "./likeliest.ts"
import type { Library } from "./model-side.ts"
import { PieceTable } from "./piece-table.ts"
import { Unigram, type UnigramFile } from "./unigram.ts"

export interface EntityEncoderPlace {
  /** Model folder: config.json, onnx/model_quantized.onnx. */
  directory: string
  /** Folder of the embedding model whose pieces it reads: tokenizer.json, onnx/model_quantized.onnx. */
  pieces: string
}

interface EncoderConfig {
  hidden_size: number
  id2label: Record<string, string>
}

type Model = Awaited<ReturnType<typeof AutoModelForTokenClassification.from_pretrained>>

/** Of one run; most windows have 20 to 100. */
const MAX_TOKENS = 250
/** Atoms that two parts of a longer text share, on either side of where one ends for the other. */
const OVERLAP = 16

interface LabeledLogits {
  atom: PieceAtom
  logits: Float32Array
}

/** `Анна-Мария` is one name, and so is `Дар’я`. */
function wholeNames(finds: ModelEntity[], text: string): ModelEntity[] {
  const whole: ModelEntity[] = []
  for (const find of finds) {
    const last = whole.at(-1)
    const isJoined =
      last?.kind === "NAME" && find.kind === "NAME" && /^[-‐’'׳״]$/.test(text.slice(last.end, find.start))
    if (isJoined) last.end = find.end
    else whole.push({ ...find })
  }
  for (const find of whole)
    if (find.kind === "NAME") find.end += /^(?:[’'][\p{Script=Cyrillic}]+)*/u.exec(text.slice(find.end))![0].length
  return whole
}

/** What the encoder makes of one text. */
export class Reading {
  constructor(
    private readonly text: string,
    private readonly atoms: LabeledLogits[],
    private readonly labels: Record<string, string>,
  ) {}

  finds(): ModelEntity[] {
    const labeled = this.atoms.map(({ atom, logits }) => {
      const { index, score } = likeliest(logits)
      return { atom, label: this.labels[index]!, score }
    })
    return wholeNames(entitiesOf(labeled, this.text), this.text)
  }

  /** How surely these words are parts of a name or an address, 0..1. */
  support({ start, end }: { start: number; end: number }): number {
    const inside = this.atoms.filter(({ atom }) => atom.start < end && start < atom.end)
    if (inside.length === 0) return 0
    return inside.reduce((sum, { logits }) => sum + this.insideShare(logits), 0) / inside.length
  }

  /** The share of the softmax that is not `O`. */
  private insideShare(logits: Float32Array): number {
    let outside = 0
    let all = 0
    for (const [index, logit] of logits.entries()) {
      const part = Math.exp(logit)
      all += part
      if (this.labels[index] === "O") outside += part
    }
    return 1 - outside / all
  }
}

export class EntityEncoder {
  private constructor(
    private readonly library: Library,
    private readonly model: Model,
    private readonly unigram: Unigram,
    private readonly table: PieceTable,
    private readonly labels: Record<string, string>,
  ) {}

  static async open({ directory, pieces }: EntityEncoderPlace, library: Library): Promise<EntityEncoder> {
    const model = await library.AutoModelForTokenClassification.from_pretrained(directory, {
      local_files_only: true,
      dtype: "q8",
      device: "cpu",
      session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 },
    })
    const config = model.config as unknown as EncoderConfig
    const file = JSON.parse(readFileSync(join(pieces, "tokenizer.json"), "utf8")) as UnigramFile
    const table = PieceTable.open(join(pieces, "onnx", "model_quantized.onnx"), config.hidden_size)
    return new EntityEncoder(library, model, new Unigram(file), table, config.id2label)
  }

  /**
   * One text a run: states are brought to 8 bits by their largest, so a text would depend on those beside it. A text of more tokens
   * than a run takes is read in parts that overlap.
   */
  async read(text: string): Promise<Reading> {
    const atoms = pieceAtomsOf(text, this.unigram, this.unigram.around.after[0]!)
    const read: LabeledLogits[] = []
    while (read.length < atoms.length) {
      const begin = Math.max(0, read.length - OVERLAP)
      const part = await this.readPart(atoms.slice(begin))
      const isLast = begin + part.length === atoms.length
      // What stands at the end of a part is read again with what follows it.
      read.push(
        ...part.slice(
          read.length - begin,
          isLast ? part.length : Math.max(read.length - begin + 1, part.length - OVERLAP),
        ),
      )
    }
    return new Reading(text, read, this.labels)
  }

  /** As many of the atoms as one run takes, at least one. */
  private async readPart(atoms: PieceAtom[]): Promise<LabeledLogits[]> {
    const { before, after } = this.unigram.around
    const ids = [...before]
    const firsts: number[] = []
    for (const atom of atoms) {
      if (firsts.length > 0 && ids.length + atom.ids.length + after.length > MAX_TOKENS) break
      firsts.push(ids.length)
      ids.push(...atom.ids.slice(0, MAX_TOKENS - before.length - after.length))
    }
    const logits = await this.logitsOf([...ids, ...after])
    const count = Object.keys(this.labels).length
    return firsts.map((first, at) => ({
      atom: atoms[at]!,
      logits: logits.subarray(first * count, (first + 1) * count),
    }))
  }

  /** Row-major `[tokens, labels]`. */
  private async logitsOf(ids: number[]): Promise<Float32Array> {
    const { dimensions } = this.table
    const rows = new Float32Array(ids.length * dimensions)
    for (const [at, id] of ids.entries()) rows.set(this.table.row(id), at * dimensions)
    const { logits } = (await this.model({
      inputs_embeds: new this.library.Tensor("float32", rows, [1, ids.length, dimensions]),
    })) as { logits: { data: Float32Array } }
    return logits.data
  }
}
