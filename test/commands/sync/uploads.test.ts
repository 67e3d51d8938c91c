/** How `carrel sync` brings files: to a daemon that answers as the test likes. */
import { afterEach, describe, expect, test } from "bun:test"
import { Daemon, type DaemonOptions } from "../../../src/commands/sync/daemon.ts"
import { uploadAll } from "../../../src/commands/sync/uploads.ts"
import { type Connector, type Entry, Outage } from "../../../src/sources/connector.ts"
import { rejection } from "../../support/rejection.ts"

const servers: { stop(force: boolean): unknown }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.stop(true)
})

interface Received {
  keys: string[]
  fingerprints: string[]
  files: { name: string; text: string }[]
}

const json = (body: unknown, status = 200, headers = {}) => Response.json(body, { status, headers })
const refusal = (code: string, status: number, more = {}) => json({ error: { code, message: code, ...more } }, status)

/** What the daemon takes, and `answer` where a form is to be answered otherwise. */
function farEnd(answer: (form: Received, at: number) => Response | undefined | Promise<Response | undefined>) {
  const forms: Received[] = []
  let asked = 0
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 30,
    async fetch(request) {
      if (request.method === "GET") return json({ data: [] })
      const form = await request.formData()
      const received: Received = {
        keys: form.getAll("source_key") as string[],
        fingerprints: form.getAll("source_fingerprint") as string[],
        files: await Promise.all(
          (form.getAll("files") as File[]).map(async file => ({ name: file.name, text: await file.text() })),
        ),
      }
      const other = await answer(received, asked++)
      if (other) return other
      forms.push(received)
      return json({ files: received.keys.map(key => ({ source: { key } })), rejected: [] }, 202)
    },
  })
  servers.push(server)
  return { url: server.url, forms, asked: () => asked }
}

function place(texts: Record<string, string>, parallel?: number): { connector: Connector; entries: Entry[] } {
  const connector: Connector = {
    ...(parallel ? { parallel } : {}),
    async *list() {},
    async read({ key }) {
      const text = texts[key]!
      return {
        name: key.split("/").at(-1)!,
        bytes: (async function* () {
          yield Buffer.from(text)
        })(),
      }
    },
  }
  const entries = Object.entries(texts).map(([key, text]) => ({ key, fingerprint: `f-${key}`, size: text.length }))
  return { connector, entries }
}

async function bring(
  url: URL,
  { connector, entries }: { connector: Connector; entries: Entry[] },
  options: Partial<DaemonOptions> = {},
) {
  const signal = new AbortController().signal
  const daemon = new Daemon(url, { token: "t", signal, patienceMs: 5_000, firstWaitMs: 5, ...options })
  await daemon.json("GET", "/sources")
  const progress = [0, 0]
  const onProgress = (...done: [number, number]) => Object.assign(progress, done)
  const taken = await uploadAll({ daemon, connector, sourceId: "src_1", onProgress }, entries)
  return { taken, progress }
}

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`folder/${i}.txt`, `text ${i}`]))

describe("files of a place", () => {
  test("go many to a form, each behind its key and its fingerprint", async () => {
    const far = farEnd(() => undefined)
    const files = place({ ...many(900), 'odd "name"\r\n.txt': "odd", "日本/ü.txt": "ü" })
    const { taken, progress } = await bring(far.url, files)
    expect(taken).toEqual({ accepted: 902, failed: [], gone: [] })
    expect(progress[0]).toBe(902)
    expect(far.forms.length).toBeLessThan(10)
    const sent = far.forms.flatMap(({ keys, fingerprints, files }) =>
      keys.map((key, at) => ({ key, fingerprint: fingerprints[at]!, text: files[at]!.text })),
    )
    expect(sent).toHaveLength(902)
    for (const { key, fingerprint } of sent) expect(fingerprint).toBe(`f-${key}`)
    expect(sent.find(({ key }) => key === "日本/ü.txt")?.text).toBe("ü")
    expect(sent.find(({ key }) => key.startsWith("odd"))?.key).toBe('odd "name"\r\n.txt')
  })

  test("go alone where they are large, with all of their bytes, also where their size was not told", async () => {
    const far = farEnd(() => undefined)
    const text = "x".repeat(9 * 2 ** 20)
    const files = place({ "a.txt": "a", "large.txt": text, "b.txt": "b", "untold.txt": text })
    files.entries[3] = { key: "untold.txt", fingerprint: "f" }
    const { taken } = await bring(far.url, files)
    expect(taken).toEqual({ accepted: 4, failed: [], gone: [] })
    const lengths = far.forms.map(form => form.files.map(file => file.text.length))
    expect(lengths.filter(([first]) => first === text.length)).toEqual([[text.length], [text.length]])
  })

  test("are sent again where the daemon is busy, unwell or cut off, and only their form is", async () => {
    const trouble = [
      () => json({ error: { code: "rate_limited", message: "wait" } }, 429, { "retry-after": "0" }),
      () => refusal("overloaded", 503),
      () => new Response("<html>bad gateway</html>", { status: 502 }),
      () => refusal("internal_error", 500),
    ]
    const far = farEnd((_, at) => trouble[at]?.())
    const { taken } = await bring(far.url, place(many(900)))
    expect(taken.accepted).toBe(900)
    const keys = far.forms.flatMap(form => form.keys)
    expect(new Set(keys).size).toBe(900)
    expect(keys).toHaveLength(900)
    expect(far.asked()).toBe(far.forms.length + trouble.length)
  })

  test("are sent again after the connection was lost, large ones from their beginning", async () => {
    const text = "y".repeat(9 * 2 ** 20)
    let received = 0
    const server = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data(socket, data) {
          if (received === 0 && data.toString("latin1", 0, 3) === "GET") {
            socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}")
            return
          }
          received += data.length
          if (received < 2 ** 20) return
          socket.terminate()
          server.stop(true)
          again.resolve()
        },
      },
    })
    const again = Promise.withResolvers<void>()
    const back = again.promise.then(() => {
      const forms: string[] = []
      const up = Bun.serve({
        hostname: "127.0.0.1",
        port: server.port,
        async fetch(request) {
          const form = await request.formData()
          forms.push(await (form.get("files") as File).text())
          return json({ files: [{ source: { key: "large.txt" } }], rejected: [] }, 202)
        },
      })
      servers.push(up)
      return forms
    })
    const { taken } = await bring(new URL(`http://127.0.0.1:${server.port}`), place({ "large.txt": text }))
    expect(taken.accepted).toBe(1)
    expect((await back).map(each => each.length)).toEqual([text.length])
  })

  test("that are rejected are told with the reason, and the others are taken", async () => {
    const far = farEnd(({ keys }) => {
      const isBad = (key: string) => key.endsWith("7.txt")
      const error = { code: "unsupported_file_type", message: "cannot be read" }
      const rejected = keys.filter(isBad).map(key => ({ name: "x", source_key: key, error }))
      return json({ files: keys.filter(key => !isBad(key)).map(key => ({ source: { key } })), rejected }, 202)
    })
    const { taken, progress } = await bring(far.url, place(many(100)))
    expect(taken.accepted).toBe(90)
    expect(taken.failed).toHaveLength(10)
    expect(taken.failed[0]).toMatchObject({ error: { code: "unsupported_file_type", message: "cannot be read" } })
    expect(progress[0]).toBe(100)
  })

  test("of a form that is refused without saying which are sent one by one", async () => {
    const far = farEnd(({ keys }) => (keys.includes("folder/3.txt") ? refusal("empty_file", 400) : undefined))
    const { taken } = await bring(far.url, place(many(10)))
    expect(taken.accepted).toBe(9)
    expect(taken.failed).toEqual([{ key: "folder/3.txt", error: { code: "empty_file", message: "empty_file" } }])
  })

  test("that cannot be read are told, that are gone are none, and a place that is down ends all", async () => {
    const far = farEnd(() => undefined)
    const files = place(many(20))
    const { read } = files.connector
    files.connector.read = async (entry, signal) => {
      if (entry.key === "folder/4.txt") throw new Error("permission denied")
      return entry.key === "folder/5.txt" ? undefined : read(entry, signal)
    }
    const { taken } = await bring(far.url, files)
    expect(taken.accepted).toBe(18)
    expect(taken.gone).toEqual(["folder/5.txt"])
    expect(taken.failed).toEqual([
      { key: "folder/4.txt", error: { code: "unreadable", message: "cannot be read: permission denied" } },
    ])
    files.connector.read = async () => {
      throw new Outage("no answer")
    }
    expect(await rejection(bring(far.url, files))).toMatchObject({ message: "the place cannot be read: no answer" })
  })

  test("are given up where the daemon stays away for too long, or the key is refused", async () => {
    const away = farEnd(() => new Response(null, { status: 502 }))
    const gone = await rejection(bring(away.url, place(many(3)), { patienceMs: 50 }))
    expect(gone).toMatchObject({ message: "the daemon answered 502", hint: expect.stringContaining("goes on") })
    const refused = farEnd(() => refusal("forbidden", 403))
    expect(await rejection(bring(refused.url, place(many(3))))).toMatchObject({ status: 403, code: "forbidden" })
    expect(refused.asked()).toBe(1)
  })

  test("wait as long as the daemon asks for, all of them", async () => {
    let until = 0
    const early: number[] = []
    const far = farEnd((_, at) => {
      if (at === 0) {
        until = Date.now() + 1_000
        return json({ error: { code: "rate_limited", message: "wait" } }, 429, { "retry-after": "1" })
      }
      if (Date.now() < until - 20) early.push(at)
      return undefined
    })
    const { taken } = await bring(far.url, place(many(2_000)))
    expect(taken.accepted).toBe(2_000)
    expect(early.length).toBeLessThan(4) // those that were under way
  })
})

describe("a daemon", () => {
  const ask = (url: string, patienceMs = 5_000) =>
    rejection(
      new Daemon(new URL(url), { token: "t", signal: new AbortController().signal, patienceMs }).json(
        "GET",
        "/sources",
      ),
    )

  test("that was never reached is not waited for", async () => {
    expect(await ask("http://127.0.0.1:9")).toMatchObject({ message: expect.stringContaining("cannot be reached") })
  })

  test("that is none is told", async () => {
    const pages = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("<html>") })
    const missing = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("no", { status: 404 }) })
    const elsewhere = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => Response.redirect("http://127.0.0.1:9/"),
    })
    servers.push(pages, missing, elsewhere)
    for (const { url } of [pages, missing, elsewhere])
      expect(await ask(url.href)).toMatchObject({ message: expect.stringContaining("there is no Carrel at") })
  })

  test("is found behind a path, and with what its own prefix is", async () => {
    const paths: string[] = []
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch(request) {
        paths.push(new URL(request.url).pathname)
        return json({})
      },
    })
    servers.push(server)
    const signal = new AbortController().signal
    for (const path of ["", "/", "/carrel/", "/external-docs", "/external-docs/external/"])
      await new Daemon(new URL(server.url.origin + path), { token: "t", signal, patienceMs: 1 }).json("GET", "/x")
    expect(paths).toEqual([
      "/external-docs/external/x",
      "/external-docs/external/x",
      "/carrel/external-docs/external/x",
      "/external-docs/external/x",
      "/external-docs/external/x",
    ])
  })
})
