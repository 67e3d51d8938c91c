/** A form of thousands of files takes its turns with the uploads of others, who are not kept until it is through. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { startTestApp, type TestApp } from "../support/app.ts"

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

test("metadata that thousands of files would multiply is refused, and nothing of the form stays", async () => {
  const client = await app.client("multiplied")
  const many = Array.from({ length: 4_200 }, (_, i) => ({ name: `many-${i}.txt`, data: "x" }))
  const { status, body } = await client.upload(many, { metadata: JSON.stringify({ note: "n".repeat(16_000) }) })
  expect([status, body.error.code, body.error.details[0].field]).toEqual([400, "invalid_request", "metadata"])
  expect((await client.get("/libraries")).body.pagination.total_items).toBe(0)
  const blobs = readdirSync(join(app.data, "blobs")).flatMap(folder => readdirSync(join(app.data, "blobs", folder)))
  expect(blobs).toEqual([])
}, 120_000)

test("others' files are recorded between those of a large form", async () => {
  const [crowd, other] = [await app.client("crowd"), await app.client("other")]
  const many = Array.from({ length: 3_000 }, (_, i) => ({ name: `many-${i}.txt`, data: `file ${i}` }))
  let answered = false
  const form = crowd.upload(many).finally(() => {
    answered = true
  })
  const single: string[] = []
  for (let i = 0; !answered; i++) {
    const { status, body } = await other.upload([{ name: `single-${i}.txt`, data: `single ${i}` }])
    expect(status).toBe(202)
    single.push(body.files[0].created_at)
  }
  const { status, body } = await form
  expect([status, body.files.length, body.rejected]).toEqual([202, 3_000, []])
  const times = body.files.map((file: any) => file.created_at)
  expect(times).toEqual(times.toSorted())
  const between = single.filter(time => time > times[0] && time < times.at(-1))
  expect(between.length).toBeGreaterThan(0)
}, 120_000)
