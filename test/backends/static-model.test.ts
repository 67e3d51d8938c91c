import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readEmbeddingFolder } from "../../src/backends/embedding-folder.ts"
import { type Library, loadLibrary } from "../../src/backends/model-side.ts"
import { readOnnxConstants } from "../../src/backends/onnx-constants.ts"
import { StaticModel } from "../../src/backends/static-model.ts"
import { cosine } from "./embedder-conformance.ts"
import { TEXTS } from "./tokenizer-texts.ts"

const DIRECTORY = join(import.meta.dir, "../../models/carrel-embed-multi-v1")
const nativeDirectory = mkdtempSync(join(tmpdir(), "carrel-static-"))
let library: Library
beforeAll(async () => {
  library = await loadLibrary(nativeDirectory)
})
afterAll(() => rmSync(nativeDirectory, { recursive: true, force: true }))

describe("a static model read without the library", () => {
  test("gives the vectors that transformers.js gives", async () => {
    const extract = await library.pipeline("feature-extraction", DIRECTORY, { local_files_only: true, dtype: "q8" })
    const model = StaticModel.open(readEmbeddingFolder(DIRECTORY))
    const texts = TEXTS.filter(text => text.trim())
    const [width, ours] = [256, model.embed(texts)]
    for (const [at, text] of texts.entries()) {
      const theirs = await extract(text, { pooling: "cls", normalize: true })
      const same = cosine(ours.subarray(at * width, (at + 1) * width), theirs.data as Float32Array)
      expect({ text, isSame: same > 0.9999 }).toEqual({ text, isSame: true })
    }
  }, 60_000)

  test("has no vector for a text of which it knows nothing", () => {
    const model = StaticModel.open(readEmbeddingFolder(DIRECTORY))
    expect(model.embed(["", " \n", "\u{378}"]).every(value => value === 0)).toBe(true)
  })

  test("refuses a file that ends early", () => {
    const file = readFileSync(join(DIRECTORY, "onnx/model_quantized.onnx"))
    expect(() => readOnnxConstants(file.subarray(0, 1_000_000))).toThrow("damaged")
  })
})
