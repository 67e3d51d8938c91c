/** A node that was declared dead and does not know it yet: nothing that it writes for its work counts. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { ensureWorkspace } from "../../src/access/keys.ts"
import { wholeOf } from "../../src/access/view.ts"
import { eventsOf } from "../../src/agents/run-record.ts"
import { RunStore } from "../../src/agents/run-store.ts"
import { requeue, requeueInterrupted } from "../../src/ingest/outcomes.ts"
import { progressReporter } from "../../src/ingest/progress.ts"
import { JobQueue } from "../../src/jobs/queue.ts"
import type { LeasedJob } from "../../src/jobs/worker.ts"
import { end, enter } from "../../src/nodes/registry.ts"
import type { Database } from "../../src/storage/database.ts"
import type { FilesTable } from "../../src/storage/files.ts"
import { anAccount } from "../support/accounts.ts"
import { databases } from "../support/databases.ts"

const NO_TOKENS = { prompt_tokens: 0, completion_tokens: 0 }
const ERROR = { code: "interrupted", message: "the daemon stopped" }

for (const { name, open } of await databases())
  describe(`${name}: a node that was declared dead`, () => {
    const stack = new AsyncDisposableStack()
    let database: Database
    let workspaceId: string
    let ids: [string, string]
    beforeAll(async () => {
      database = await open(stack)
      workspaceId = await ensureWorkspace(database, "default")
      const node = { name: "n", url: null, role: "all", version: "" } as const
      ids = [await enter(database, node), await enter(database, node)]
    })
    afterAll(() => stack.disposeAsync())

    test("neither goes on with its runs nor ends them", async () => {
      const [dying, living] = [new RunStore(database, { id: ids[0] }), new RunStore(database, { id: ids[1] })]
      const startedAt = new Date()
      const described = { task: "t", model: "m", request: {}, additionalMetadata: {}, nerCount: 0 } as never
      const run = { view: wholeOf(workspaceId), keyId: "k", endUser: null, described, startedAt, deadlineAt: startedAt }
      const [mine, others] = [await dying.insert(run, undefined), await living.insert(run, undefined)]
      const call = { call: { id: "c", name: "calculate", arguments: {} } as never, startedAt: startedAt.toISOString() }
      const account = anAccount()
      await dying.saveSteps(mine, account, new Map([[1, call]]), new Map())
      expect(await living.givenUp()).toEqual([])
      await end(database, ids[0])
      const givenUp = await living.givenUp()
      expect(givenUp).toEqual([{ id: mine, owner: ids[0], waits: false }])
      const failed = await Promise.all([living.fail(givenUp[0]!, ERROR), living.fail(givenUp[0]!, ERROR)])
      expect(failed.toSorted()).toEqual([false, true])
      const before = await living.find(mine)
      const result = { result: "2", isError: false, durationMs: 1 } as never
      await dying.saveSteps(mine, account, new Map([[2, call]]), new Map([[1, result]]))
      const outcome = {
        status: "completed",
        output: "2",
        citations: [],
        warnings: [],
        usage: NO_TOKENS,
        nerCount: 0,
      } as never
      expect(await dying.finish(mine, outcome, account, "")).toBe(false)
      const after = await living.find(mine)
      expect(after).toEqual(before!)
      expect(after!.row).toMatchObject({ status: "failed", error: JSON.stringify(ERROR) })
      const numbers = eventsOf(after!).map(({ id }) => id)
      expect(numbers).toEqual(numbers.map((_, i) => i + 1))
      // Nobody else's run is its own either.
      expect(await dying.finish(others, outcome, account, "")).toBe(false)
      expect(await living.finish(others, outcome, account, "")).toBe(true)
    })

    test("says nothing more of the files that it read", async () => {
      const dying = await enter(database, { name: "n", url: null, role: "all", version: "" })
      const [own, others] = [{ id: dying }, { id: ids[1] }].map(owner => new JobQueue(database, { owner }))
      await database
        .insertInto("files")
        .values({
          ...{ id: "file_1", workspace_id: workspaceId, name: "a.txt", name_folded: "a.txt", type: "txt" },
          ...{ mime_type: "text/plain", size: 1, sha256: "", status: "queued", blob: "b", generation: 1 },
          ...{ progress: 0, warnings: "[]", attempts: 0, ocr_page_count: 0, tags: "[]", metadata: "{}" },
          ...{ created_at: "", updated_at: "" },
        } as FilesTable)
        .execute()
      const status = async () => (await database.selectFrom("files").select("status").executeTakeFirstOrThrow()).status
      await own!.enqueue(database, [{ task: "index_file", subject: "file_1", workspaceId, lane: "ordinary" }])
      const leased = async (queue: JobQueue): Promise<LeasedJob> => {
        const [job] = await queue.lease("index_file", "ordinary", 1)
        return { ...job!, signal: new AbortController().signal }
      }
      const file = { id: "file_1", generation: 1 } as FilesTable
      const job = await leased(own!)
      const dependencies = { database, announce: () => {} }
      await progressReporter(dependencies, file, job)("extracting", 0)
      await requeueInterrupted(database)
      expect(await status()).toBe("indexing")
      await end(database, dying)
      await others!.reclaim()
      await requeueInterrupted(database)
      expect(await status()).toBe("queued")
      await leased(others!)
      await database.updateTable("files").set({ status: "searchable" }).execute()
      await progressReporter(dependencies, file, job)("embedding", 0)
      await requeue(dependencies as never, job)
      expect(await status()).toBe("searchable")
    })
  })
