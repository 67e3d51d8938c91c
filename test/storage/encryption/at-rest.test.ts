/** Nothing of a document stands in clear in the data directory but its name, the words of the index and its vectors. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startTestApp, type TestApp } from "../../support/app.ts"
import { filesHolding } from "../../support/held.ts"
import { rejection } from "../../support/rejection.ts"

const SENTENCE = "Die Reiherkolonie am Quendelbach zählte siebzehn Brutpaare."
const folder = mkdtempSync(join(tmpdir(), "carrel-keys-"))
const keyFile = (name: string, byte: string): string => {
  const path = join(folder, name)
  writeFileSync(path, byte.repeat(32), { mode: 0o600 })
  return path
}
const right = keyFile("right", "ab")
const wrong = keyFile("wrong", "cd")
let app: TestApp
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("an installation with a key", () => {
  beforeAll(async () => {
    app = await startTestApp({ "encryption-key-file": right })
  })
  afterAll(() => app.stop())

  test("holds no sentence of a document in clear, and finds it", async () => {
    const client = await app.client()
    const text = `${SENTENCE} `.repeat(400)
    const [{ id }] = await client.index([{ name: "heron.txt", data: text }])
    const found = await client.post("/search", { query: "Quendelbach Brutpaare" })
    expect(found.body.hits[0].text).toContain(SENTENCE)
    const exact = await client.post("/search", { query: '"Quendelbach zählte siebzehn"', mode: "keyword" })
    expect(exact.body.hits[0].text).toContain(SENTENCE)
    expect(filesHolding(app.data, SENTENCE)).toEqual([])
    const content = await client.get(`/libraries/${id}/content`)
    expect(content.body).toBe(text)
  })

  test("starts with no other key, and with none it says what is missing", async () => {
    const data = app.data
    expect(String(await rejection(app.restart({ "encryption-key-file": wrong })))).toContain("another key")
    expect(String(await rejection(app.restart({ "encryption-key-file": "" })))).toContain("is encrypted")
    expect(data).toBe(app.data)
    await app.restart()
  })
})
