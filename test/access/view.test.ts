/** The one rule of what a caller sees, as SQL on both databases. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import fc from "fast-check"
import { type KeyGrants, principalOfKey, principalOfToken } from "../../src/access/key-principal.ts"
import { ensureWorkspace } from "../../src/access/keys.ts"
import { toStore } from "../../src/access/limits.ts"
import { repetitionKey, seen, seenBy, type View, wholeOf } from "../../src/access/view.ts"
import { toFileRecord } from "../../src/library/record.ts"
import type { Database } from "../../src/storage/database.ts"
import { words } from "../../src/storage/words.ts"
import { type Caller, type SomeFile, sees, someCaller, someFile } from "../support/callers.ts"
import { databases } from "../support/databases.ts"

function viewOf({ key, token }: Caller, workspaceId: string): View {
  const grants: KeyGrants = {
    ...{ id: "key_1", workspace_id: workspaceId, scopes: "[]", rate_limit_per_minute: null, models: null, quota: null },
    owner_id: null,
    owner_groups: null,
    owner_sees_all: 1,
    ...{ context_ids: toStore(key.context_ids), filter: toStore(key.filter) },
  }
  if (!token) return principalOfKey(grants, "").view
  const narrowing = {
    ...{ id: "tok_1", key_id: "key_1", scopes: null, end_user: null, principals: toStore(token.principals) },
    ...{ context_ids: toStore(token.context_ids), filter: toStore(token.filter) },
  }
  return principalOfToken(grants, narrowing, "").view
}

for (const { name: kind, open } of await databases())
  describe(`a view on ${kind}`, () => {
    const stack = new AsyncDisposableStack()
    let database: Database
    let workspaceId: string

    const fill = async (files: SomeFile[]): Promise<void> => {
      await database.deleteFrom("files").execute()
      const rows = files.map(({ context_id, acl, tags, type, n }, i) => ({
        ...{ id: `file_${i}`, workspace_id: workspaceId, name: `f${i}.${type}`, name_folded: `f${i}.${type}`, type },
        ...{ mime_type: "text/plain", size: i, sha256: "0", status: "searchable" as const, stage: null, context_id },
        ...{ tags: JSON.stringify(tags), metadata: JSON.stringify(n === null ? {} : { n }), acl: toStore(acl) },
        ...{ created_at: "2026-01-01T00:00:00.000Z", updated_at: "2026-01-01T00:00:00.000Z", blob: `b${i}` },
        ...{ attempts: 0, generation: 1, ocr_page_count: 0, progress: 1, warnings: "[]" },
      }))
      await database.insertInto("files").values(rows).execute()
    }

    beforeAll(async () => {
      database = await open(stack)
      workspaceId = await ensureWorkspace(database, "default")
    })
    afterAll(() => stack.disposeAsync())

    test("shows what an evaluation of each record shows", async () => {
      const library = fc.array(someFile, { minLength: 1, maxLength: 15 })
      const callers = fc.array(someCaller, { minLength: 15, maxLength: 15 })
      await fc.assert(
        fc.asyncProperty(library, callers, async (files, asking) => {
          await fill(files)
          const records = (await database.selectFrom("files").selectAll().orderBy("id").execute()).map(toFileRecord)
          for (const caller of asking) {
            const rows = await database
              .selectFrom("files")
              .select("id")
              .where(seen(database, viewOf(caller, workspaceId)))
              .orderBy("id")
              .execute()
            const expected = records.filter(record => sees(caller, record)).map(({ id }) => id)
            expect([caller, rows.map(({ id }) => id)]).toEqual([caller, expected])
          }
        }),
        { numRuns: 30 },
      )
    })

    test("of who narrows nothing asks for the workspace and no more", () => {
      const nobody = { key: { context_ids: null, filter: null }, token: undefined }
      const asked = { text: "files.workspace_id = ?", values: ["ws_1"] }
      expect(seenBy(wholeOf("ws_1"), words(database))).toEqual(asked)
      expect(seenBy(viewOf(nobody, "ws_1"), words(database))).toEqual(asked)
    })
  })

test("Idempotency-Keys meet where nothing narrows, and where the same does", () => {
  const narrow = { key: { context_ids: ["a"], filter: null }, token: undefined }
  const token = { ...narrow, token: { context_ids: null, filter: null, principals: ["user:1"] } }
  const keyOf = (caller: Caller) => repetitionKey(viewOf(caller, "ws_1"), "k")
  expect(repetitionKey(wholeOf("ws_1"), "k")).toBe("k")
  expect(keyOf(narrow)).toBe(keyOf(structuredClone(narrow)))
  expect(new Set(["k", keyOf(narrow), keyOf(token)]).size).toBe(3)
})
