import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { ocrPage, writeOcrPack } from "../support/ocr-pack.ts"
import { carrel } from "./carrel.ts"

let folder: string
let pack: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "carrel-packs-"))
  pack = join(folder, "test.pack")
  await writeOcrPack(pack, ["heb", "rus"])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test("a pack is added to a directory that is still to be used, listed, verified and removed", async () => {
  const data = join(folder, "new")
  expect(await carrel(["packs", "list"], { data })).toMatchObject({ code: 0, out: "no packs; English is built in\n" })
  expect((await carrel(["packs", "verify", pack])).out).toBe(
    `${pack} is complete: test-heb+rus: 2 languages (heb, rus)\n`,
  )
  expect((await carrel(["packs", "add", pack], { data })).out).toBe("added test-heb+rus: 2 languages (heb, rus)\n")
  expect((await carrel(["packs", "add", pack], { data })).out).toBe("test-heb+rus was there already, and is intact\n")
  const [listed] = JSON.parse((await carrel(["packs", "list", "--json"], { data })).out)
  expect(listed).toMatchObject({
    name: "test-heb+rus",
    languages: [
      { language: "heb", name: "Hebrew" },
      { language: "rus", name: "Russian" },
    ],
    builtin: false,
  })
  expect((await carrel(["packs", "verify"], { data })).out).toBe("1 pack intact\n")
  expect((await carrel(["packs", "remove", "test-heb+rus"], { data })).code).toBe(0)
  expect((await carrel(["packs", "list"], { data })).out).toBe("no packs; English is built in\n")
}, 60_000)

test("what is no whole pack is refused with a reason, and makes no directory", async () => {
  const data = join(folder, "never")
  const cut = join(folder, "cut.pack")
  writeFileSync(cut, readFileSync(pack).subarray(0, 1_000_000))
  const { code, out, err } = await carrel(["packs", "add", cut], { data })
  expect([code, out]).toEqual([1, ""])
  expect(err).toContain("is truncated or damaged")
  expect(await Bun.file(join(data, "packs")).exists()).toBe(false)
  expect((await carrel(["packs", "add"], { data })).code).toBe(2)
  expect((await carrel(["packs", "remove", "none"], { data })).err).toContain('there is no pack "none"')
}, 60_000)

test("a backup names the packs, and restore and verify say that they are to be added", async () => {
  const app: TestApp = await startTestApp()
  try {
    const backup = join(folder, "backup.tar")
    await carrel(["packs", "add", pack], { data: app.data })
    expect((await carrel(["backup", backup], { data: app.data })).code).toBe(0)
    const said = "Not in it are the packs that the installation had: test-heb+rus (heb, rus)."
    expect((await carrel(["verify", backup])).out).toContain(said)
    const restored = join(folder, "restored")
    expect((await carrel(["restore", backup], { data: restored })).out).toContain(said)
    expect((await carrel(["packs", "list"], { data: restored })).out).toStartWith("no packs")
  } finally {
    await app.stop()
  }
}, 60_000)

test("a file in a language that is missing is read once its pack is added, by the daemon that runs", async () => {
  const app: TestApp = await startTestApp()
  try {
    const client: Client = await app.client()
    const [before] = await client.index([{ name: "отчёт.png", data: ocrPage("rus") }])
    expect(before).toMatchObject({ status: "failed", error: { code: "no_text" } })
    expect(before.warnings).toEqual([
      { code: "ocr_language_missing", message: expect.stringContaining("Cyrillic (rus, ukr)") },
    ])
    const doctor = async () => {
      const { findings } = JSON.parse((await carrel(["doctor", "--json"], { data: app.data })).out)
      return findings.find(({ what }: { what: string }) => what === "OCR languages")
    }
    expect(await doctor()).toMatchObject({ state: "note", remedy: expect.stringContaining("packs add") })
    await carrel(["packs", "add", pack], { data: app.data })
    expect((await carrel(["reindex", "--warning", "ocr_language_missing"], { data: app.data })).out).toBe(
      "1 file queued\n",
    )
    expect(await client.settled(before.id)).toMatchObject({ status: "searchable", warnings: [], ocr_page_count: 1 })
    const { body } = await client.post("/search", { query: "склад на набережной", mode: "keyword" })
    expect(body.hits[0].file.id).toBe(before.id)
    expect(await doctor()).toEqual({ what: "OCR languages", state: "ok", text: "eng, heb, rus" })
    expect(await (await fetch(`${app.url}/metrics`)).text()).toContain('carrel_ocr_language{language="rus"} 1')
  } finally {
    await app.stop()
  }
}, 240_000)
