/** Backups by the daemon: on request, by schedule, as many as are kept, in the operator's folder alone. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { verifyBackup } from "../../src/storage/backup.ts"
import { startTestApp, type TestApp } from "../support/app.ts"
import { People, type Session } from "../support/people.ts"
import { until } from "../support/until.ts"

const folder = mkdtempSync(join(tmpdir(), "carrel-backups-"))
const OLD = "carrel-20200101-000000Z.tar"
let app: TestApp
let people: People
let admin: Session

beforeAll(async () => {
  for (const name of [OLD, `${OLD}.partial`, "notes.txt", "carrel-2020.tar"]) writeFileSync(join(folder, name), "x")
  app = await startTestApp({ "backup-dir": folder, "backup-keep": "1" })
  people = new People(app)
  admin = (await people.add({ admin: true })).session
  await (await app.client()).index([{ name: "lease.txt", data: "The notice period is six months." }])
})
afterAll(async () => {
  await app.stop()
  rmSync(folder, { recursive: true, force: true })
})

const BACKUPS = "/installation/backups"
const state = async () => (await people.call("GET", BACKUPS, undefined, { ...admin })).body
const start = () => people.call("POST", BACKUPS, undefined, { ...admin })
const idle = () => until(async () => !(await state()).running)

test("one is written beside requests, is whole, and takes the place of the oldest; other files stay", async () => {
  expect(await state()).toMatchObject({ folder, every_hours: null, next_at: null, keep: 1, data: [{ name: OLD }] })
  const { status, body } = await start()
  expect([status, body.running.written_bytes >= 0, body.running.estimated_bytes > 0]).toEqual([202, true, true])
  expect((await start()).body.error.code).toBe("conflict")
  await idle()
  const { data, failure } = await state()
  expect([data.length, failure]).toEqual([1, null])
  const { files } = await verifyBackup(join(folder, data[0].name))
  expect(files.some(({ path }) => path.startsWith("blobs/"))).toBe(true)
  expect(readdirSync(folder).sort()).toEqual([data[0].name, "carrel-2020.tar", "notes.txt"].sort())
})

test("members write none and see none", async () => {
  const { session } = await people.add()
  const asked = await Promise.all(
    ["GET", "POST"].map(method => people.call(method, BACKUPS, undefined, { ...session })),
  )
  expect(asked.map(({ status }) => status)).toEqual([403, 403])
})

test("one that fails says why, keeps what there is, and leaves nothing behind", async () => {
  const gone = mkdtempSync(join(tmpdir(), "carrel-backups-"))
  await app.restart({ "backup-dir": gone })
  rmSync(gone, { recursive: true })
  await start()
  await idle()
  expect((await state()).failure.message).toContain(gone)
  expect(existsSync(gone)).toBe(false)
})

test("one is written by itself when the last is old enough, not before", async () => {
  const fresh = mkdtempSync(join(tmpdir(), "carrel-backups-"))
  await app.restart({ "backup-dir": fresh, "backup-every-hours": "1", "backup-keep": "3" })
  await until(async () => (await state()).data.length === 1)
  await app.restart({ "backup-dir": fresh, "backup-every-hours": "1", "backup-keep": "3" })
  const { data, running, next_at } = await state()
  expect([data.length, running]).toEqual([1, null])
  expect(Date.parse(next_at) - Date.parse(data[0].created_at)).toBe(3_600_000)
  rmSync(fresh, { recursive: true, force: true })
})

test("without a folder none is written, and the start says what is missing or wrong", async () => {
  await app.restart({ "backup-dir": "", "backup-every-hours": "0" })
  expect((await state()).folder).toBeNull()
  expect((await start()).body.error).toMatchObject({ code: "conflict", hint: expect.stringContaining("--backup-dir") })
  for (const [settings, says] of [
    [{ "backup-dir": "", "backup-every-hours": "1" }, "needs --backup-dir"],
    [{ "backup-dir": join(app.data, "tmp"), "backup-every-hours": "0" }, "outside"],
    [{ "backup-dir": join(folder, "none"), "backup-every-hours": "0" }, "does not exist"],
  ] as const) {
    const refused = await app.restart(settings).then(
      () => "started",
      (error: Error) => error.message,
    )
    expect(refused).toContain(says)
  }
  await app.restart({ "backup-dir": "", "backup-every-hours": "0" })
})
