import { afterAll, describe, expect, test } from "bun:test"
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ensureWorkspace } from "../../src/access/keys.ts"
import { type View, wholeOf } from "../../src/access/view.ts"
import { Account } from "../../src/account.ts"
import { nameDigest } from "../../src/governance/receipts/names.ts"
import { noteRemoved } from "../../src/governance/receipts/removals.ts"
import { charge, forgetEndUser, rowOf } from "../../src/governance/usage/entries.ts"
import { payerOf } from "../../src/governance/usage/payer.ts"
import { Usage } from "../../src/governance/usage/usage.ts"
import type { Database } from "../../src/storage/database.ts"
import { MEASURES } from "../../src/storage/usage.ts"
import { addFile } from "../storage/conformance/file-rows.ts"
import { databases } from "../support/databases.ts"
import { rejection } from "../support/rejection.ts"

const view = wholeOf("ws_1")
const payer = payerOf(view, { endUser: "ada", contextId: "ctx_1" })

const TOKENS = { prompt_tokens: 5, completion_tokens: 1 }
const anAccount = (of: View, endUser: string) => new Account(payerOf(of, { endUser }))

/** Sums of what is counted, folded or not, zeros left out. */
async function sums(database: Database, endUser?: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const table of ["usage_hours", "usage_entries"] as const) {
    let query = database.selectFrom(table).selectAll()
    if (endUser !== undefined) query = query.where("end_user", "=", endUser)
    for (const row of await query.execute())
      for (const name of MEASURES) if (row[name] !== 0) found[name] = (found[name] ?? 0) + row[name]
  }
  return found
}

for (const kind of await databases())
  describe(`on ${kind.name}`, () => {
    const stack = new AsyncDisposableStack()
    afterAll(() => stack.disposeAsync())
    const folder = () => {
      const path = mkdtempSync(join(tmpdir(), "carrel-usage-"))
      stack.defer(() => rmSync(path, { recursive: true, force: true }))
      return path
    }

    test("what a transaction counts is counted with it, or not at all", async () => {
      const database = await kind.open(stack)
      const row = rowOf(payer, { prompt_tokens: 7, completion_tokens: 2 })
      await database.transaction().execute(trx => charge(trx, [row]))
      const failed = database.transaction().execute(async trx => {
        await charge(trx, [row])
        throw new Error("undone")
      })
      await rejection(failed)
      expect(await sums(database)).toEqual({ prompt_tokens: 7, completion_tokens: 2 })
      await using usage = await Usage.open(database, { directory: folder() })
      await usage.fold()
      expect(await sums(database)).toEqual({ prompt_tokens: 7, completion_tokens: 2 })
      expect(await database.selectFrom("usage_entries").select("id").execute()).toEqual([])
    })

    test("what was noted is counted once, whenever the process dies", async () => {
      const database = await kind.open(stack)
      const [directory, before, folded] = [folder(), folder(), folder()]
      const usage = await Usage.open(database, { directory })
      for (let i = 0; i < 5; i++) usage.countRequest(view)
      cpSync(directory, before, { recursive: true })
      await usage.fold()
      for (let i = 0; i < 3; i++) usage.countRequest(view)
      cpSync(directory, folded, { recursive: true })
      await usage[Symbol.asyncDispose]()
      expect(await sums(database)).toEqual({ requests: 8 })
      expect(readdirSync(directory)).toEqual([])
      // As if it had died before the first fold was told, and after it: on a database that has counted the first.
      const other = await kind.open(stack)
      const [id] = readdirSync(before)
      await (await Usage.open(other, { directory: before }))[Symbol.asyncDispose]()
      expect(await sums(other)).toEqual({ requests: 5 })
      cpSync(join(folded, readdirSync(folded)[0]!), join(before, readdirSync(folded)[0]!))
      await using second = await Usage.open(other, { directory: before })
      expect(await sums(other)).toEqual({ requests: 8 })
      expect(readdirSync(before)).not.toContain(id!)
      expect(second.pendingBytes).toBe(0)
    })

    test("a journal that is there again is not counted again, and a line that was cut is none", async () => {
      const database = await kind.open(stack)
      const [directory, copy] = [folder(), folder()]
      await using usage = await Usage.open(database, { directory })
      usage.countRequest(view)
      const [name] = readdirSync(directory)
      const line = readFileSync(join(directory, name!))
      await database
        .insertInto("usage_journals")
        .values({ id: name!.replace(".journal", ""), counted_bytes: line.length })
        .execute()
      await Bun.write(join(copy, name!), Buffer.concat([line, line, line.subarray(0, 20)]))
      await using again = await Usage.open(database, { directory: copy })
      await again.fold()
      expect(await sums(database)).toEqual({ requests: 1 }) // the second line alone
    })

    test("bytes are held from when a file comes until it goes, by whoever brought it last", async () => {
      const database = await kind.open(stack)
      const id = "file_1"
      await addFile(database, id, { size: 100, payer_key: "key_1", context_id: "a" })
      const files = database.updateTable("files").where("id", "=", id)
      await files.set({ status: "searchable" }).execute()
      expect(await sums(database)).toEqual({ bytes_in: 100, bytes_stored: 100 })
      await files.set({ size: 30, blob: "other", payer_key: "key_2", context_id: "b" }).execute()
      expect(await sums(database)).toEqual({ bytes_in: 130, bytes_stored: 30 })
      const held = await database.selectFrom("usage_entries").select(["key_id", "context_id", "bytes_stored"]).execute()
      const of = (key: string) => held.filter(row => row.key_id === key).reduce((sum, row) => sum + row.bytes_stored, 0)
      expect([of("key_1"), of("key_2")]).toEqual([0, 30])
      await database.deleteFrom("files").where("id", "=", id).execute()
      expect((await sums(database)).bytes_in).toBe(130)
      await using usage = await Usage.open(database, { directory: folder() })
      await usage.fold()
      expect(await sums(database)).toEqual({ bytes_in: 130 })
      // What only arrives was counted where it comes from.
      await database.insertInto("leases").values({ name: "move", node_id: "elsewhere", until: "9999" }).execute()
      await addFile(database, "file_2", { size: 100 })
      expect(await sums(database)).toEqual({ bytes_in: 130 })
    })

    test("an end user is forgotten, and what was used stays", async () => {
      const database = await kind.open(stack)
      const measured = { prompt_tokens: 3, bytes_stored: 5 }
      await charge(database, [rowOf(payer, measured), rowOf(payerOf(wholeOf("ws_2"), { endUser: "ada" }), measured)])
      await using usage = await Usage.open(database, { directory: folder() })
      await usage.fold()
      await charge(database, [rowOf(payer, measured), rowOf(payerOf(view), measured)])
      await addFile(database, "file_1", { payer_end_user: "ada" })
      const workspaceId = await ensureWorkspace(database)
      for (const id of ["ws_1", workspaceId]) await database.transaction().execute(trx => forgetEndUser(trx, id, "ada"))
      await usage.fold()
      const rows = await database.selectFrom("usage_hours").select(["workspace_id", "end_user"]).execute()
      expect(rows.filter(row => row.end_user === "ada").map(row => row.workspace_id)).toEqual(["ws_2"])
      expect(await sums(database)).toEqual({ prompt_tokens: 12, bytes_stored: 21, bytes_in: 1 })
    })

    test("what another node counted for an end user who was erased meanwhile is nobody's, and so not of elsewhere", async () => {
      const database = await kind.open(stack)
      const [workspaceId, elsewhere] = [await ensureWorkspace(database), await ensureWorkspace(database, "elsewhere")]
      const views = [wholeOf(workspaceId), wholeOf(elsewhere)]
      await using usage = await Usage.open(database, { directory: folder() })
      for (const each of views) for (const endUser of ["ada", "bob"]) usage.settle(anAccount(each, endUser), TOKENS)
      await database.transaction().execute(async trx => {
        const digest = nameDigest("ada")
        await noteRemoved(trx, views[0]!, [{ kind: "end_user", id: digest, sha256s: [digest] }])
        await forgetEndUser(trx, workspaceId, "ada")
      })
      await usage.fold()
      const rows = await database.selectFrom("usage_hours").select(["workspace_id", "end_user"]).execute()
      expect(rows.map(row => `${row.workspace_id} ${row.end_user}`).sort()).toEqual(
        [`${workspaceId} `, `${workspaceId} bob`, `${elsewhere} ada`, `${elsewhere} bob`].sort(),
      )
      expect((await sums(database)).prompt_tokens).toBe(4 * TOKENS.prompt_tokens)
    })

    test("a journal is gone once it is folded, though requests follow on each other meanwhile", async () => {
      const database = await kind.open(stack)
      const directory = folder()
      await using usage = await Usage.open(database, { directory })
      let requests = 0
      const request = () => {
        requests++
        usage.countRequest(view)
      }
      for (let i = 0; i < 20; i++) {
        request()
        const [name] = readdirSync(directory)
        const folding = usage.fold()
        let isFolded = false
        void folding.finally(() => {
          isFolded = true
        })
        while (!isFolded) {
          request()
          await Bun.sleep(0)
        }
        expect(readdirSync(directory)).not.toContain(name!)
      }
      await usage.fold()
      expect(await sums(database)).toEqual({ requests })
      expect(usage.pendingBytes).toBe(0)
    })

    test("what could not be folded is folded once, with what came since", async () => {
      const database = await kind.open(stack)
      const directory = folder()
      await using usage = await Usage.open(database, { directory })
      usage.countRequest(view)
      await database.schema.alterTable("usage_hours").renameTo("away").execute()
      for (let i = 0; i < 3; i++) {
        await rejection(usage.fold())
        usage.countRequest(view)
      }
      expect(readdirSync(directory)).toHaveLength(2)
      await database.schema.alterTable("away").renameTo("usage_hours").execute()
      await usage.fold()
      expect(await sums(database)).toEqual({ requests: 4 })
      expect(readdirSync(directory)).toHaveLength(1)
    })

    test.skipIf(kind.name === "SQLite")("a quota of requests is one for all nodes", async () => {
      const database = await kind.open(stack)
      await using one = await Usage.open(database, { directory: folder() })
      await using two = await Usage.open(database, { directory: folder() })
      const view = { ...wholeOf("ws_1"), author: { type: "key", id: "key_1", maker: null, endUser: null } } as const
      one.countRequest(view)
      await one.fold()
      const takes = Array.from({ length: 50 }, (_, i) => [one, two][i % 2]!.takeRequest(view, "key_1", 31))
      const taken = await Promise.allSettled(takes)
      const passed = taken.filter(({ status }) => status === "fulfilled").length
      expect(passed).toBe(30)
      await Promise.all([one.fold(), two.fold()])
      expect(await sums(database)).toEqual({ requests: passed + 1 })
    })
  })
