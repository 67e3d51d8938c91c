/** Backups of an installation that is encrypted. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { backup, restore, verify } from "../../../src/commands/backup.ts"
import { type Client, startTestApp, type TestApp } from "../../support/app.ts"
import { filesHolding } from "../../support/held.ts"
import { rejection } from "../../support/rejection.ts"

const SENTENCE = "Die Reiherkolonie am Quendelbach zählte siebzehn Brutpaare."
const folder = mkdtempSync(join(tmpdir(), "carrel-backup-"))
const keyFile = (name: string, byte: string): string => {
  const path = join(folder, name)
  writeFileSync(path, byte.repeat(32), { mode: 0o600 })
  return path
}
const [right, wrong] = [keyFile("right", "ab"), keyFile("wrong", "cd")]
const archive = join(folder, "carrel.tar")
let app: TestApp
let client: Client
let id: string

beforeAll(async () => {
  app = await startTestApp({ "encryption-key-file": right })
  client = await app.client()
  id = (await client.index([{ name: "heron-name.txt", data: `${SENTENCE} `.repeat(3_000) }]))[0].id
})
afterAll(async () => {
  await app.stop()
  rmSync(folder, { recursive: true, force: true })
})

const key = (path: string) => ["--encryption-key-file", path]

test("are written with the key of the installation alone, and hold nothing in clear, names included", async () => {
  const written = ["--data", app.data, archive]
  expect(String(await rejection(backup.run(written)))).toContain("is encrypted")
  expect(String(await rejection(backup.run([...written, ...key(wrong)])))).toContain("another key")
  expect(await backup.run([...written, ...key(right)])).toBe(0)
  for (const word of [SENTENCE, "Quendelbach", "heron-name", "carrel.db"])
    expect(filesHolding(folder, word)).toEqual([])
})

test("are verified and restored with that key, and no other", async () => {
  const target = join(folder, "restored")
  for (const { run } of [verify, restore]) {
    expect(String(await rejection(run([archive, "--data", target])))).toContain(
      "is encrypted, and no key file is named",
    )
    expect(String(await rejection(run([archive, "--data", target, ...key(wrong)])))).toContain("with another key")
  }
  expect(await verify.run([archive, ...key(right)])).toBe(0)
  expect(await restore.run([archive, "--data", target, ...key(right)])).toBe(0)
  const restored = await startTestApp({ "encryption-key-file": right }, target)
  const own = await restored.client()
  expect((await own.get(`/libraries/${id}/content`)).body).toContain(SENTENCE)
  expect(filesHolding(target, SENTENCE)).toEqual([])
  await restored.stop()
})

test("that are cut or changed anywhere are refused", async () => {
  const bytes = readFileSync(archive)
  const broken = join(folder, "broken.tar")
  for (const at of [80, 70_000, bytes.length >> 1, bytes.length - 1]) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    writeFileSync(broken, changed)
    expect(String(await rejection(verify.run([broken, ...key(right)])))).toContain("damaged")
  }
  for (const length of [bytes.length - 1, 68 + 65_552, 68 + 65_552 * 2]) {
    writeFileSync(broken, bytes)
    truncateSync(broken, length)
    expect(String(await rejection(verify.run([broken, ...key(right)])))).toContain("damaged")
  }
})
