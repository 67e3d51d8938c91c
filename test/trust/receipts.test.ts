/** A receipt says that bytes are gone: when it is there, no file of the data directory holds any of them. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Receipt, ReceiptKey } from "../../src/governance/receipts/receipt.ts"
import { carrel } from "../commands/carrel.ts"
import { type Answer, type Client, startTestApp, type TestApp } from "../support/app.ts"
import { holding } from "../support/holding.ts"
import { until } from "../support/until.ts"

/** Removals are erased together, a second or more after the first. */
const WRITTEN = { within: 90_000, everyMs: 200 }

let app: TestApp
let api: Client

beforeAll(async () => {
  app = await startTestApp({ "backup-retention-days": "30" })
  api = await app.client()
}, 60_000)
afterAll(() => app.stop())

const receiptOf = ({ status, headers }: Answer): string => {
  expect(status).toBe(204)
  return headers.get("x-receipt-id")!
}

async function written(id: string, by = api): Promise<Receipt> {
  await until(async () => (await by.get(`/receipts/${id}`)).status === 200, WRITTEN)
  return (await by.get(`/receipts/${id}`)).body
}

/** With WebCrypto and a canonical form made here, by RFC 8785 for what a receipt holds. */
async function isSigned({ signature, ...rest }: Receipt, { x }: ReceiptKey): Promise<boolean> {
  const names = Object.keys(rest).sort() as (keyof typeof rest)[]
  const text = `{${names.map(name => `${JSON.stringify(name)}:${JSON.stringify(rest[name])}`).join(",")}}`
  const key = await crypto.subtle.importKey("raw", Buffer.from(x, "base64url"), "Ed25519", false, ["verify"])
  return crypto.subtle.verify("Ed25519", key, Buffer.from(signature, "base64"), new TextEncoder().encode(text))
}

test("when the receipts are there, nothing of a file, a conversation and a run is on the disk", async () => {
  const word = (what: string) => `quv${what}olimpar`
  const planted = ["original", "name", "tag", "label", "message", "title", "task"].map(word)
  const kept = await api.index([{ name: "kept.txt", data: "The agreement of the warehouse stays." }])
  const labels = { tags: JSON.stringify([word("tag")]), metadata: JSON.stringify({ about: word("label") }) }
  const upload = [{ name: `${word("name")}.txt`, data: `The ${word("original")} was agreed on for the warehouse.` }]
  const repeated = { "idempotency-key": "upload-1" }
  const file = await api.settled((await api.upload(upload, labels, repeated)).body.files[0].id)
  const asked = await api.post("/start-conversation", {
    message: `What about the ${word("message")} and the ${word("original")}?`,
    file_ids: [file.id],
  })
  const conversation = asked.body.conversation_id
  await api.patch(`/conversations/${conversation}`, { title: word("title") })
  const run = (await api.post("/agents/run", { task: `Where is the ${word("task")} of ${word("original")}?` })).body
  for (const each of planted) expect(holding(app.data, each).length).toBeGreaterThanOrEqual(1)

  const ids = {
    file: receiptOf(await api.delete(`/libraries/${file.id}`)),
    conversation: receiptOf(await api.delete(`/conversations/${conversation}`)),
    run: receiptOf(await api.delete(`/agents/runs/${run.run_id}`)),
  }
  const early = await api.get(`/receipts/${ids.file}`)
  expect(early).toMatchObject({ status: 404, body: { error: { code: "not_found" } } })
  expect(early.body.error.message).toContain("under way")
  expect(Number(early.headers.get("retry-after"))).toBeGreaterThan(0)

  const receipts = [await written(ids.file), await written(ids.conversation), await written(ids.run)]
  for (const each of planted) expect(holding(app.data, each)).toEqual([])
  expect(receipts.map(({ what, ids }) => [what, ids])).toEqual([
    ["file", [file.id]],
    ["conversation", [conversation]],
    ["run", [run.run_id]],
  ])
  expect(receipts[0]!.sha256s).toEqual([file.sha256])
  for (const store of ["originals", "texts", "database", "database_log", "keyword_index", "vectors", "temporary_files"])
    expect(receipts[0]!.removed_from).toContain(store)
  const { body: key } = await api.get("/receipts/key")
  for (const receipt of receipts) {
    expect(Date.parse(receipt.backups_until!) - Date.parse(receipt.at)).toBe(30 * 86_400_000)
    expect(await isSigned(receipt, key)).toBe(true)
    expect(await isSigned({ ...receipt, ids: [kept[0].id] }, key)).toBe(false)
  }
  const listed = await api.get(`/receipts?resource=${file.id}`)
  expect(listed.body.data).toEqual([receipts[0]])
  const { body: told } = await api.get("/events?types=file.deleted")
  expect(told.data.at(-1).data).toMatchObject({ id: file.id, receipt_id: ids.file })
  expect((await api.get(`/libraries/${kept[0].id}/text`)).status).toBe(200)
  expect((await api.upload(upload, labels, repeated)).status).toBe(404)
}, 180_000)

test("verify-receipt trusts the installation's key, or the one that it is given, and no other", async () => {
  const [file] = await api.index([{ name: "short.txt", data: "Of no importance." }])
  const receipt = await written(receiptOf(await api.delete(`/libraries/${file.id}`)))
  const at = (name: string, value: unknown) => {
    const path = join(app.data, "..", `${crypto.randomUUID()}-${name}`)
    writeFileSync(path, JSON.stringify(value))
    return path
  }
  const genuine = at("receipt.json", receipt)
  const { body: key } = await api.get("/receipts/key")
  const verify = async (...args: string[]) => (await carrel(["verify-receipt", ...args], { data: app.data })).code
  expect(await verify(genuine)).toBe(0)
  expect(await verify(genuine, "--key", at("key.json", key))).toBe(0)
  for (const forged of [
    { ...receipt, at: "2026-01-01T00:00:00.000Z" },
    { ...receipt, more: "said by nobody" },
    { ...receipt, signature: Buffer.alloc(64).toString("base64") },
  ])
    expect(await verify(at("forged.json", forged))).toBe(1)
  const other = { ...key, x: Buffer.alloc(32, 7).toString("base64url") }
  expect(await verify(genuine, "--key", at("other.json", other))).toBe(1)
  expect(await verify(at("none.json", { id: "x" }))).toBe(2)
  expect(await verify(genuine, "--key", at("nokey.json", { kty: "RSA" }))).toBe(2)
  expect(await verify()).toBe(2)
}, 120_000)
