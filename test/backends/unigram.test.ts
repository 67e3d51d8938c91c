import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openEmbedder } from "../../src/backends/embedder.ts"
import { readEmbeddingFolder } from "../../src/backends/embedding-folder.ts"
import { openTokenizer } from "../../src/backends/model-inputs.ts"
import { type Library, loadLibrary } from "../../src/backends/model-side.ts"
import { Unigram, type UnigramFile } from "../../src/backends/unigram.ts"
import { cosine } from "./embedder-conformance.ts"
import { TEXTS } from "./tokenizer-texts.ts"

const MODELS = join(import.meta.dir, "../../models")
const QUALITY = join(MODELS, "multilingual-e5-small")
const readFile = (directory: string): UnigramFile => JSON.parse(readFileSync(join(directory, "tokenizer.json"), "utf8"))

const nativeDirectory = mkdtempSync(join(tmpdir(), "carrel-unigram-"))
let library: Library
beforeAll(async () => {
  library = await loadLibrary(nativeDirectory)
})
afterAll(() => rmSync(nativeDirectory, { recursive: true, force: true }))

describe.each(["carrel-embed-multi-v1", "multilingual-e5-small"])("the tokenizer of %s", name => {
  test("finds the ids that transformers.js finds, in every script", async () => {
    const directory = join(MODELS, name)
    const theirs = await library.AutoTokenizer.from_pretrained(directory, { local_files_only: true })
    const ours = new Unigram(readFile(directory))
    const { before, after } = ours.around
    for (const text of TEXTS)
      expect({ text, ids: [...before, ...ours.encode(text), ...after] }).toEqual({ text, ids: theirs.encode(text) })
  }, 60_000)
})

describe("the inputs of the built-in quality model", () => {
  const folder = readEmbeddingFolder(QUALITY)

  test("are those of transformers.js, padded and cut alike", async () => {
    const theirs = await library.AutoTokenizer.from_pretrained(QUALITY, { local_files_only: true })
    const ours = await openTokenizer(library, folder)
    expect([...ours.silent].sort()).toEqual([...theirs.all_special_ids].sort())
    for (const texts of [TEXTS, TEXTS.slice(0, 3), [""], ["word ".repeat(510)], ["word ".repeat(511)]]) {
      const expected = theirs(texts, { padding: true, truncation: true, max_length: folder.maxTokens })
      const { input_ids, attention_mask } = ours.inputs(texts)
      expect(input_ids.dims).toEqual(expected.input_ids.dims)
      expect(input_ids.data).toEqual(expected.input_ids.data)
      expect(attention_mask.dims).toEqual(expected.attention_mask.dims)
      expect(attention_mask.data).toEqual(expected.attention_mask.data)
    }
  }, 60_000)

  test("lead to the vectors of transformers.js, prefix included", async () => {
    const where = { local_files_only: true, dtype: folder.dtype, subfolder: folder.subfolder, device: "cpu" } as const
    const tokenizer = await library.AutoTokenizer.from_pretrained(QUALITY, { local_files_only: true })
    const model = await library.AutoModel.from_pretrained(QUALITY, where)
    const embedder = await openEmbedder({ name: folder.name, directories: [MODELS], nativeDirectory })
    const texts = TEXTS.filter(text => text.length < 1000)
    const vectors = await embedder.embed(texts, "passage")
    await embedder.close()
    for (const [at, text] of texts.entries()) {
      const { sentence_embedding } = await model(tokenizer([folder.prefix.passage + text]))
      const isSame = cosine(vectors[at]!, sentence_embedding.data as Float32Array) > 0.99999
      expect({ text, isSame }).toEqual({ text, isSame: true })
    }
  }, 60_000)
})

describe("a tokenizer file of another kind", () => {
  const file = readFile(QUALITY)
  const [split, metaspace] = file.pre_tokenizer!.pretokenizers!
  const others: Record<string, Partial<UnigramFile>> = {
    "another normalizer": { normalizer: { type: "NFC" } },
    "no normalizer": { normalizer: null },
    "no leading mark on later words": {
      pre_tokenizer: { type: "Sequence", pretokenizers: [split!, { ...metaspace!, prepend_scheme: "first" }] },
    },
    "another model": { model: { ...file.model, type: "BPE" } },
    "another template": { post_processor: { type: "RobertaProcessing" } },
    "special tokens found after normalizing": {
      added_tokens: file.added_tokens.map(token => ({ ...token, normalized: true })),
    },
  }
  test.each(Object.entries(others))("is not read: %s", (_name, change) => {
    expect(Unigram.reads({ ...file, ...change })).toBe(false)
    expect(() => new Unigram({ ...file, ...change })).toThrow("another kind")
  })
})
