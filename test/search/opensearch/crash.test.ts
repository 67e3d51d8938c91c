import { afterAll, expect, test } from "bun:test"
import { join } from "node:path"
import { OpenSearchClient } from "../../../src/search/opensearch/client.ts"
import { openSearch } from "../../support/engines.ts"
import { afterDeath } from "../../support/killed.ts"
import { TestLibrary } from "../library.ts"
import { addressOf, storeAt } from "./store.ts"

const engine = await openSearch()
const POINTS = ["chunks written", "words indexed", "vectors written", "staged", "vectors removed", "words removed"]

if (engine) {
  const address = addressOf(engine)
  Bun.env.CARREL_TEST_ADDRESS = JSON.stringify(address)
  afterAll(async () => {
    const client = new OpenSearchClient(address)
    const found = await client.ask<object>("GET", `${address.prefix}*`).catch(() => ({}))
    for (const name of Object.keys(found)) await client.ask("DELETE", name)
  })

  for (const point of POINTS)
    test(
      `a node killed at "${point}" leaves nothing that is shown, and nothing at all once its job was done again`,
      () =>
        afterDeath(join(import.meta.dir, "crash-child.ts"), point, 1, async (directory, exitCode) => {
          expect(exitCode).toBe(137)
          const prefix = `${address.prefix}-${Bun.hash(directory).toString(36)}`
          const library = await TestLibrary.open({ directory, store: storeAt({ ...address, prefix }) })
          const removing = point.endsWith("removed")
          const wanted = removing ? ["It waits for fish.", "The heron stands in the water."] : []
          for (const mode of ["keyword", "semantic"] as const) {
            const found = await library.texts("heron otter waits sleeps", { mode, limit: 100 })
            expect(found.sort()).toEqual(wanted)
          }
          await library.index.sweep()
          expect(await library.index.check()).toEqual({ problems: [] })
          await library.put("file_one", "The heron came back.")
          expect(await library.texts("heron", { mode: "keyword" })).toEqual(["The heron came back."])
          await library.index.sweep()
          expect((await library.index.stats()).passages).toBe(1)
          await library.close()
        }),
      90_000,
    )
}
