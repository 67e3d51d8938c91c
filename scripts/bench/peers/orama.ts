/** Orama with its English stemmer and stop words, and its hybrid mode, which weighs words and meaning alike. */
import { load } from "./install.ts"
import { DEPTH, type Passages, type Peer, queryVector } from "./peer.ts"

interface Orama {
  create(options: { schema: Record<string, string>; components: object }): object
  insertMultiple(index: object, rows: object[]): Promise<string[]>
  search(index: object, query: object): Promise<{ hits: { id: string }[] }>
}

export async function openOrama({ texts }: Passages): Promise<Peer> {
  const rows = texts.map((text, id) => ({ id: `${id}`, text }))
  const search = await fill({ text: "string" }, rows)
  return {
    search: term => search({ term, limit: DEPTH }),
    close: async () => {},
  }
}

/** From a similarity of 0 on: its default, .8, leaves out nearly every passage that only means the same. */
export async function openOramaHybrid(passages: Passages): Promise<Peer> {
  const { texts, vectors, embedder } = passages
  const rows = texts.map((text, id) => ({ id: `${id}`, text, embedding: Array.from(vectors[id]!) }))
  const search = await fill({ text: "string", embedding: `vector[${embedder.dimensions}]` }, rows)
  return {
    async search(term) {
      const vector = { value: Array.from(await queryVector(term, passages)), property: "embedding" }
      return search({ mode: "hybrid", term, vector, similarity: 0, limit: DEPTH })
    },
    close: async () => {},
  }
}

async function fill(schema: Record<string, string>, rows: object[]): Promise<(query: object) => Promise<number[]>> {
  const { create, insertMultiple, search } = await load<Orama>("@orama/orama")
  const { stemmer, language } = await load<{ stemmer: unknown; language: string }>("@orama/stemmers/english")
  const { stopwords } = await load<{ stopwords: string[] }>("@orama/stopwords/english")
  const tokenizer = { language, stemming: true, stemmer, stopWords: stopwords }
  const index = create({ schema, components: { tokenizer } })
  await insertMultiple(index, rows)
  return async query => {
    const { hits } = await search(index, query)
    return hits.map(({ id }) => Number(id))
  }
}
