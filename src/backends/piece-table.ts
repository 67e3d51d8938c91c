/** Rows of an embedding model's table of pieces, read from its file one by one: a text needs few of the many. */
import { closeSync, openSync, readFileSync, readSync } from "node:fs"
import { Lru } from "../threads/lru.ts"
import { type OnnxConstant, readOnnxConstants } from "./onnx-constants.ts"

/** What `scripts/train/encoder/graph.py` calls the constants: half a byte a value, a scale for every 32 of them. */
const TABLE = { name: "table", type: 2 } as const
const SCALES = { name: "table_scales", type: 10 } as const
const BLOCK = 32
const MIDDLE = 8
/** Rows in memory, 1.5 KB each of 384 dimensions: the frequent pieces of a language or two. */
const REMEMBERED = 4096

export class PieceTable implements Disposable {
  private readonly remembered = new Lru<number, Float32Array>({ entries: REMEMBERED })
  private readonly pair: Uint8Array
  private readonly scaleBytes: Uint8Array

  private constructor(
    private readonly file: number,
    private readonly tableAt: number,
    private readonly scalesAt: number,
    readonly dimensions: number,
  ) {
    this.pair = new Uint8Array(dimensions / 2)
    this.scaleBytes = new Uint8Array((dimensions / BLOCK) * 2)
  }

  /** @throws Error where the file is not as `graph.py` writes it */
  static open(path: string, dimensions: number): PieceTable {
    const bytes = readFileSync(path)
    const constants = readOnnxConstants(bytes)
    const [table, scales] = [TABLE, SCALES].map(({ name, type }) => {
      const found = constants.get(name)
      if (found?.type !== type) throw new Error(`the graph has no constant "${name}" of type ${type}`)
      return found
    })
    if (table!.shape.at(-1) !== dimensions / 2 || scales!.shape.at(-1) !== dimensions / BLOCK)
      throw new Error(`the table does not have ${dimensions} dimensions`)
    const at = (part: OnnxConstant) => part.bytes.byteOffset - bytes.byteOffset
    return new PieceTable(openSync(path, "r"), at(table!), at(scales!), dimensions)
  }

  row(id: number): Float32Array {
    return this.remembered.get(id) ?? this.remembered.set(id, this.read(id))
  }

  [Symbol.dispose](): void {
    closeSync(this.file)
  }

  private read(id: number): Float32Array {
    const { pair, scaleBytes } = this
    readSync(this.file, pair, 0, pair.length, this.tableAt + id * pair.length)
    readSync(this.file, scaleBytes, 0, scaleBytes.length, this.scalesAt + id * scaleBytes.length)
    const scales = new DataView(scaleBytes.buffer)
    const row = new Float32Array(this.dimensions)
    for (let at = 0; at < row.length; at++) {
      const byte = pair[at >> 1]!
      const level = (at & 1 ? byte >> 4 : byte & 15) - MIDDLE
      row[at] = level * scales.getFloat16(Math.floor(at / BLOCK) * 2, true)
    }
    return row
  }
}
