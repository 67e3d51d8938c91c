/** Contexts as stores, on both databases: pages, counts, and what views do not see. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { ensureWorkspace } from "../../src/access/keys.ts"
import { type View, wholeOf } from "../../src/access/view.ts"
import { FileChanges } from "../../src/library/changes.ts"
import { VectorStores } from "../../src/library/vector-stores.ts"
import { LocalWakes } from "../../src/nodes/wakes.ts"
import type { Database } from "../../src/storage/database.ts"
import { databases } from "../support/databases.ts"
import { rejection } from "../support/rejection.ts"

for (const { name, open } of await databases())
  describe(`stores on ${name}`, () => {
    const stack = new AsyncDisposableStack()
    let database: Database
    let stores: VectorStores
    let whole: View
    let next = 0

    const file = async (context_id: string | null, more: { acl?: string[]; status?: "failed"; size?: number } = {}) => {
      const { acl, status = "searchable", size = 3_000_000_000 } = more
      const id = `file_${String(++next).padStart(4, "0")}`
      const at = `2026-01-01T00:00:00.${String(next).padStart(3, "0")}Z`
      await database
        .insertInto("files")
        .values({
          ...{ id, workspace_id: whole.workspaceId, name: "a.txt", name_folded: "a.txt", type: "txt", size, status },
          ...{ mime_type: "text/plain", sha256: "0", progress: 1, warnings: "[]", attempts: 1, ocr_page_count: 0 },
          ...{ tags: "[]", metadata: "{}", created_at: at, updated_at: at, blob: id, generation: 1, context_id },
          acl: acl ? JSON.stringify(acl) : null,
        })
        .execute()
      return id
    }

    beforeAll(async () => {
      database = await open(stack)
      whole = wholeOf(await ensureWorkspace(database, "stores"))
      stores = new VectorStores(database, new FileChanges(new LocalWakes()))
    })
    afterAll(() => stack.disposeAsync())

    const ids = async (view: View, request: object = {}) => {
      const { items, hasMore } = await stores.list(view, { limit: 10, order: "asc", ...request })
      return [...items.map(({ contextId }) => contextId), ...(hasMore ? ["…"] : [])]
    }

    test("are paged in either direction, contexts with files and named ones alike", async () => {
      for (const context of ["b", "a", "c", "b"]) await file(context)
      await file(null)
      const made = (await stores.create(whole, { name: "Made", metadata: { a: 1 } })).contextId
      expect(await ids(whole)).toEqual(["b", "a", "c", made])
      expect(await ids(whole, { order: "desc", limit: 2 })).toEqual([made, "c", "…"])
      expect(await ids(whole, { order: "desc", limit: 2, after: "c" })).toEqual(["a", "b"])
      expect(await ids(whole, { limit: 2, before: made })).toEqual(["a", "c", "…"])
      expect(await stores.get(whole, "b")).toMatchObject({
        name: "b",
        files: { searchable: 2, failed: 0, queued: 0, indexing: 0 },
        bytes: 6_000_000_000,
      })
      await stores.delete(whole, made)
    })

    test("keep the time at which they were made when older files come in, and go without their files", async () => {
      const { contextId, createdAt } = await stores.create(whole, { name: "Late" })
      const [fileId] = [await file(null)]
      await stores.attach(whole, contextId, [{ fileId: fileId!, metadata: { year: 2026 } }])
      expect(await stores.get(whole, contextId)).toMatchObject({ createdAt, name: "Late", files: { searchable: 1 } })
      expect(await stores.detach(whole, contextId, [fileId!, "file_none"])).toEqual([fileId!])
      expect((await stores.get(whole, contextId)).bytes).toBe(0)
      await stores.delete(whole, contextId)
      expect(await stores.exists(whole, contextId)).toBe(false)
    })

    test("are not seen by views that see none of their files, but for empty ones", async () => {
      await file("secret", { acl: ["group:hr"] })
      await stores.change(whole, "secret", { name: "Salaries" })
      await file("open", { status: "failed" })
      const empty = (await stores.create(whole, { name: "Empty" })).contextId
      const staff: View = { ...whole, principals: ["group:sales"] }
      expect(await ids(staff)).toEqual(["b", "a", "c", "open", empty])
      expect(await stores.exists(staff, "secret")).toBe(false)
      expect(await ids({ ...whole, principals: ["group:hr"] })).toContain("secret")
      const narrow: View = { ...whole, contexts: ["a", "secret", "none"] }
      expect(await ids(narrow)).toEqual(["a", "secret"])
      expect((await rejection(stores.create(narrow, { name: "New" }))) as unknown).toMatchObject({ code: "forbidden" })
    })

    test("that hold files which one who deletes them does not see stay for those who do", async () => {
      const { contextId } = await stores.create(whole, { name: "Board" })
      const [open, hidden] = [await file(contextId), await file(contextId, { acl: ["group:board"] })]
      const staff: View = { ...whole, principals: [] }
      await stores.delete(staff, contextId)
      expect(await stores.exists(staff, contextId)).toBe(false)
      expect(await stores.get(whole, contextId)).toMatchObject({ name: "Board", files: { searchable: 1 } })
      expect(await stores.detach(whole, contextId, [open, hidden])).toEqual([hidden])
      await stores.delete(whole, contextId)
      expect(await stores.exists(whole, contextId)).toBe(false)
    })
  })
