/** The engine takes the documents of passages, and finds them by every field that a search asks for. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  documentId,
  NO_LANGUAGE_TAG,
  vectorDocument,
  vectorsIndex,
  vectorsIndexBody,
  wordsDocument,
  wordsIndex,
  wordsIndexBody,
} from "../../../src/search/opensearch/layout.ts"
import { termsOf } from "../../../src/search/text/analyze.ts"
import { NO_LANGUAGE } from "../../../src/search/text/language.ts"
import { openSearch } from "../../support/engines.ts"
import { ask } from "./engine.ts"

const engine = await openSearch()

describe.skipIf(!engine)("the engine", () => {
  const { prefix = "" } = engine ?? {}
  const [words, vectors] = [wordsIndex(prefix), vectorsIndex(prefix, "vectors_one")]
  const found = async (index: string, query: object) => {
    const { hits } = (await ask(engine!, "POST", `${index}/_search?routing=w1`, { query })) as {
      hits: { hits: { _id: string }[] }
    }
    return hits.hits.map(({ _id }) => _id).sort()
  }

  beforeAll(async () => {
    const size = { shards: 2, copies: 0 }
    await ask(engine!, "PUT", words, wordsIndexBody(size))
    await ask(engine!, "PUT", vectors, vectorsIndexBody(size, 2))
    const lines = ["the ferry leaves", "山中 4711"].flatMap((text, ordinal) => {
      const terms = termsOf(text, "english")
      const id = 5_000_000_000 + ordinal
      const language = NO_LANGUAGE
      const passage = { workspaceId: "w1", generation: 2 ** 31 + 3, id, ordinal, passages: 2, terms, language }
      const vector = Float32Array.of(0, ordinal)
      return [
        { index: { _index: words, _id: documentId(id), routing: "w1" } },
        wordsDocument(passage),
        { index: { _index: vectors, _id: documentId(id), routing: "w1" } },
        vectorDocument(passage, vector),
      ]
    })
    expect(await ask(engine!, "POST", "_bulk?refresh=true", lines)).toMatchObject({ errors: false })
  })

  afterAll(async () => {
    for (const index of [words, vectors]) await ask(engine!, "DELETE", index)
  })

  test.each([
    [{ term: { w: "w1" } }, ["5000000000", "5000000001"]],
    [{ term: { g: 2 ** 31 + 3 } }, ["5000000000", "5000000001"]],
    [{ term: { b: 3 } }, ["5000000000", "5000000001"]],
    [{ term: { l: NO_LANGUAGE_TAG } }, ["5000000000", "5000000001"]],
    [{ term: { i: 5_000_000_001 } }, ["5000000001"]],
    [{ term: { t: "ferri" } }, ["5000000000"]],
    [{ term: { c: "中" } }, ["5000000001"]],
  ])("finds passages by %j, in both indexes", async (query, ids) => {
    expect(await found(words, query)).toEqual(ids)
    expect(await found(vectors, query)).toEqual(ids)
  })

  test("tells passages of which the model knows nothing from others", async () => {
    expect(await found(vectors, { exists: { field: "v" } })).toEqual(["5000000001"])
  })
})
