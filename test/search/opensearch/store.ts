/** The store of several machines over the engine of a test; also for programs that no test runs. */
import { readFileSync } from "node:fs"
import type { OpenSearchAddress } from "../../../src/search/opensearch/client.ts"
import { openSearchAt } from "../../../src/search/opensearch/opensearch-store.ts"
import type { Engine } from "./engine.ts"

/** What a node is told of the engine. */
export function addressOf({ url, caFile, prefix }: Engine): OpenSearchAddress {
  const { origin, username, password } = new URL(url)
  const credentials = { user: decodeURIComponent(username), password: decodeURIComponent(password) }
  return { url: origin, prefix, credentials, ca: readFileSync(caFile, "utf8") }
}

export const storeAt = (address: OpenSearchAddress) => openSearchAt({ address, cluster: "clus_test", shards: 1 })
