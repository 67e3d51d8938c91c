import { describe, expect, test } from "bun:test"
import { asLanguages, languagesByName, languagesOfCard } from "../../src/backends/model-languages.ts"

describe("languages of an embedding model", () => {
  const cards: [string, string[] | null | undefined][] = [
    ["---\nlanguage: en\nlicense: mit\n---\n# Model", ["en"]],
    ["---\r\nlicense: mit\r\nlanguage:\r\n- en\r\n- 'de'\r\n- pt-br\r\ntags:\r\n- x\r\n---\r\n", ["en", "de", "pt-br"]],
    ['---\nlanguage: ["en", fr]\n---', ["en", "fr"]],
    ["---\nlanguage: multilingual\n---", null],
    ["---\nlanguage:\n- multilingual\n- en\n---", null],
    ["---\nlicense: mit\n---\nlanguage: en", undefined],
    ["# Model\nlanguage: en", undefined],
    ["---\nlanguage:", undefined],
    ["---\nlanguage: English and others\n---", undefined],
    ["", undefined],
  ]
  for (const [card, languages] of cards)
    test(`card ${JSON.stringify(card).slice(0, 50)}`, () => expect(languagesOfCard(card)).toEqual(languages))

  const names: [string, string[] | null][] = [
    ["all-minilm", ["en"]],
    ["all-MiniLM-L6-v2", ["en"]],
    ["nomic-embed-text:v1.5", ["en"]],
    ["nomic-embed-text-v2-moe", null],
    ["mxbai-embed-large", ["en"]],
    ["snowflake-arctic-embed:22m", ["en"]],
    ["snowflake-arctic-embed2", null],
    ["bge-small-en-v1.5", ["en"]],
    ["bge-base-zh", ["zh"]],
    ["bge-m3", null],
    ["bge-large", ["en"]],
    ["multilingual-e5-small", null],
    ["paraphrase-multilingual", null],
    ["jina/jina-embeddings-v2-base-de", ["de"]],
    ["embeddinggemma", null],
    ["qwen3-embedding", null],
    ["granite-embedding:278m", null],
    ["something-unheard-of", null],
  ]
  for (const [name, languages] of names) test(name, () => expect(languagesByName(name)).toEqual(languages))

  test("what a server tells is a list, or nothing", () => {
    expect(asLanguages(["en"])).toEqual(["en"])
    expect(asLanguages(["multilingual"])).toBeNull()
    for (const odd of [undefined, null, "en", [], [1, {}], {}]) expect(asLanguages(odd)).toBeUndefined()
  })
})
