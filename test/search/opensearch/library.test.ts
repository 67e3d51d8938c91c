/** What a search may see of a library in PostgreSQL is what it would see of the same library in SQLite. */

import { Database as Sqlite } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { seeded } from "../../../scripts/bench/random.ts"
import { type View, wholeOf } from "../../../src/access/view.ts"
import { type LibraryView, LiveRangesCache } from "../../../src/search/ids/live-ranges.ts"
import { ClusterLibrary, type ClusterView } from "../../../src/search/opensearch/cluster-library.ts"
import type { SearchFilters } from "../../../src/search/types.ts"
import type { Database } from "../../../src/storage/database.ts"
import { openPostgres } from "../../../src/storage/postgres/open.ts"
import { openSqlite } from "../../../src/storage/sqlite/open.ts"
import { postgres } from "../../support/engines.ts"

const url = await postgres()
const TIMEOUT_MS = 120_000
const WORKSPACES = ["w1", "w2"]

const FILTERS: (SearchFilters | undefined)[] = [
  undefined,
  {},
  { types: ["PDF", "md"] },
  { tags: ["blue", "ré'd\"\\"] },
  { context_id: "garden" },
  { context_id: "nul\0" },
  { created_after: "2026-03-01T01:00:00+01:00" },
  { created_before: "2026-03-01T00:00:00Z", types: ["txt"] },
  { metadata: { year: 2026 } },
  { metadata: { deep: { list: [1, "b"] } } },
  { file_ids: ["w1-1", "w1-3", "w1-3"] },
  { file_ids: ["w1-1", "nobody", "nothing"] },
  { file_ids: ["\ud800"] },
  { tags: ["none"], types: ["pdf"] },
  { filter: { type: "eq", key: "metadata.year", value: 2026 } },
  { filter: { type: "contains", key: "file.sha256", value: "1" }, types: ["txt"] },
  { filter: { type: "not", filters: [{ type: "eq", key: "file.tags", value: "ré'd\"\\" }] } },
]

const VIEWS: ((workspaceId: string) => View)[] = [
  wholeOf,
  id => ({ ...wholeOf(id), contexts: ["garden"] }),
  id => ({ ...wholeOf(id), contexts: [] }),
  id => ({ ...wholeOf(id), principals: ["group:red"] }),
  id => ({ ...wholeOf(id), principals: [], filters: [{ type: "eq", key: "file.type", value: "pdf" }] }),
  id => ({ ...wholeOf(id), filters: [{ type: "eq", key: "file.sha256", value: "w1-3" }] }),
]

describe.skipIf(!url)("a library in PostgreSQL", () => {
  const directory = mkdtempSync(join(tmpdir(), "cluster-library-"))
  let databases: Database[] = []
  let reader: Sqlite

  beforeAll(async () => {
    databases = [await openSqlite(directory), await openPostgres(url!)]
    reader = new Sqlite(join(directory, "carrel.db"), { readonly: true })
    for (const db of databases) await fill(db)
  }, TIMEOUT_MS)
  afterAll(async () => {
    reader?.close()
    for (const db of databases) await db.destroy()
    rmSync(directory, { recursive: true, force: true })
  })

  test(
    "is seen alike through every filter, remembered or not",
    async () => {
      const local = new LiveRangesCache(reader)
      for (const library of databases.map(db => new ClusterLibrary(db)))
        for (let time = 1; time <= 2; time++)
          for (const workspace of WORKSPACES)
            for (const view of VIEWS.map(viewOf => viewOf(workspace)))
              for (const filters of FILTERS)
                expect(shown(await library.find(view, filters))).toEqual(shown(local.find(view, filters)))
    },
    TIMEOUT_MS,
  )

  test("names what the engine may hold and nobody is to see, of the workspace and of files that are gone", async () => {
    for (const db of databases) {
      const { hidden } = (await new ClusterLibrary(db).find(wholeOf("w1"), undefined)) as ClusterView
      const unseen = await db.selectFrom("generations").select(["id", "file_id"]).where("state", "!=", "live").execute()
      const own = unseen.filter(({ file_id }) => !file_id.startsWith("w2-")).map(({ id }) => id)
      expect(own.length).toBeGreaterThan(3)
      expect(hidden!.sort((a, b) => a - b)).toEqual(own.sort((a, b) => a - b))
    }
  })

  test("names nothing hidden to who sees a part: what that one sees is named instead", async () => {
    for (const db of databases) {
      const view = { ...wholeOf("w1"), contexts: ["garden"] }
      const { workspace, hidden } = (await new ClusterLibrary(db).find(view, undefined)) as ClusterView
      expect([workspace.files > 0, hidden]).toEqual([true, undefined])
    }
  })

  test("shows members what everybody sees while no file has an acl, and hides one from the moment that it has", async () => {
    const member = { ...wholeOf("w3"), principals: ["user:ada"] }
    for (const db of databases) {
      const own = { workspace_id: "w3", id: "w3-0", acl: null, live_generation: 1, status: "searchable" as const }
      const some = await db.selectFrom("files").selectAll().limit(1).executeTakeFirstOrThrow()
      await db.insertInto("workspaces").values({ id: "w3", name: "w3", created_at: some.created_at }).execute()
      await db
        .insertInto("files")
        .values({ ...some, ...own })
        .execute()
      await db
        .insertInto("generations")
        .values({ ...span(80_000, "w3-0"), state: "live" })
        .execute()
      const library = new ClusterLibrary(db)
      const find = async (view: View) => (await library.find(view, undefined)) as ClusterView
      const whole = await find(wholeOf("w3"))
      expect([whole.workspace.files, whole.hidden]).toEqual([1, expect.any(Array)])
      expect((await find(member)).workspace).toBe(whole.workspace) // read once
      expect((await find(member)).hidden).toEqual(whole.hidden)
      await db.updateTable("files").set({ acl: '["group:red"]' }).where("id", "=", "w3-0").execute()
      const narrow = await find(member)
      expect([narrow.workspace.files, narrow.hidden]).toEqual([0, undefined])
      expect((await find(wholeOf("w3"))).workspace.files).toBe(1)
    }
    const local = new LiveRangesCache(reader)
    const files = (view: View) => (local.find(view, undefined) as LibraryView).workspace.files
    expect([files(wholeOf("w3")), files(member), files({ ...member, principals: ["group:red"] })]).toEqual([1, 0, 1])
  })

  test("sees a change with the commit that makes it", async () => {
    for (const db of databases) {
      const library = new ClusterLibrary(db)
      const files = async () => ((await library.find(wholeOf("w2"), undefined)) as ClusterView).workspace.files
      const before = await files()
      const live = db.selectFrom("files").select("id").where("workspace_id", "=", "w2").where("live_generation", "=", 1)
      const [one, other] = await live.orderBy("id").limit(2).execute()
      await db.updateTable("files").set({ live_generation: null }).where("id", "=", one!.id).execute()
      expect(await files()).toBe(before - 1)
      await db.deleteFrom("files").where("id", "=", other!.id).execute()
      expect(await files()).toBe(before - 2)
    }
  })

  test("gives up naming what nobody is to see where files were removed in masses", async () => {
    for (const db of databases) {
      const dead = Array.from({ length: 1100 }, (_, i) => ({ ...span(90_000 + i, "gone"), state: "dead" as const }))
      await db.insertInto("generations").values(dead).execute()
      expect(((await new ClusterLibrary(db).find(wholeOf("w1"), undefined)) as ClusterView).hidden).toBeUndefined()
    }
  })
})

const shown = (view: Awaited<ReturnType<ClusterLibrary["find"]>> | ReturnType<LiveRangesCache["find"]>) =>
  "missingFile" in view
    ? view
    : [view.workspace, view.visible].map(({ ranges, spans, count, files }) => ({
        ranges: [...ranges],
        spans: [...spans],
        count,
        files,
        pending: view.pendingFiles,
      }))

const span = (id: number, file_id: string) => ({
  id,
  file_id,
  generation: 1,
  first_chunk: 3_000_000_000 + id * 10,
  last_chunk: 3_000_000_000 + id * 10 + (id % 7),
})

/** The same in every database. */
async function fill(db: Database): Promise<void> {
  const next = seeded(7)
  const one = <T>(of: readonly T[]): T => of[Math.floor(next() * of.length)]!
  let generation = 1
  for (const workspace_id of WORKSPACES) {
    await db
      .insertInto("workspaces")
      .values({ id: workspace_id, name: workspace_id, created_at: "2026-01-01T00:00:00.000Z" })
      .execute()
    for (let nth = 1; nth <= 40; nth++) {
      const id = `${workspace_id}-${nth}`
      const created = one(["2026-01-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z", "2026-06-01T00:00:00.000Z"])
      const state = one(["live", "live", "live", "staging", "staged", "dead"] as const)
      const row = {
        id,
        workspace_id,
        name: id,
        name_folded: id,
        type: one(["txt", "pdf", "md"]),
        mime_type: "text/plain",
        size: 1,
        sha256: id,
        status: state === "live" ? "searchable" : one(["queued", "indexing", "failed"]),
        progress: 0,
        warnings: "[]",
        attempts: 0,
        ocr_page_count: 0,
        context_id: one([null, "garden", "house"]),
        acl: one([null, null, "[]", '["group:red","user:1"]', '["group:blue"]']),
        tags: JSON.stringify(one([[], ["red"], ["ré'd\"\\", "blue"]])),
        metadata: JSON.stringify(one([{}, { year: 2026 }, { year: "2026" }, { deep: { list: [1, "b"] } }])),
        created_at: created,
        updated_at: created,
        blob: id,
        generation: 1,
        live_generation: state === "live" ? 1 : null,
      }
      await db
        .insertInto("files")
        .values(row as never)
        .execute()
      await db
        .insertInto("generations")
        .values({ ...span(generation++, id), state })
        .execute()
    }
  }
  await db
    .insertInto("generations")
    .values({ ...span(generation, "gone"), state: "dead" })
    .execute()
}
