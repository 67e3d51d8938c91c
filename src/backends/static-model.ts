/**
 * A static embedding model: one vector per piece, and a text's vector is their sum. Run here and not by onnxruntime: adding rows
 * up is less work than carrying them there.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { EmbeddingFolder } from "./embedding-folder.ts"
import { readOnnxConstants } from "./onnx-constants.ts"
import { toUnitLength } from "./pooling.ts"
import { Unigram, type UnigramFile } from "./unigram.ts"

/** What `scripts/train/static/folder.py` calls the constants of its graph, and their element types. */
const TABLE = { name: "table", type: 2 } as const
const SCALE = { name: "scale", type: 1 } as const
/** Two values of a row share a byte: dimension d in the low half of byte d, dimension d + width / 2 in the high one. */
const MIDDLE = 8

export class StaticModel {
  private constructor(
    private readonly tokenizer: Unigram,
    private readonly table: Uint8Array,
    private readonly scale: Float32Array,
    private readonly dimensions: number,
    private readonly maxTokens: number,
  ) {}

  /** @throws Error where the folder is not as `folder.py` writes it */
  static open({ directory, subfolder, dimensions, maxTokens }: EmbeddingFolder): StaticModel {
    const file = JSON.parse(readFileSync(join(directory, "tokenizer.json"), "utf8")) as UnigramFile
    const constants = readOnnxConstants(readFileSync(join(directory, subfolder, "model_quantized.onnx")))
    const [table, scale] = [TABLE, SCALE].map(({ name, type }) => {
      const found = constants.get(name)
      if (found?.type !== type) throw new Error(`the graph has no constant "${name}" of type ${type}`)
      return found
    })
    const rows = file.model.vocab.length
    if (table!.bytes.length !== (rows * dimensions) / 2 || scale!.bytes.length !== rows * 4)
      throw new Error(`the table does not have ${rows} rows of ${dimensions} dimensions`)
    return new StaticModel(
      new Unigram(file),
      table!.bytes,
      new Float32Array(new Uint8Array(scale!.bytes).buffer),
      dimensions,
      maxTokens,
    )
  }

  /** Unit vectors, row-major `[texts, dimensions]`; zero for a text without a piece that the model knows. */
  embed(texts: string[]): Float32Array {
    const vectors = new Float32Array(texts.length * this.dimensions)
    for (const [at, text] of texts.entries()) {
      const row = vectors.subarray(at * this.dimensions, (at + 1) * this.dimensions)
      // Two places are for the special tokens that transformers.js puts around a text.
      for (const id of this.tokenizer.encode(text).slice(0, this.maxTokens - 2)) this.add(row, id)
      // The rows of what has no meaning are zero, and zero a text of such stays: it is near nothing.
      if (row.some(value => value !== 0)) toUnitLength(row, this.dimensions)
    }
    return vectors
  }

  private add(row: Float32Array, id: number): void {
    const half = this.dimensions / 2
    const scale = this.scale[id]!
    const start = id * half
    for (let at = 0; at < half; at++) {
      const pair = this.table[start + at]!
      row[at]! += scale * ((pair & 15) - MIDDLE)
      row[at + half]! += scale * ((pair >> 4) - MIDDLE)
    }
  }
}
