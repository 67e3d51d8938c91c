/** The entity encoder: how a text becomes pieces and rows, and what it finds. */
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EntityEncoder } from "../../src/backends/entity-encoder.ts"
import { pieceAtomsOf } from "../../src/backends/entity-pieces.ts"
import { loadLibrary } from "../../src/backends/model-side.ts"
import { PieceTable } from "../../src/backends/piece-table.ts"
import { Unigram } from "../../src/backends/unigram.ts"

setDefaultTimeout(120_000)

const models = new URL("../../models", import.meta.url).pathname
const pieces = join(models, "multilingual-e5-small")
const unigram = new Unigram(JSON.parse(readFileSync(join(pieces, "tokenizer.json"), "utf8")))
const scratch = mkdtempSync(join(tmpdir(), "carrel-encoder-"))
const library = await loadLibrary(scratch)
const encoder = await EntityEncoder.open({ directory: join(models, "carrel-entities-scripts-v2"), pieces }, library)
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

interface Written {
  samples: { text: string; atoms: [start: number, end: number, ids: number[]][] }[]
  /** The first values of some rows of the table, by id. */
  rows: Record<string, number[]>
}
/** Written by scripts/train/entities/encoder/pieces.py, which cuts text for the training and reads the weights as published. */
const { samples: SAMPLES, rows: ROWS }: Written = await Bun.file(
  new URL("../fixtures/entities/pieces.json", import.meta.url),
).json()

describe("pieces", () => {
  test.each(SAMPLES)("are those of the training: $text", ({ text, atoms }) => {
    const found = pieceAtomsOf(text, unigram, unigram.around.after[0]!)
    expect(found.map(({ start, end, ids }) => [start, end, ids])).toEqual(atoms)
  })

  test("every atom is what stands between its offsets", () => {
    for (const { text } of SAMPLES)
      for (const atom of pieceAtomsOf(text, unigram, 2)) expect(text.slice(atom.start, atom.end)).toBe(atom.text)
  })
})

describe("rows of the table", () => {
  const path = join(pieces, "onnx", "model_quantized.onnx")

  test("are those of the published weights", () => {
    using table = PieceTable.open(path, 384)
    for (const [id, published] of Object.entries(ROWS)) {
      const row = [...table.row(Number(id)).slice(0, published.length)]
      for (const [at, value] of row.entries()) expect(value).toBeCloseTo(published[at]!, 5)
    }
  })

  test("a file without such a table is refused by name", () => {
    const other = join(scratch, "other.onnx")
    writeFileSync(other, new Uint8Array())
    expect(() => PieceTable.open(other, 384)).toThrow('the graph has no constant "table" of type 2')
    expect(() => PieceTable.open(path, 256)).toThrow("the table does not have 256 dimensions")
  })
})

describe("finds", () => {
  const valuesIn = async (text: string) =>
    (await encoder.read(text)).finds().map(({ kind, start, end }) => [kind, text.slice(start, end)])

  test("a name that stands for the first time, in each script", async () => {
    expect(await valuesIn("طلب السيد شهريار الدهمشي تأجيل الاجتماع.")).toEqual([["NAME", "شهريار الدهمشي"]])
    expect(await valuesIn("את החוזה חתם נחשון אבקסיס אתמול.")).toEqual([["NAME", "נחשון אבקסיס"]])
    expect(await valuesIn("Договір підписав Остап Перебийніс.")).toEqual([["NAME", "Остап Перебийніс"]])
  })

  test("of a text that is longer than a run takes are those of all of it", async () => {
    const signed = "Договор подписал Андрей Васильев."
    const text = `${signed} ${"Стороны обсудили условия. ".repeat(200)}${signed}`
    const last = text.length - signed.length
    const found = (await encoder.read(text)).finds().map(({ start, end }) => [start, end])
    expect(found).toEqual([
      [17, 32],
      [last + 17, last + 32],
    ])
  })

  test("a name with a hyphen is one, and signs of vowels do not hide one", async () => {
    expect(await valuesIn("Анна-Мария Римская-Корсакова пришла.")).toEqual([["NAME", "Анна-Мария Римская-Корсакова"]])
    expect(await valuesIn("אמר דָּוִד כֹּהֵן אתמול")).toEqual([["NAME", "דָּוִד כֹּהֵן"]])
  })

  test("of nothing are none", async () => {
    for (const text of ["", " \n"]) expect((await encoder.read(text)).finds()).toEqual([])
  })
})

describe("support", () => {
  const supportOf = async (text: string, value: string) => {
    const start = text.indexOf(value)
    return (await encoder.read(text)).support({ start, end: start + value.length })
  }

  test("is high for a person and low for a thing", async () => {
    expect(await supportOf("The contract was signed by Maria Lindqvist.", "Maria Lindqvist")).toBeGreaterThan(0.9)
    expect(await supportOf("Preheat the oven to 180 degrees.", "Preheat")).toBeLessThan(0.1)
  })
})
