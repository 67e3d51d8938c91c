/** Bounds: what comes past them is refused at once with `overloaded`, and accepted again when there is room. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { receiveMultipart } from "../../src/http/multipart.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { type Answer, type Client, startTestApp, type TestApp } from "../support/app.ts"
import { rejection } from "../support/rejection.ts"
import { until } from "../support/until.ts"

let app: TestApp
let client: Client
beforeAll(async () => {
  app = await startTestApp({ "max-uploads": "2", "max-queued-files": "3" })
  client = await app.client()
})
afterAll(() => app.stop())

const upload = () => client.upload([{ name: `${crypto.randomUUID()}.txt`, data: "The ferry leaves at noon." }])
const refusal = ({ status, headers, body }: Answer) => [
  status,
  body.error?.code,
  Number(headers.get("retry-after")) > 0,
]
const temporary = () => readdirSync(join(app.data, "tmp"))

/** An upload whose client stops amid the file. */
function stalledUpload(app: TestApp, client: Client): Promise<Socket> {
  const { hostname, port } = new URL(app.url)
  const head = [
    "POST /external/upload HTTP/1.1",
    "Host: localhost",
    ...Object.entries(client.credentials).map(([name, value]) => `${name}: ${value}`),
    "Content-Type: multipart/form-data; boundary=b",
    "Content-Length: 100000",
  ]
  const part = '--b\r\nContent-Disposition: form-data; name="files"; filename="slow.txt"\r\n\r\nbeginning'
  return new Promise(resolve => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${head.join("\r\n")}\r\n\r\n${part}`)
      resolve(socket)
    })
    socket.on("error", () => {})
  })
}

describe("uploads", () => {
  test("past the bound at the same time are refused, and taken again when one has left", async () => {
    const stalled = await Promise.all([stalledUpload(app, client), stalledUpload(app, client)])
    await until(() => temporary().length === 2)
    expect(refusal(await upload())).toEqual([503, "overloaded", true])
    for (const socket of stalled) socket.destroy()
    await until(() => temporary().length === 0) // and nothing is left of what was cut off
    expect((await upload()).status).toBe(202)
  })

  test("of one key leave places to others", async () => {
    const four = await startTestApp({ "max-uploads": "4" })
    try {
      const [greedy, other] = [await four.client("greedy"), await four.client("other")]
      const stalled = await Promise.all([1, 2, 3].map(() => stalledUpload(four, greedy)))
      await until(() => readdirSync(join(four.data, "tmp")).filter(name => name.startsWith("file_")).length === 3)
      const file = { name: "a.txt", data: "The ferry leaves at noon." }
      expect(refusal(await greedy.upload([file]))).toEqual([503, "overloaded", true])
      expect((await other.upload([file])).status).toBe(202)
      for (const socket of stalled) socket.destroy()
    } finally {
      await four.stop()
    }
  })

  test("are refused while too many files are waiting to be indexed, and store nothing", async () => {
    const database = await openSqlite(app.data)
    const later = new Date(Date.now() + 60_000).toISOString()
    for (const id of ["a", "b", "c"])
      await database
        .insertInto("jobs")
        .values({
          id,
          task: "index_file",
          subject: id,
          workspace_id: "ws_none",
          lane: "ordinary",
          payload: "{}",
          attempts: 0,
          max_attempts: 4,
          interruptions: 0,
          run_at: later,
          created_at: later,
        })
        .execute()
    const before = (await client.get("/libraries")).body.pagination.total_items
    expect(refusal(await upload())).toEqual([503, "overloaded", true])
    expect((await client.get("/libraries")).body.pagination.total_items).toBe(before)
    await database.deleteFrom("jobs").where("id", "in", ["a", "b", "c"]).execute()
    await database.destroy()
    expect((await upload()).status).toBe(202)
  })

  test("that stall are given up", async () => {
    const body = new ReadableStream({
      start: controller => controller.enqueue(new TextEncoder().encode("--b\r\n")),
    })
    const request = new Request("http://x/", {
      method: "POST",
      headers: { "content-type": "multipart/form-data; boundary=b" },
      body,
    })
    const handlers = { file: async () => {}, field: () => {}, patience: () => ({ ms: 50 }) }
    expect(await rejection(receiveMultipart(request, handlers))).toMatchObject({
      code: "request_timeout",
      status: 408,
      message: "no part of the form arrived for 0.05 s",
    })
  })
})
