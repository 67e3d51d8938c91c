/** Files past the limit, of sizes that leave every buffer behind: refused soon, and the other files of the form taken. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"

const LIMIT = 1_000_000
/** Less than the two minutes for which a silent client is waited for. */
const SOON_MS = 60_000

let app: TestApp
let client: Client
beforeAll(async () => {
  app = await startTestApp({ "max-file-bytes": String(LIMIT) })
  client = await app.client()
})
afterAll(() => app.stop())

const temporaryFiles = () => readdirSync(join(app.data, "tmp")).filter(name => name.startsWith("file_"))
const blobs = () => readdirSync(join(app.data, "blobs")).flatMap(folder => readdirSync(join(app.data, "blobs", folder)))
const timed = async <T>(work: Promise<T>): Promise<T> => {
  const began = performance.now()
  const result = await work
  expect(performance.now() - began).toBeLessThan(SOON_MS)
  return result
}
const sized = (bytes: number) => Buffer.alloc(bytes, "The ferry leaves at noon. ")

/** Sends the head of an upload and the beginning of its body, then nothing; the answer's text and how long it took. */
function half(contentLength: number, beginning: Uint8Array): Promise<{ text: string; tookMs: number }> {
  const { hostname, port } = new URL(app.url)
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      const head = [
        "POST /external/upload HTTP/1.1",
        "Host: localhost",
        ...Object.entries(client.credentials).map(([name, value]) => `${name}: ${value}`),
        "Content-Type: multipart/form-data; boundary=b",
        `Content-Length: ${contentLength}`,
      ]
      socket.write(`${head.join("\r\n")}\r\n\r\n`)
      socket.write(beginning)
    })
    socket.on("data", data => {
      socket.destroy()
      resolve({ text: data.toString(), tookMs: performance.now() - began })
    })
    socket.on("error", reject)
  })
}

describe("a file over the limit", () => {
  test.each([1_000_001, 1_100_000, 50_000_000])("of %i bytes alone is 413 and leaves nothing", async bytes => {
    const before = blobs().length
    const { status, body } = await timed(client.upload([{ name: "large.txt", data: sized(bytes) }]))
    expect([status, body.error.code]).toEqual([413, "file_too_large"])
    expect(body.error.details).toEqual([{ name: "large.txt", code: "file_too_large", message: expect.any(String) }])
    expect(temporaryFiles()).toEqual([])
    expect(blobs().length).toBe(before)
  })

  test.each([1_100_000, 50_000_000])(
    "of %i bytes is rejected alone, and the files around it are taken whole",
    async bytes => {
      const stranger = await app.client(`around-${bytes}`)
      const last = sized(LIMIT)
      const { status, body } = await timed(
        stranger.upload(
          [
            { name: "first.txt", data: "before the large one" },
            { name: "large.txt", data: sized(bytes) },
            { name: "larger.txt", data: sized(bytes + 1) },
            { name: "program.exe", data: sized(bytes) },
            { name: "last.txt", data: last },
          ],
          { tags: "kept" },
        ),
      )
      expect(status).toBe(202)
      expect(body.files.map((file: any) => [file.name, file.size, file.tags])).toEqual([
        ["first.txt", 20, ["kept"]],
        ["last.txt", LIMIT, ["kept"]],
      ])
      expect(body.files[1].sha256).toBe(new Bun.CryptoHasher("sha256").update(last).digest("hex"))
      expect(body.rejected.map(({ name, error }: any) => [name, error.code])).toEqual([
        ["large.txt", "file_too_large"],
        ["larger.txt", "file_too_large"],
        ["program.exe", "unsupported_file_type"],
      ])
      expect(temporaryFiles()).toEqual([])
    },
  )

  test("is refused though its client sends no more than shows it", async () => {
    const part = '--b\r\nContent-Disposition: form-data; name="files"; filename="slow.txt"\r\n\r\n'
    const { text, tookMs } = await half(50_000_000, Buffer.concat([Buffer.from(part), sized(3 * LIMIT)]))
    expect(text).toStartWith("HTTP/1.1 413")
    expect(text).toContain("file_too_large")
    expect(tookMs).toBeLessThan(SOON_MS)
  }, 90_000)
})

describe("a file over the limit that goes on coming slowly", () => {
  test.each([
    ["100 bytes every half second", 100, 500],
    ["100 KB a second", 50_000, 500],
  ])(
    "is refused soon: %s",
    async (_, bytes, everyMs) => {
      const { hostname, port } = new URL(app.url)
      const head = [
        "POST /external/upload HTTP/1.1",
        "Host: localhost",
        ...Object.entries(client.credentials).map(([name, value]) => `${name}: ${value}`),
        "Content-Type: multipart/form-data; boundary=b",
        "Content-Length: 50000000",
      ]
      const part = '--b\r\nContent-Disposition: form-data; name="files"; filename="slow.txt"\r\n\r\n'
      const answer = Promise.withResolvers<string>()
      const socket = connect(Number(port), hostname, () => {
        socket.write(`${head.join("\r\n")}\r\n\r\n${part}`)
        socket.write(sized(1.5 * LIMIT))
      })
      socket.on("data", data => answer.resolve(data.toString()))
      socket.on("error", answer.reject)
      const began = performance.now()
      const dripping = setInterval(() => socket.write(sized(bytes)), everyMs)
      const text = await answer.promise.finally(() => {
        clearInterval(dripping)
        socket.destroy()
      })
      expect(text).toStartWith("HTTP/1.1 413")
      expect(text).toContain("file_too_large")
      expect(performance.now() - began).toBeLessThan(20_000) // less than half of what 20 s bring has come by then
    },
    40_000,
  )
})

describe("a form whose Content-Length no form may have", () => {
  test("is refused before a byte of it", async () => {
    const { text } = await half(2 ** 41, new Uint8Array())
    expect(text).toStartWith("HTTP/1.1 413")
    expect(text).toContain("request_too_large")
  })
})
