/** Schedules and listings on both kinds of database. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { ensureWorkspace } from "../../src/access/keys.ts"
import { newId } from "../../src/id.ts"
import { JobQueue } from "../../src/jobs/queue.ts"
import { keepSchedules } from "../../src/sources/due.ts"
import { Listing } from "../../src/sources/listing.ts"
import type { SourceRow } from "../../src/sources/source.ts"
import type { Sources } from "../../src/sources/sources.ts"
import { SYNC_SOURCE } from "../../src/sources/sync.ts"
import type { Database } from "../../src/storage/database.ts"
import { databases } from "../support/databases.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(60_000)

for (const { name, open } of await databases())
  describe(`sources on ${name}`, () => {
    let stack: AsyncDisposableStack
    let database: Database
    beforeAll(async () => {
      stack = new AsyncDisposableStack()
      database = await open(stack)
    }, 60_000)
    afterAll(() => stack.disposeAsync())

    async function addSource(more: Partial<SourceRow> = {}): Promise<string> {
      const id = newId("src")
      const now = new Date().toISOString()
      await database
        .insertInto("sources")
        .values({
          ...{
            id,
            workspace_id: await ensureWorkspace(database),
            type: "folder",
            name: "x",
            config: "{}",
            credentials: null,
          },
          ...{ context_id: null, tags: "[]", acl: null, include: "[]", exclude: "[]", max_bytes: null },
          ...{ schedule: "1h", timezone: null, delete_missing: 1, limits: '{"contexts":null,"filters":[]}' },
          ...{ owner_type: null, owner_id: null, maker: null, end_user: null, outcome: null, next_sync_at: null },
          ...{ sync_id: null, removal: null, created_at: now, updated_at: now },
          ...more,
        } as SourceRow)
        .execute()
      return id
    }

    test("several nodes that see to it at the same time ask once for each that is due, and for no other", async () => {
      const past = new Date(Date.now() - 5_000).toISOString()
      const due = await Promise.all(Array.from({ length: 20 }, () => addSource({ next_sync_at: past })))
      await addSource({ next_sync_at: new Date(Date.now() + 600_000).toISOString() })
      await addSource({ next_sync_at: past, paused: 1 })
      await addSource({ next_sync_at: past, removal: "keep_files" })
      const stop = new AbortController()
      const sources = undefined as unknown as Sources // looked at by watches alone
      const nodes = [1, 2].map(() => keepSchedules({ database, queue: new JobQueue(database), sources }, stop.signal))
      const jobs = () => database.selectFrom("jobs").select("subject").where("task", "=", SYNC_SOURCE).execute()
      await until(async () => (await jobs()).length >= due.length)
      stop.abort()
      await Promise.all(nodes)
      expect((await jobs()).map(({ subject }) => subject).sort()).toEqual(due.sort())
      const left = await database.selectFrom("sources").select("id").where("next_sync_at", "is not", null).execute()
      expect(left.length).toBe(3)
    })

    test("a listing of many entries, some with odd and endless keys, is known again as it was", async () => {
      const id = await addSource()
      const rules = { judge: () => undefined, deleteMissing: true, forced: false }
      const keys = Array.from({ length: 5_000 }, (_, i) => `folder/${i}.txt`)
      const odd = [
        "ü.txt",
        "u\u0308.txt",
        "nul\0.txt",
        "half\ud800.txt",
        `${"long/".repeat(1_000)}a.txt`,
        `${"long/".repeat(1_000)}b.txt`,
      ]
      const see = async (all: readonly string[]) => {
        const listing = await Listing.begin(database, id, rules)
        for (const key of all) listing.see({ key, fingerprint: `of ${all.length}`.slice(0, 2), name: "a.txt" })
        await listing.note(database, async () => {})
        const finished = listing.finish()
        await listing.noteGone(database, finished, async () => {})
        return { ...listing.counts, ...finished }
      }
      expect(await see([...keys, ...odd, keys[0]!])).toMatchObject({
        added: 5_002,
        skipped: 4,
        deleted: [],
        guarded: 0,
      })
      const count = async () =>
        (await database.selectFrom("source_entries").select("key").where("source_id", "=", id).execute()).length
      expect(await count()).toBe(5_006)
      // They still wait to be fetched.
      expect(await see([...odd, ...keys])).toMatchObject({ added: 5_002, skipped: 4 })
      expect(await count()).toBe(5_006)
      expect(await see(keys.slice(0, 10))).toMatchObject({ added: 10 })
      expect(await count()).toBe(10)
    })
  })
