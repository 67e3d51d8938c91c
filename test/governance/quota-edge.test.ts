/** The bytes that a key may hold, at their edge: never more than they are, never less than what deleting gives back. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { until } from "../support/until.ts"

const LIMIT = 10_000

let app: TestApp
let auditor: Client
beforeAll(async () => {
  app = await startTestApp()
  auditor = await app.client()
}, 60_000)
afterAll(() => app.stop())

let serial = 0
const bytes = (size: number): string => `${++serial} `.padEnd(size, "heron ")
const file = (size: number, name = `${++serial}.txt`) => ({ name, data: bytes(size) })
const limited = () => app.client("default", { quota: { bytes_stored: LIMIT } })
const files = async (by: Client): Promise<{ id: string; size: number }[]> => {
  const { data } = (await by.get("/libraries?page_size=100")).body
  return data.filter(({ context_id }: { context_id: string }) => context_id === by.key.id)
}
const held = async (by: Client): Promise<number> => {
  const sum = (await files(by)).reduce((all, { size }) => all + size, 0)
  const { body } = await auditor.get("/usage?group_by=key&bucket=month")
  const told = body.data.filter(({ key }: { key: string }) => key === by.key.id)
  expect(told.at(-1)?.bytes_stored ?? 0).toBe(sum)
  return sum
}
const put = async (by: Client, some: ReturnType<typeof file>[], fields = {}) => {
  const { status, body } = await by.upload(some, { context_id: by.key.id, ...fields })
  const codes = [
    body.error?.code,
    ...(body.rejected ?? []).map((each: { error: { code: string } }) => each.error.code),
  ].filter(Boolean)
  return { status, codes, taken: body.files?.length ?? 0 }
}

test("uploads side by side, of one file and of many, never pass it together; what is left is taken to the last byte", async () => {
  const client = await limited()
  const answers = await Promise.all([
    ...Array.from({ length: 20 }, () => put(client, [file(900)])),
    ...Array.from({ length: 5 }, () => put(client, [file(500), file(600), file(700)])),
  ])
  for (const { status, codes } of answers)
    expect([status === 202 || (status === 429 && codes.includes("quota_exceeded")), status]).toEqual([true, status])
  const sum = await held(client)
  expect(sum).toBeGreaterThan(0)
  expect(sum).toBeLessThanOrEqual(LIMIT)
  if (sum < LIMIT) expect((await put(client, [file(LIMIT - sum)])).taken).toBe(1)
  expect(await held(client)).toBe(LIMIT)
  expect((await put(client, [file(1)])).status).toBe(429)
  expect(await held(client)).toBe(LIMIT)
})

test("a file that is replaced counts as it is then; one that would be too large leaves the former", async () => {
  const client = await limited()
  await put(client, [file(6_000, "plan.txt"), file(3_000)])
  const replace = (size: number) => put(client, [file(size, "plan.txt")], { on_duplicate: "replace" })
  expect((await replace(7_001)).codes).toContain("quota_exceeded")
  expect(await held(client)).toBe(9_000)
  expect((await replace(1_000)).status).toBe(202)
  expect(await held(client)).toBe(4_000)
  expect((await put(client, [file(6_000)])).status).toBe(202)
  expect(await held(client)).toBe(LIMIT)
})

test("what is deleted, side by side and amid uploads that are refused or left, can be taken again", async () => {
  const client = await limited()
  for (let round = 0; round < 3; round++) {
    await put(
      client,
      Array.from({ length: 10 }, () => file(1_000)),
    )
    expect(await held(client)).toBe(LIMIT)
    const leave = new AbortController()
    const left = client
      .raw(
        "POST",
        "/upload",
        neverEnding(leave.signal),
        { "content-type": "multipart/form-data; boundary=b" },
        {
          signal: leave.signal,
        },
      )
      .catch(() => undefined)
    await Promise.all([
      ...(await files(client)).map(({ id }) => client.delete(`/libraries/${id}`)),
      ...Array.from({ length: 5 }, () => put(client, [file(11_000)])),
    ])
    leave.abort()
    await left
    await until(async () => (await files(client)).length === 0)
    expect(await held(client)).toBe(0)
  }
})

test("downloads, whole or in part, send as many bytes as they say, have a row each, and count as nothing that is stored", async () => {
  const client = await limited()
  await put(client, [file(5_000)])
  const { id } = (await files(client))[0]!
  const used = async () => {
    const { body } = await auditor.get("/usage?group_by=key&bucket=month")
    const { bytes_in, bytes_stored } = body.data.findLast(({ key }: { key: string }) => key === client.key.id)
    return { bytes_in, bytes_stored }
  }
  const before = await used()
  const requests: string[] = []
  for (const [range, status, length] of [
    [undefined, 200, 5_000],
    ["bytes=0-0", 206, 1],
    ["bytes=100-1099", 206, 1_000],
    ["bytes=4990-", 206, 10],
    ["bytes=-7", 206, 7],
    ["bytes=5000-", 416, undefined],
  ] as const) {
    const answer = await client.raw("GET", `/libraries/${id}/content`, undefined, range ? { range } : {})
    const received = (await answer.arrayBuffer()).byteLength
    expect([range, answer.status]).toEqual([range, status])
    if (length !== undefined)
      expect([range, received, Number(answer.headers.get("content-length"))]).toEqual([range, length, length])
    if (status !== 416) requests.push(answer.headers.get("x-request-id")!)
  }
  expect(await used()).toEqual(before)
  const { body } = await auditor.get("/audit?action=file.download&order=desc&limit=50")
  const told = body.data.map(({ request_id }: { request_id: string }) => request_id)
  for (const id of requests) expect(told.filter((each: string) => each === id)).toEqual([id])
})

/** An upload whose bytes come until it is left. */
const neverEnding = (signal: AbortSignal): ReadableStream<Uint8Array> =>
  new ReadableStream({
    async start(controller) {
      controller.enqueue(
        Buffer.from('--b\r\ncontent-disposition: form-data; name="files"; filename="left.txt"\r\n\r\n'),
      )
      while (!signal.aborted) {
        controller.enqueue(Buffer.from("heron ".repeat(10)))
        await Bun.sleep(10)
      }
      controller.close()
    },
  })
