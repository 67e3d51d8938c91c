import type { Config } from "../config.ts"
import { openConfiguredEmbedder } from "../configured.ts"
import { embeddedIn } from "../search/embedded/embedded-store.ts"
import { SearchIndex } from "../search/index.ts"
import type { Models } from "./models.ts"
import type { Storage } from "./storage.ts"

export async function openSearch(
  config: Config,
  { database }: Storage,
  { embedder }: Models,
  stack: AsyncDisposableStack,
): Promise<SearchIndex> {
  const index = new SearchIndex({
    database,
    store: embeddedIn(config.data),
    embedder,
    embedderNamed: model => openConfiguredEmbedder(config, model).catch(() => undefined),
  })
  stack.defer(() => index.stop())
  await index.start()
  return index
}
