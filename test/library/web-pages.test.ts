/** Rows of pages on both kinds of database: which file a page is, and when it is due. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { ensureWorkspace } from "../../src/access/keys.ts"
import { wholeOf } from "../../src/access/view.ts"
import { AppError } from "../../src/errors.ts"
import { JobQueue } from "../../src/jobs/queue.ts"
import type { PageVersion } from "../../src/library/labels.ts"
import { registerNamed } from "../../src/library/register.ts"
import { duePages, noteFailure, noteUnchanged } from "../../src/library/web/page-rows.ts"
import { WebPages } from "../../src/library/web/web-pages.ts"
import type { Database } from "../../src/storage/database.ts"
import { databases } from "../support/databases.ts"
import { rejection } from "../support/rejection.ts"

const URL_ = "https://site.example/page"
const PAST = "2026-01-01T00:00:00.000Z"
let stack: AsyncDisposableStack
let database: Database
let workspaceId: string

interface Given extends Partial<PageVersion> {
  sha256: string
  contextId?: string | null
  fileId?: string
}

async function register({ sha256, contextId = null, fileId, ...page }: Given) {
  const version = { url: URL_, etag: null, lastModified: null, refresh: null, ...page }
  const stored = { blob: `blob-${sha256}-${crypto.randomUUID()}`, size: 1, sha256 }
  const file = { name: "Page.html", type: "html", mimeType: "text/html", stored, reading: { mainContent: true } }
  const identity = { page: version, ...(fileId ? { fileId } : {}) }
  const labels = { contextId, tags: [], metadata: {}, onDuplicate: "return_existing" as const }
  const given = { view: wholeOf(workspaceId), labels }
  const { records } = await database
    .transaction()
    .execute(trx => registerNamed(trx, new JobQueue(database), given, [{ ...file, identity }]))
  return records[0]!
}
const row = (id: string) =>
  database.selectFrom("web_pages").selectAll().where("file_id", "=", id).executeTakeFirstOrThrow()
const makeDue = (id: string) =>
  database.updateTable("web_pages").set({ next_refresh_at: PAST }).where("file_id", "=", id).execute()

for (const { name, open } of await databases())
  describe(name, () => {
    beforeEach(async () => {
      stack = new AsyncDisposableStack()
      database = await open(stack)
      workspaceId = await ensureWorkspace(database, "default")
    })
    afterEach(() => stack.disposeAsync())

    test("a page is one file in each context, and a changed one its next version", async () => {
      const first = await register({ sha256: "a", etag: '"1"' })
      const second = await register({ sha256: "b", etag: '"2"' })
      expect(second).toMatchObject({ id: first.id, sha256: "b", url: URL_ })
      expect((await register({ sha256: "b" })).unchanged).toBe(true)
      expect((await register({ sha256: "b", contextId: "other" })).id).not.toBe(first.id)
      expect(await row(first.id)).toMatchObject({ etag: null, refresh: null, next_refresh_at: null })
    })

    test("what is due is found, and no more once it was looked at", async () => {
      const { id } = await register({ sha256: "a", refresh: "1d" })
      expect(await duePages(database, 10)).toEqual([])
      await makeDue(id)
      expect(await duePages(database, 10)).toMatchObject([{ file_id: id, refresh: "1d", workspace_id: workspaceId }])
      await noteUnchanged(database, id, "1d")
      expect(await duePages(database, 10)).toEqual([])
      expect((await row(id)).next_refresh_at! > new Date(Date.now() + 80_000_000).toISOString()).toBe(true)
    })

    test("failures count up and put the next look off, up to six hours", async () => {
      const { id } = await register({ sha256: "a", refresh: "1d" })
      for (const failures of [1, 2, 3, 30]) {
        await database
          .updateTable("web_pages")
          .set({ failures: failures - 1, next_refresh_at: PAST })
          .execute()
        await noteFailure(database, (await duePages(database, 1))[0]!, "no answer")
        const { next_refresh_at, ...rest } = await row(id)
        expect(rest).toMatchObject({ failures, error: "no answer" })
        const minutes = (Date.parse(next_refresh_at!) - Date.now()) / 60_000
        expect(Math.round(minutes)).toBe(Math.min(360, 2 ** (failures - 1)))
      }
    })

    test("the connection of a page that is refused before it is read is closed", async () => {
      let closed = false
      const refuse = async (): Promise<never> => {
        throw new AppError("overloaded")
      }
      const body = new ReadableStream<Uint8Array>({
        pull: controller => controller.enqueue(new Uint8Array(16_384).fill(97)),
        cancel() {
          closed = true
        },
      })
      const response = new Response(body, { headers: { "content-type": "text/plain" } })
      Object.defineProperty(response, "url", { value: URL_ })
      const pages = new WebPages({
        database,
        egress: { fetch: async () => response },
        uploads: { answered: async () => undefined, takeOne: refuse },
        library: { get: refuse, change: refuse },
        maxFileBytes: 1e6,
      })
      const labels = { contextId: null, tags: [], metadata: {}, onDuplicate: "return_existing" as const }
      const request = { view: wholeOf(workspaceId), keyId: "key", idempotencyKey: undefined }
      const added = pages.add(request, { url: URL_, onlyMainContent: true, refresh: null, labels })
      expect(await rejection(added)).toMatchObject({ code: "overloaded" })
      expect(closed).toBe(true)
    })

    test("a refresh of a file that is gone makes none", async () => {
      const { id } = await register({ sha256: "a", refresh: "1d" })
      await database.deleteFrom("jobs").execute()
      await database.deleteFrom("files").where("id", "=", id).execute()
      expect(await rejection(register({ sha256: "b", fileId: id }))).toMatchObject({ code: "not_found" })
      expect(await database.selectFrom("web_pages").selectAll().execute()).toEqual([])
    })
  })
