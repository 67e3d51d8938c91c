import { afterAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { readEmbeddingFolder } from "../../src/backends/embedding-folder.ts"

const root = mkdtempSync(join(tmpdir(), "carrel-folders-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let made = 0
/** A folder named `name` with a minimal model, changed by `files`; null leaves a file out. */
function folder(name: string, files: Record<string, unknown> = {}): string {
  const directory = join(root, String(made++), name)
  const all = {
    "config.json": { model_type: "bert", hidden_size: 384, max_position_embeddings: 512 },
    "tokenizer.json": {},
    "tokenizer_config.json": {},
    "onnx/model.onnx": "weights",
    ...files,
  }
  for (const [path, content] of Object.entries(all)) {
    if (content === null) continue
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), typeof content === "string" ? content : JSON.stringify(content))
  }
  return directory
}

describe("reading a folder of an embedding model", () => {
  test("a bare folder is pooled by mean, without prefixes, at half weight", () => {
    expect(readEmbeddingFolder(folder("my-model"))).toMatchObject({
      name: "my-model",
      pooling: "mean",
      prefix: { query: "", passage: "" },
      dimensions: 384,
      maxTokens: 512,
      dtype: "fp32",
      subfolder: "onnx",
      fusionWeight: 0.5,
      batchTexts: null,
      languages: null,
      needsPooledGraph: false,
    })
  })

  test.each([
    ["multilingual-e5-small", "query: ", "passage: ", "mean"],
    ["multilingual-e5-large-instruct", "Instruct: Retrieve passages that answer the query\nQuery: ", "", "mean"],
    ["bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", "", "cls"],
    ["bge-m3", "", "", "cls"],
    ["nomic-embed-text-v1.5", "search_query: ", "search_document: ", "mean"],
    ["all-MiniLM-L6-v2", "", "", "mean"],
    ["some-e500-model", "", "", "mean"],
  ])("%s has the prefixes of its family", (name, query, passage, pooling) => {
    expect(readEmbeddingFolder(folder(name))).toMatchObject({ prefix: { query, passage }, pooling })
  })

  test("the folder's own prompts and pooling win over the family", () => {
    const directory = folder("bge-custom", {
      "config_sentence_transformers.json": { prompts: { query: "Q: ", document: "D: " } },
      "1_Pooling/config.json": { word_embedding_dimension: 384, pooling_mode_mean_tokens: true },
    })
    expect(readEmbeddingFolder(directory)).toMatchObject({ prefix: { query: "Q: ", passage: "D: " }, pooling: "mean" })
  })

  test("languages come from carrel.json, else the model card, else the name", () => {
    const card = (languages: string) => ({ "README.md": `---\nlanguage:\n${languages}---\n# A model` })
    const languagesOf = (name: string, files: Record<string, unknown>) =>
      readEmbeddingFolder(folder(name, files)).languages
    expect(languagesOf("own", { ...card("- de\n- fr\n"), "carrel.json": { languages: ["pl"] } })).toEqual(["pl"])
    expect(languagesOf("bge-small-en-v1.5", card("- de\n- fr\n"))).toEqual(["de", "fr"])
    expect(languagesOf("bge-small-en", card("- multilingual\n"))).toBeNull()
    expect(languagesOf("bge-small-en-v1.5", {})).toEqual(["en"])
    expect(languagesOf("nobody-knows", {})).toBeNull()
  })

  test("carrel.json has the last word", () => {
    const own = { fusionWeight: 0.7, languages: ["de", "fr"], queryPrefix: "frage: ", passagePrefix: "", batchTexts: 1 }
    expect(readEmbeddingFolder(folder("multilingual-e5-small", { "carrel.json": own }))).toMatchObject({
      fusionWeight: 0.7,
      batchTexts: 1,
      languages: ["de", "fr"],
      prefix: { query: "frage: ", passage: "" },
    })
  })

  test("the shortest stated window counts, absurd ones do not, RoBERTa loses two positions", () => {
    const short = {
      "sentence_bert_config.json": { max_seq_length: 256 },
      "tokenizer_config.json": { model_max_length: 1e30 },
    }
    expect(readEmbeddingFolder(folder("a", short)).maxTokens).toBe(256)
    const roberta = { "config.json": { model_type: "xlm-roberta", hidden_size: 4, max_position_embeddings: 514 } }
    expect(readEmbeddingFolder(folder("b", roberta)).maxTokens).toBe(512)
    expect(readEmbeddingFolder(folder("c", { "config.json": { hidden_size: 4 } })).maxTokens).toBe(512)
  })

  test("takes a quantized file only where full precision is missing, also beside config.json", () => {
    expect(readEmbeddingFolder(folder("a", { "onnx/model_quantized.onnx": "weights" })).dtype).toBe("fp32")
    const quantized = { "onnx/model.onnx": null, "onnx/model_quantized.onnx": "weights" }
    expect(readEmbeddingFolder(folder("b", quantized)).dtype).toBe("q8")
    const flat = { "onnx/model.onnx": null, "model_int8.onnx": "weights" }
    expect(readEmbeddingFolder(folder("c", flat))).toMatchObject({ dtype: "int8", subfolder: "" })
  })

  test.each([
    ["config.json", { "config.json": null }],
    ["tokenizer.json", { "tokenizer.json": null }],
    ["tokenizer_config.json", { "tokenizer_config.json": null }],
    ["onnx/model.onnx", { "onnx/model.onnx": null }],
    ["onnx/model.onnx", { "onnx/model.onnx": "" }],
    ["hidden_size", { "config.json": { model_type: "bert" } }],
  ])("says that %s is missing", (missing, files) => {
    expect(() => readEmbeddingFolder(folder("broken", files))).toThrow(missing)
  })

  test("says which file is damaged, and refuses a pooling that it cannot do", () => {
    expect(() => readEmbeddingFolder(folder("cut", { "config.json": "{" }))).toThrow("config.json is not valid JSON")
    const weighted = { "1_Pooling/config.json": { pooling_mode_weightedmean_tokens: true } }
    expect(() => readEmbeddingFolder(folder("odd", weighted))).toThrow("not supported")
  })

  test("notices a dense layer after pooling", () => {
    const modules = [{ type: "sentence_transformers.models.Dense" }]
    expect(readEmbeddingFolder(folder("dense", { "modules.json": modules })).needsPooledGraph).toBe(true)
  })
})
