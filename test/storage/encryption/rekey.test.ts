/** A directory that is encrypted later, and one that gets another key: while requests go on, and through kills. */
import { afterAll, expect, test } from "bun:test"
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { run as rekey } from "../../../src/commands/rekey.ts"
import { noteRunning } from "../../../src/commands/running.ts"
import { type Client, startTestApp } from "../../support/app.ts"
import { filesHolding } from "../../support/held.ts"
import { rejection } from "../../support/rejection.ts"
import { until } from "../../support/until.ts"

const SENTENCE = "Die Reiherkolonie am Quendelbach zählte siebzehn Brutpaare."
const folder = mkdtempSync(join(tmpdir(), "carrel-rekey-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const keyFile = (name: string, byte: string): string => {
  const path = join(folder, name)
  writeFileSync(path, byte.repeat(32), { mode: 0o600 })
  return path
}
const [first, second] = [keyFile("first", "ab"), keyFile("second", "cd")]

const readAll = async (client: Client, ids: readonly string[]) => {
  for (const id of ids) {
    expect((await client.get(`/libraries/${id}/content`)).body).toContain(SENTENCE)
    expect((await client.get(`/libraries/${id}/text`)).body).toContain(SENTENCE)
  }
  const { body } = await client.post("/search", { query: '"Quendelbach zählte"', mode: "keyword" })
  expect(body.hits[0].text).toContain(SENTENCE)
}

test("a directory in clear is encrypted by its daemon, while requests go on", async () => {
  const app = await startTestApp({ "encryption-key-file": "" })
  try {
    const client = await app.client()
    const texts = Array.from({ length: 40 }, (_, i) => ({
      name: `${i}.txt`,
      data: `${i}. ${`${SENTENCE} `.repeat(200)}`,
    }))
    const ids = (await client.index(texts)).map(({ id }) => id as string)
    expect(filesHolding(app.data, SENTENCE)).not.toEqual([])
    noteRunning(app.data, { url: app.url, pid: process.pid, version: "test", started_at: "" })
    let done = false
    const work = rekey(["--data", app.data, "--new-encryption-key-file", first]).finally(() => {
      done = true
    })
    let rounds = 0
    const added: string[] = []
    while (!done) {
      await readAll(client, ids.slice(rounds % 30, (rounds % 30) + 5))
      added.push((await client.index([{ name: `new-${rounds}.txt`, data: `${rounds} ${SENTENCE}` }]))[0].id)
      rounds++
    }
    expect(await work).toBe(0)
    expect(rounds).toBeGreaterThan(0)
    await until(() => filesHolding(app.data, SENTENCE).length === 0)
    await readAll(client, [...ids, ...added])
    expect(String(await rejection(app.restart({ "encryption-key-file": "" })))).toContain("is encrypted")
    await app.restart({ "encryption-key-file": first })
    await readAll(client, [...ids, ...added])
  } finally {
    await app.stop()
  }
}, 120_000)

test("another key opens what is encrypted from then on, beside a running daemon, and the former one does not", async () => {
  const app = await startTestApp({ "encryption-key-file": first })
  try {
    const client = await app.client()
    const [{ id }] = await client.index([{ name: "a.txt", data: SENTENCE }])
    const given = ["--data", app.data, "--encryption-key-file"]
    expect(String(await rejection(rekey([...given, second, "--new-encryption-key-file", first])))).toContain(
      "another key",
    )
    expect(await rekey([...given, first, "--new-encryption-key-file", second])).toBe(0)
    await readAll(client, [id])
    expect(String(await rejection(app.restart()))).toContain("another key")
    await app.restart({ "encryption-key-file": second })
    await readAll(client, [id])
  } finally {
    await app.stop()
  }
}, 60_000)

test("a key file that is none is refused before anything is done", async () => {
  const short = join(folder, "short")
  writeFileSync(short, "too short")
  expect(String(await rejection(startTestApp({ "encryption-key-file": short })))).toContain("must hold 32 bytes")
  expect(String(await rejection(startTestApp({ "encryption-key-file": join(folder, "none") })))).toContain(
    "there is no key file",
  )
  for (const [name, content] of [
    ["hex", `${"ab".repeat(32)}\n`],
    ["raw", Buffer.alloc(32, 0xab)],
    ["base64", Buffer.alloc(32, 0xab).toString("base64")],
  ] as const) {
    const path = join(folder, name)
    writeFileSync(path, content, { mode: 0o600 })
    copyFileSync(path, `${path}.copy`)
  }
  const app = await startTestApp({ "encryption-key-file": join(folder, "hex") })
  try {
    for (const name of ["raw", "base64"]) await app.restart({ "encryption-key-file": join(folder, name) })
  } finally {
    await app.stop()
  }
}, 60_000)
