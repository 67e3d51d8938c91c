/** MiniSearch with its defaults: any of the words, ranked by BM25+. It has neither a stemmer nor stop words of its own. */
import { load } from "./install.ts"
import { DEPTH, type Passages, type Peer } from "./peer.ts"

interface MiniSearch {
  addAll(rows: { id: number; text: string }[]): void
  search(query: string): { id: number }[]
}

export async function openMiniSearch({ texts }: Passages): Promise<Peer> {
  const { default: Engine } = await load<{ default: new (options: { fields: string[] }) => MiniSearch }>("minisearch")
  const index = new Engine({ fields: ["text"] })
  index.addAll(texts.map((text, id) => ({ id, text })))
  return {
    search: async query => {
      const hits = index.search(query)
      return hits.slice(0, DEPTH).map(({ id }) => id)
    },
    close: async () => {},
  }
}
