import { afterAll, describe, expect, test } from "bun:test"
import { engineTrouble, OperatorError } from "../../../src/errors.ts"
import { OpenSearchClient } from "../../../src/search/opensearch/client.ts"
import { Indexes, isMissing } from "../../../src/search/opensearch/indexes.ts"
import { openSearchAt } from "../../../src/search/opensearch/opensearch-store.ts"
import type { StoreParts } from "../../../src/search/passage-store.ts"
import { openSearch } from "../../support/engines.ts"
import { rejection } from "../../support/rejection.ts"
import { addressOf } from "./store.ts"

const engine = await openSearch()

if (engine)
  describe("the indexes of a cluster", () => {
    const client = new OpenSearchClient(addressOf(engine))
    const node = (cluster = "clus_1") => new Indexes({ client, cluster, shards: 1 })
    afterAll(async () => {
      await node().drop(node().words)
      await node().drop(node().vectors("vectors_1"))
    })

    test("several nodes that begin at once make the indexes once", async () => {
      const nodes = Array.from({ length: 5 }, () => node())
      await Promise.all(nodes.flatMap(each => [each.prepare(), each.haveVectors("vectors_1", 8)]))
      const found = await client.ask<object>("GET", `${engine.prefix}-*`)
      expect(Object.keys(found).sort()).toEqual([`${engine.prefix}-vectors_1-1`, `${engine.prefix}-words-1`])
    })

    test("the prefix of another installation is refused", async () => {
      const error = await node("clus_2")
        .prepare()
        .catch(error => error)
      expect(error).toBeInstanceOf(OperatorError)
      expect(error.message).toContain(engine.prefix)
    })

    test("an engine that did not answer at the start is used once its place proves to be the cluster's", async () => {
      const address = { ...addressOf(engine), prefix: `${engine.prefix}late` }
      const parts = { db: undefined, models: undefined, reached: () => {} } as unknown as StoreParts
      const open = (later?: { mayBeNew: boolean }) =>
        openSearchAt({ address, cluster: "clus_1", shards: 1, later })(parts)
      const node = open({ mayBeNew: false })
      expect(await rejection(node.start(() => {}))).toBeInstanceOf(OperatorError)
      expect(engineTrouble(await rejection(node.load("fast")))).toBe("search")
      const late = new OpenSearchClient(address)
      expect(isMissing(await rejection(late.ask("GET", `${address.prefix}-words`)))).toBe(true)
      await open().load("fast")
      await node.load("fast")
      await late.ask("DELETE", `${address.prefix}-words-1`)
    })

    test("what is written to an index that was dropped is refused, and makes none", async () => {
      const indexes = node()
      const name = indexes.vectors("vectors_2")
      await indexes.haveVectors("vectors_2", 8)
      await indexes.drop(name)
      await indexes.drop(name)
      const body = [{ index: { _id: "1", routing: "w" } }, { w: "w" }]
      const answer = await client
        .ask<object>("POST", `${name}/_bulk?require_alias=true`, { body })
        .catch(error => error)
      expect(JSON.stringify(answer)).toContain("index_not_found_exception")
      expect(isMissing(await client.ask("GET", `${name}/_mapping`).catch(error => error))).toBe(true)
    })
  })
