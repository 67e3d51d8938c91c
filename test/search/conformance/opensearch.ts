/** Libraries whose words and vectors lie in the OpenSearch of a test. */
import { afterAll } from "bun:test"
import { readFileSync } from "node:fs"
import { type OpenSearchAddress, OpenSearchClient } from "../../../src/search/opensearch/client.ts"
import { openSearchAt } from "../../../src/search/opensearch/opensearch-store.ts"
import type { openSearch } from "../../support/engines.ts"
import { TestLibrary } from "../library.ts"
import type { OpenLibrary } from "./passage-store.ts"

export type Engine = NonNullable<Awaited<ReturnType<typeof openSearch>>>

/** What a node is told of the engine. */
export function addressOf({ url, caFile, prefix }: Engine): OpenSearchAddress {
  const { origin, username, password } = new URL(url)
  const credentials = { user: decodeURIComponent(username), password: decodeURIComponent(password) }
  return { url: origin, prefix, credentials, ca: readFileSync(caFile, "utf8") }
}

export const storeAt = (address: OpenSearchAddress) => openSearchAt({ address, cluster: "clus_test", shards: 1 })

/** Each with indexes of its own, and the same ones where it is opened again in its directory. To be called once a file. */
export function librariesIn(engine: Engine): OpenLibrary {
  const address = addressOf(engine)
  afterAll(() => removeIndexes(address))
  const prefixes = new Map<string, string>()
  let opened = 0
  return (options = {}) => {
    const next = `${engine.prefix}-${++opened}`
    const { directory } = options
    const prefix = directory === undefined ? next : (prefixes.get(directory) ?? next)
    if (directory !== undefined) prefixes.set(directory, prefix)
    return TestLibrary.open({ store: storeAt({ ...address, prefix }), ...options })
  }
}

/** An engine that was started for the file has ended by then. */
async function removeIndexes(address: OpenSearchAddress): Promise<void> {
  const client = new OpenSearchClient(address)
  const found = await client.ask<object>("GET", `${address.prefix}*`).catch(() => ({}))
  for (const name of Object.keys(found)) await client.ask("DELETE", name)
}
