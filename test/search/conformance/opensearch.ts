/** Libraries whose words and vectors lie in the OpenSearch of a test. */
import { afterAll } from "bun:test"
import { type OpenSearchAddress, OpenSearchClient } from "../../../src/search/opensearch/client.ts"
import { TestLibrary } from "../library.ts"
import type { Engine } from "../opensearch/engine.ts"
import { addressOf, storeAt } from "../opensearch/store.ts"
import type { OpenLibrary } from "./passage-store.ts"

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
