/** The chain of the audit log: what is changed, missing or cut is found, on both databases; what is not, is not. */
import { afterEach, describe, expect, test } from "bun:test"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { wholeOf } from "../../src/access/view.ts"
import { type Anchors, arrivedIn, FileAnchors, RowAnchors } from "../../src/governance/audit/anchors.ts"
import { AuditLog } from "../../src/governance/audit/audit-log.ts"
import { AuditTrail } from "../../src/governance/audit/audit-trail.ts"
import type { AuditEntry } from "../../src/governance/audit/entry.ts"
import { verify } from "../../src/governance/audit/verify.ts"
import type { Database } from "../../src/storage/database.ts"
import { databases } from "../support/databases.ts"

const WORKSPACE = "ws_01m7y48vkz3s85f1acdta2"

const entry = (n: number): AuditEntry => ({
  workspaceId: WORKSPACE,
  action: "file.delete",
  outcome: "success",
  actor: { type: "system", id: null },
  details: { n },
})

for (const kind of await databases()) {
  describe(`the chain on ${kind.name}`, () => {
    let stack = new AsyncDisposableStack()
    afterEach(async () => {
      await stack.disposeAsync()
      stack = new AsyncDisposableStack()
    })

    /** Ten rows. */
    async function written(): Promise<{ database: Database; anchors: Anchors; audit: AuditLog }> {
      const database = await kind.open(stack)
      const folder = mkdtempSync(join(tmpdir(), "carrel-audit-"))
      stack.defer(() => rmSync(folder, { recursive: true, force: true }))
      const anchors = kind.name === "SQLite" ? new FileAnchors(folder) : new RowAnchors()
      const audit = await AuditLog.open(database, anchors)
      for (let n = 1; n <= 10; n++) await audit.append(entry(n))
      return { database, anchors, audit }
    }
    /** As a daemon opens it. */
    async function opened(database: Database, anchors: Anchors): Promise<AuditLog> {
      const directory = mkdtempSync(join(tmpdir(), "carrel-audit-"))
      stack.defer(() => rmSync(directory, { recursive: true, force: true }))
      return stack.use(await AuditLog.openArrived(database, anchors, directory))
    }
    const rowsOf = (database: Database) => database.selectFrom("audit_log").selectAll().orderBy("seq").execute()

    test("holds when nobody touched it, and goes on after a start", async () => {
      const { database, anchors, audit } = await written()
      expect(await verify(audit.chains, WORKSPACE)).toEqual({ ok: true, rows: 10, first_bad: null, reason: null })
      const again = await opened(database, anchors)
      await again.append(entry(11))
      await again.settled()
      expect(await verify(again.chains, WORKSPACE)).toMatchObject({ ok: true, rows: 11 })
    })

    test("tells which row was changed, even where its hash was made anew", async () => {
      const { database, audit } = await written()
      const rows = await rowsOf(database)
      await database.updateTable("audit_log").set({ details: '{"n":99}' }).where("seq", "=", 4).execute()
      expect(await verify(audit.chains, WORKSPACE)).toMatchObject({
        ok: false,
        first_bad: rows[3]!.id,
        reason: "changed",
      })
      await database.updateTable("audit_log").set({ details: '{"n":4}', mac: "00" }).where("seq", "=", 4).execute()
      expect(await verify(audit.chains, WORKSPACE)).toMatchObject({ ok: false, first_bad: rows[3]!.id })
    })

    test("tells which row was changed where its details are no JSON any more, and the rows are read all the same", async () => {
      const { database, audit } = await written()
      const rows = await rowsOf(database)
      await database.updateTable("audit_log").set({ details: "{" }).where("seq", "=", 4).execute()
      expect(await verify(audit.chains, WORKSPACE)).toMatchObject({
        ok: false,
        first_bad: rows[3]!.id,
        reason: "changed",
      })
      const { data } = await new AuditTrail(audit).page(wholeOf(WORKSPACE), { order: "asc", limit: 10 })
      expect(data.map(row => row.details).slice(2, 5)).toEqual([{ n: 3 }, { unreadable: "{" }, { n: 5 }])
    })

    test("tells where a row is missing", async () => {
      const { database, audit } = await written()
      const rows = await rowsOf(database)
      await database.deleteFrom("audit_log").where("seq", "=", 4).execute()
      expect(await verify(audit.chains, WORKSPACE)).toMatchObject({
        ok: false,
        first_bad: rows[4]!.id,
        reason: "missing",
      })
    })

    test("tells that the first rows are missing", async () => {
      const { database, audit } = await written()
      await database.deleteFrom("audit_log").where("seq", "<=", 3).execute()
      expect(await verify(audit.chains, WORKSPACE)).toMatchObject({ ok: false, reason: "missing" })
    })

    test("tells that two rows have changed places", async () => {
      const { database, audit } = await written()
      for (const [from, to] of [
        [4, 100],
        [5, 4],
        [100, 5],
      ] as const)
        await database.updateTable("audit_log").set({ seq: to }).where("seq", "=", from).execute()
      expect(await verify(audit.chains, WORKSPACE)).toMatchObject({ ok: false, reason: "changed" })
    })

    test("tells that the end was cut, also after more was appended", async () => {
      const { database, anchors, audit } = await written()
      const rows = await rowsOf(database)
      await database.deleteFrom("audit_log").where("seq", ">", 7).execute()
      const cut = { ok: false, first_bad: rows[9]!.id, reason: "cut" }
      expect(await verify(audit.chains, WORKSPACE)).toMatchObject(cut)
      const again = await AuditLog.open(database, anchors)
      await again.append(entry(8))
      expect(await verify(again.chains, WORKSPACE)).toMatchObject(cut)
      for (let n = 9; n <= 12; n++) await again.append(entry(n))
      expect(await verify(again.chains, WORKSPACE)).toMatchObject({ ok: false, reason: "changed" })
    })

    test("tells that the table was emptied, or replaced by an older copy", async () => {
      const { database, audit } = await written()
      const older = await rowsOf(database)
      for (let n = 11; n <= 15; n++) await audit.append(entry(n))
      await database.deleteFrom("audit_log").execute()
      expect(await verify(audit.chains, WORKSPACE)).toMatchObject({ ok: false, reason: "cut" })
      await database.insertInto("audit_log").values(older).execute()
      expect(await verify(audit.chains, WORKSPACE)).toMatchObject({ ok: false, reason: "cut" })
    })

    test("takes rows that a kill left behind the anchor", async () => {
      const { database, anchors, audit } = await written()
      const before = await anchors.read(database, WORKSPACE)
      await audit.append(entry(11))
      for (const text of before) await anchors.write(database, WORKSPACE, text, JSON.parse(text).seq)
      if (anchors instanceof FileAnchors) await anchors.write(database, WORKSPACE, before[0]!, 11)
      const again = await AuditLog.open(database, anchors)
      expect(await verify(again.chains, WORKSPACE)).toMatchObject({ ok: true, rows: 11 })
    })

    test("retention removes the oldest rows, says so, and what is left is whole", async () => {
      const { database, audit } = await written()
      expect(await audit.forgetBefore(WORKSPACE, "9999-01-01T00:00:00.000Z")).toBe(9)
      const rows = await rowsOf(database)
      expect(rows.map(({ seq, action }) => [seq, action])).toEqual([
        [10, "file.delete"],
        [11, "audit.forget"],
      ])
      expect(await verify(audit.chains, WORKSPACE)).toMatchObject({ ok: true, rows: 2 })
      await database.deleteFrom("audit_log").where("seq", "=", 10).execute()
      expect(await verify(audit.chains, WORKSPACE)).toMatchObject({ ok: false, reason: "missing" })
    })

    test("records that were restored go on from where they end, and say so", async () => {
      const { database, anchors, audit } = await written()
      const older = await rowsOf(database)
      await audit.append(entry(11))
      await database.deleteFrom("audit_log").execute()
      await database.insertInto("audit_log").values(older).execute()
      await arrivedIn(database, "backup.restore")
      await database
        .insertInto("workspaces")
        .values({ id: WORKSPACE, name: "w", created_at: "", enforce_redaction: 0 } as never)
        .execute()
      const again = await opened(database, anchors)
      expect(await verify(again.chains, WORKSPACE)).toMatchObject({ ok: true, rows: 11 })
      expect((await rowsOf(database)).at(-1)!.action).toBe("backup.restore")
    })

    test("two who append at once make one chain", async () => {
      const { database, anchors, audit } = await written()
      const other = await AuditLog.open(database, anchors)
      await Promise.all(Array.from({ length: 60 }, (_, n) => (n % 2 ? audit : other).append(entry(n))))
      expect(await verify(audit.chains, WORKSPACE)).toMatchObject({ ok: true, rows: 70 })
    })
  })
}

test("nothing is left in the temporary folder", () => {
  expect(readdirSync(tmpdir()).filter(name => name.startsWith("carrel-audit-"))).toEqual([])
})
