/** What writing does while the engine is away, refuses, or lost what it held. */
import { afterAll, afterEach, expect, setDefaultTimeout, test } from "bun:test"
import { EngineError } from "../../../src/errors.ts"
import { setLogLevel } from "../../../src/log.ts"
import { writeBulk } from "../../../src/search/opensearch/bulk.ts"
import { askOpenSearch } from "../../../src/search/opensearch/check.ts"
import { OpenSearchClient } from "../../../src/search/opensearch/client.ts"
import { wordsIndex } from "../../../src/search/opensearch/layout.ts"
import { StoreWatch } from "../../../src/storage/store-watch.ts"
import { SmallFiles } from "../../ingest/small-files.ts"
import { openSearch } from "../../support/engines.ts"
import { rejection } from "../../support/rejection.ts"
import { until } from "../../support/until.ts"
import { inMemory, lines, TestLibrary } from "../library.ts"
import { Between } from "./between.ts"
import { addressOf, storeAt } from "./store.ts"

setLogLevel("error")
setDefaultTimeout(90_000)

const engine = await openSearch()
const TEXT = "The heron wades.\nThe otter swims."

if (engine) {
  const address = addressOf(engine)
  const client = new OpenSearchClient(address)
  const opened: { close(): Promise<unknown> }[] = []
  const close = <Closed extends { close(): Promise<unknown> }>(it: Closed): Closed => {
    opened.unshift(it)
    return it
  }
  let libraries = 0
  const newBetween = () => close(new Between({ ...address, prefix: `${address.prefix}-${++libraries}` }))
  const open = async (between: Between, options: Parameters<typeof TestLibrary.open>[0] = {}) =>
    close(await TestLibrary.open({ store: storeAt(between.address), ...options }))
  const stage = async (library: TestLibrary, id: string, text: string) => {
    const generation = await library.register(id)
    const signal = AbortSignal.timeout(60_000)
    await library.index.stage({ id, workspaceId: "ws_a" }, generation, inMemory(text, lines(text)), () => {}, signal)
    await library.publish(id, generation)
  }
  const indexOf = ({ address: { prefix } }: Between) => wordsIndex(prefix)
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close()
  })
  afterAll(async () => {
    const found = await client.ask<object>("GET", `${address.prefix}*`).catch(() => ({}))
    for (const name of Object.keys(found)) await client.ask("DELETE", name)
  })

  for (const point of ["chunks written", "words indexed", "vectors written"])
    test(`an engine that goes away at "${point}" is told of, nothing is shown, and all is well when it is back`, async () => {
      const between = newBetween()
      let cutting = false
      let cut: Promise<void> | undefined
      const library = await open(between, {
        reached: reached => {
          if (cutting && reached === point) cut ??= between.cut()
        },
      })
      await stage(library, "file_before", "The badger digs.")
      cutting = true
      expect(await rejection(stage(library, "file_a", TEXT))).toBeInstanceOf(EngineError)
      await cut
      cutting = false
      expect(await rejection(library.texts("badger"))).toBeInstanceOf(EngineError)
      await library.index.sweep() // fails, and is done when it can be
      between.mend()
      expect(await library.texts("badger heron otter", { mode: "keyword" })).toEqual(["The badger digs."])
      await stage(library, "file_a", TEXT)
      await library.index.sweep()
      expect(await library.texts("heron", { mode: "keyword" })).toEqual(["The heron wades."])
      expect(await library.index.check()).toEqual({ problems: [] })
    })

  test("files wait for the engine with no attempt counted, and are indexed when it is back", async () => {
    const between = newBetween()
    let blamed = 0
    const stores = new StoreWatch({
      database: async () => {},
      blobs: async () => {},
      search: signal => askOpenSearch(between.address, signal),
    })
    const files = close(
      await SmallFiles.open({ store: storeAt(between.address) }, () => ({
        async isStoresFault(error) {
          const isFault = await stores.isToBlame(error)
          if (isFault) blamed++
          return isFault
        },
      })),
    )
    await between.cut()
    await files.put({ file_a: TEXT, file_b: "The badger digs.".padEnd(70_000) })
    files.start()
    await until(() => blamed >= 2)
    await until(async () => {
      const jobs = await files.library.db.selectFrom("jobs").select(["attempts", "lease_token"]).execute()
      return jobs.length === 2 && jobs.every(({ attempts, lease_token }) => attempts === 0 && lease_token === null)
    })
    between.mend()
    await files.settled()
    expect([await files.status("file_a"), await files.status("file_b")]).toEqual(["searchable", "searchable"])
    expect(await files.find("badger")).toHaveLength(1)
    stores.close()
  })

  test("an engine with too much to do is asked again for what it had no room for", async () => {
    const between = newBetween()
    const library = await open(between)
    let refusals = 0
    between.instead = async (request, path) => {
      if (!path.endsWith("-words/_bulk") || refusals >= 3) return undefined
      if (refusals++ === 0) return new Response("too busy", { status: 429 })
      const documents = (await request.text()).trim().split("\n").length / 2
      const busy = { status: 429, error: { type: "opensearch_rejected_execution_exception", reason: "queue" } }
      return Response.json({ errors: true, items: Array.from({ length: documents }, () => ({ index: busy })) })
    }
    await stage(library, "file_a", TEXT)
    expect(refusals).toBe(3)
    expect(await library.texts("heron", { mode: "keyword" })).toEqual(["The heron wades."])
    expect(await library.index.check()).toEqual({ problems: [] })
  })

  test("one that stays too busy is an engine's trouble, so that the job waits", async () => {
    const between = newBetween()
    between.instead = () => new Response("too busy", { status: 429 })
    const documents = [{ id: "1", routing: "ws_a", document: { w: "ws_a" } }]
    const busy = writeBulk(new OpenSearchClient(between.address), indexOf(between), documents, 500)
    expect(await rejection(busy)).toBeInstanceOf(EngineError)
  })

  test("a passage that the engine refuses fails the write, by its number and reason, as nobody's outage", async () => {
    const between = newBetween()
    await open(between)
    const write = (document: object) => writeBulk(client, indexOf(between), [{ id: "7", routing: "ws_a", document }])
    const error = await rejection(write({ w: "ws_a", unknown_field: 1 }))
    expect(error).not.toBeInstanceOf(EngineError)
    expect(error.message).toContain("passage 7")
    expect(error.message).toContain("unknown_field")
  })

  test("what the engine lost is made again: some passages, and a whole index", async () => {
    const between = newBetween()
    // Does not lead, or what is lost might be made again before it is looked at.
    const members = { node: "node_a", isLeader: () => false, living: async () => new Set(["node_a"]) }
    const first = await open(between, { members })
    await stage(first, "file_a", TEXT)
    await stage(first, "file_b", "The badger digs.")
    const lost = { query: { match: { t: "otter" } } }
    await client.ask("POST", `${between.address.prefix}-*/_delete_by_query?refresh=true`, { body: lost })
    // Of a generation that lacks any passage all are written anew: the engine tells how many it has.
    expect((await first.index.check()).problems).toEqual([
      "2 passages are missing in the keyword index",
      "2 passages have no vector",
    ])
    await first.index.stop()
    const second = await open(between, { directory: first.directory })
    await second.whole()
    expect(await second.texts("otter", { mode: "keyword" })).toEqual(["The otter swims."])
    for (const name of Object.keys(await client.ask<object>("GET", `${between.address.prefix}-*`)))
      await client.ask("DELETE", name)
    await second.index.stop()
    const third = await open(between, { directory: first.directory })
    await third.whole()
    expect(await third.texts("otter", { mode: "keyword" })).toEqual(["The otter swims."])
    expect((await third.texts("the badger digs", { mode: "semantic" }))[0]).toBe("The badger digs.")
  })

  test("a node that starts before the engine has its words when the engine is there", async () => {
    const between = newBetween()
    await between.cut()
    const library = await open(between)
    expect(await rejection(stage(library, "file_a", TEXT))).toBeInstanceOf(EngineError)
    between.mend()
    await stage(library, "file_a", TEXT)
    expect(await library.texts("heron", { mode: "keyword" })).toEqual(["The heron wades."])
  })

  test("what was removed leaves the engine's segments once its copies have heard of it", async () => {
    const between = newBetween()
    const library = await open(between)
    await stage(library, "file_a", TEXT)
    await stage(library, "file_b", "The badger digs.")
    await library.remove("file_a")
    interface Stats {
      _all: { primaries: { docs: { count: number; deleted: number } } }
    }
    const docs = async () => {
      const path = `${between.address.prefix}-*/_stats/docs`
      return (await client.ask<Stats>("GET", path))._all.primaries.docs
    }
    await until(
      async () => {
        await library.index.erase()
        return (await docs()).deleted === 0
      },
      { everyMs: 3_000, within: 80_000 },
    )
    expect((await docs()).count).toBe(2) // words and vector of the one that is left
  })
}
