/** A form of thousands of files takes its turns with the uploads of others, who are not kept until it is through. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { startTestApp, type TestApp } from "../support/app.ts"

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

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
