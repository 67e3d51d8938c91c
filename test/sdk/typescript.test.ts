/** The TypeScript SDK on the real application, with answers cut, delayed and refused on the way. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"
import { Webhook } from "standardwebhooks"
import { stale } from "../../scripts/sdk/generate.ts"
import {
  ApiError,
  Carrel,
  ConflictError,
  ConnectionError,
  IndexingError,
  InvalidRequestError,
  NotFoundError,
  type Options,
  RateLimitedError,
  type ReplyEvent,
  ROUTES,
  SignatureError,
  TimeoutError,
  UnauthorizedError,
  VERSION,
  verifyWebhook,
} from "../../sdk/typescript/src/index.ts"
import { PAUSE, pauseAfter } from "../../sdk/typescript/src/retries.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { LLAMA, type OllamaStandIn, startOllama } from "../support/ollama.ts"
import { rejection } from "../support/rejection.ts"

const MODEL = `ollama/${LLAMA.name}`
const LEASE = "Either party may end this lease with a notice period of six months."

const firstPauseMs = PAUSE.firstMs
PAUSE.firstMs = 10

let app: TestApp
let ollama: OllamaStandIn
let raw: Client
let token: string

beforeAll(async () => {
  ollama = await startOllama([LLAMA])
  app = await startTestApp({ "ollama-host": ollama.server.url })
  raw = await app.client()
  token = [raw.key.client_id, raw.key.private_key, raw.key.secret].join(".")
  await raw.index([{ name: "lease.txt", data: LEASE }], { context_id: "lease" })
}, 60_000)

afterAll(async () => {
  await app.stop()
  ollama.server.stop()
})

const clientOf = (options: Options = {}) => new Carrel({ baseUrl: app.url, token, ...options })

type Fetch = NonNullable<Options["fetch"]>

/** Answers of its own to the first requests, then the server's. */
function faulty(...faults: ((url: string, init: RequestInit) => Promise<Response> | Response)[]): {
  fetch: Fetch
  sent: { url: string; init: RequestInit }[]
} {
  const sent: { url: string; init: RequestInit }[] = []
  const send: Fetch = async (url, init) => {
    sent.push({ url, init })
    const fault = faults.shift()
    return fault ? fault(url, init) : fetch(url, init)
  }
  return { fetch: send, sent }
}

const refused = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ error: { code, message: code, request_id: "req_1" } }, { status, headers })

/** The real answer, broken off after so many bytes. */
const cutAfter = (bytes: number) => async (url: string, init: RequestInit) => {
  const response = await fetch(url, init)
  const reader = response.body!.getReader()
  let left = bytes
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) return controller.close()
      if (value.length < left) {
        left -= value.length
        return controller.enqueue(value)
      }
      if (left > 0) controller.enqueue(value.subarray(0, left))
      await reader.cancel()
      controller.error(new TypeError("the connection was cut"))
    },
  })
  return new Response(body, response)
}
const broken = () => {
  throw new TypeError("fetch failed")
}
/** Carried out, and the answer lost. */
const lost = async (url: string, init: RequestInit) => {
  await (await fetch(url, init)).text()
  throw new TypeError("fetch failed")
}
const keysOf = (sent: { init: RequestInit }[]) =>
  sent.map(({ init }) => new Headers(init.headers).get("idempotency-key"))

test("what is generated is what the API is, in the product's version", () => {
  expect(stale().map(([file]) => file)).toEqual([])
  const { version } = JSON.parse(readFileSync(join(import.meta.dir, "../../package.json"), "utf8"))
  expect(VERSION).toBe(version)
  expect(JSON.parse(readFileSync(join(import.meta.dir, "../../sdk/typescript/package.json"), "utf8")).version).toBe(
    version,
  )
})

test("a POST that changes nothing is known as one, and no other is", () => {
  const harmless = Object.entries(ROUTES).filter(([, route]) => route.harmless)
  expect(harmless.map(([id]) => id).sort()).toEqual([
    ...["createEmbeddings", "createToken", "findDocuments", "previewRetention", "queryGraphql", "redact", "rerank"],
    ...["rerankV2", "retrieve", "retrieveV1", "search", "searchVectorStore"],
  ])
  for (const [, { method, idempotent }] of harmless) expect([method, idempotent]).toEqual(["POST", undefined])
})

describe("files", () => {
  test("are brought as text, bytes, blobs, paths and streams, waited for, listed, read and deleted", async () => {
    const carrel = clientOf()
    const path = join(mkdtempSync(join(tmpdir(), "sdk-")), "on disk.txt")
    writeFileSync(path, "The heron wades at the weir.")
    async function* stream() {
      yield new TextEncoder().encode("The otter ")
      yield new TextEncoder().encode("swims at night.")
    }
    const { files, rejected } = await carrel.files.upload(
      [
        { source: { text: "The badger digs." }, name: "بادجر 🦡.txt" },
        { source: new TextEncoder().encode("The lynx waits."), name: 'a "quoted"\n name.txt' },
        { source: new Blob(["The owl calls."]), name: "e\u0301.txt" },
        path,
        { source: stream(), name: "streamed.txt" },
      ],
      { tags: ["animals", "night"], metadata: { year: 2026 }, context_id: "zoo" },
    )
    expect(rejected).toEqual([])
    const ids = files.map(({ id }) => id)
    const found = await carrel.files.waitUntilSearchable(ids)
    expect(found.map(({ tags, metadata, context_id }) => [tags, metadata, context_id])).toEqual(
      ids.map(() => [["animals", "night"], { year: 2026 }, "zoo"]),
    )
    expect(files[0]!.name).toBe("بادجر 🦡.txt")
    expect(files[3]!.name).toBe("on disk.txt")
    expect(await Promise.all(ids.map(id => carrel.files.text(id)))).toEqual([
      "The badger digs.",
      "The lynx waits.",
      "The owl calls.",
      "The heron wades at the weir.",
      "The otter swims at night.",
    ])
    expect(await new Response(await carrel.files.download(ids[4]!)).text()).toBe("The otter swims at night.")
    const listed = await Array.fromAsync(carrel.files.list({ tag: "animals", order: "asc" }))
    expect(new Set(listed.map(({ id }) => id))).toEqual(new Set(ids))
    const { hits } = await carrel.search({ query: "otter", filters: { context_id: "zoo" } })
    expect(hits[0]!.file.id).toBe(ids[4]!)
    await carrel.files.delete(ids[4]!)
    expect(await rejection(carrel.files.get(ids[4]!))).toBeInstanceOf(NotFoundError)
  })

  test("that cannot be read are told of with their reason", async () => {
    const carrel = clientOf()
    const { files } = await carrel.files.upload({ source: new Uint8Array([1, 2, 3, 4]), name: "broken.pdf" })
    const error = await rejection(carrel.files.waitUntilSearchable(files[0]!.id))
    expect(error).toBeInstanceOf(IndexingError)
    expect((error as IndexingError).file.id).toBe(files[0]!.id)
  })

  test("of a list of several pages come each once", async () => {
    const carrel = clientOf()
    const names = Array.from({ length: 130 }, (_, at) => `page ${at}.txt`)
    await carrel.files.upload(
      names.map(name => ({ source: { text: `${name} stands here` }, name })),
      { context_id: "many" },
    )
    const listed = await Array.fromAsync(carrel.files.list({ context_id: "many" }))
    expect(listed.map(({ name }) => name).sort()).toEqual(names.sort())
  })

  test("are brought once, though the answer is lost on the way", async () => {
    const { fetch, sent } = faulty(lost)
    const carrel = clientOf({ fetch })
    const { files } = await carrel.files.upload(
      { source: { text: "brought once" }, name: "once.txt" },
      { on_duplicate: "keep_both" },
    )
    expect(sent).toHaveLength(2)
    expect(new Set(keysOf(sent)).size).toBe(1)
    const listed = await Array.fromAsync(carrel.files.list({ name: "once.txt" }))
    expect(listed.map(({ id }) => id)).toEqual([files[0]!.id])
  })

  test("of known sizes say how many bytes come; a stream does not", async () => {
    const { fetch, sent } = faulty()
    const carrel = clientOf({ fetch })
    const path = join(mkdtempSync(join(tmpdir(), "sdk-")), "known.txt")
    writeFileSync(path, "The heron wades. ".repeat(100_000))
    await carrel.files.upload([path, { source: { text: "Größe" }, name: "größe.txt" }], { tags: ["known"] })
    async function* stream() {
      yield new TextEncoder().encode("The size is not known.")
    }
    await carrel.files.upload({ source: stream(), name: "unknown.txt" })
    const said = sent.map(({ init }) => Number(new Headers(init.headers).get("content-length") ?? Number.NaN))
    expect(said).toEqual([expect.any(Number), Number.NaN])
    expect(said[0]! - 1_700_000).toBeWithin(100, 2_000) // what stands around the files
  })

  test("that grow while they are sent go as they were; those that became shorter are sent again as they are", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "sdk-")), "changing.txt")
    const kept = "It stood here from the beginning. ".repeat(50_000)
    const changed = (change: () => void) => (url: string, init: RequestInit) => {
      change()
      return fetch(url, init)
    }
    const upload = async (change: () => void) => {
      writeFileSync(path, kept)
      const { fetch, sent } = faulty(changed(change))
      const carrel = clientOf({ fetch })
      const { files } = await carrel.files.upload(path, { on_duplicate: "keep_both" })
      const tries = sent.length
      return { text: await new Response(await carrel.files.download(files[0]!.id)).text(), tries }
    }
    expect(await upload(() => appendFileSync(path, "It came later."))).toEqual({ text: kept, tries: 1 })
    const shorter = kept.slice(0, 1_000_000)
    expect(await upload(() => truncateSync(path, shorter.length))).toEqual({ text: shorter, tries: 2 })
  })

  test("that are not there are told of at once", async () => {
    const { fetch, sent } = faulty()
    expect(await rejection(clientOf({ fetch }).files.upload("/nowhere/at all.txt"))).toMatchObject({ code: "ENOENT" })
    expect(sent).toEqual([])
  })
})

describe("a folder", () => {
  test("is brought once; run again only what is new or changed, from a cut manifest too", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sdk-folder-"))
    const write = (path: string, text: string) => {
      mkdirSync(join(folder, path, ".."), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    for (let at = 0; at < 120; at++) write(`part ${at % 7}/note ${at}.txt`, `The note number ${at} of the folder.`)
    for (const name of ["a", "b", "c"]) write(`same/${name}/readme.txt`, `The readme of ${name}.`)
    write("left/out.txt", "not brought")
    const carrel = clientOf()
    const options = { context_id: "folder", parallel: 3, include: (path: string) => !path.startsWith("left/") }
    const first = await carrel.files.uploadDir(folder, options)
    expect([Object.keys(first.uploaded).length, first.unchanged, first.rejected]).toEqual([123, 0, []])
    const manifest = join(folder, ".carrel-manifest.jsonl")
    write("part 0/note 0.txt", "The first note says something else now.")
    write("new.txt", "A new note.")
    write("empty.txt", "")
    appendFileSync(manifest, '{"path": "half a li') // as a kill leaves it
    const second = await carrel.files.uploadDir(folder, options)
    expect(Object.keys(second.uploaded).sort()).toEqual(["new.txt", "part 0/note 0.txt"])
    expect(await rejection(carrel.files.get(first.uploaded["part 0/note 0.txt"]!))).toBeInstanceOf(NotFoundError)
    expect([second.unchanged, second.rejected.map(({ path, code }) => [path, code])]).toEqual([
      122,
      [["empty.txt", "empty_file"]],
    ])
    const listed = await Array.fromAsync(carrel.files.list({ context_id: "folder" }))
    expect(listed).toHaveLength(124)
    expect(new Set(listed.map(({ id }) => id))).toEqual(
      new Set(Object.values({ ...first.uploaded, ...second.uploaded })),
    )
    rmSync(folder, { recursive: true })
  })

  test("that was stopped twice, in the midst of a line, is brought once", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sdk-stopped-"))
    const names = Array.from({ length: 130 }, (_, at) => `${at + 100}.txt`)
    for (const name of names) writeFileSync(join(folder, name), `The stopped note ${name}.`)
    const manifest = join(folder, ".carrel-manifest.jsonl")
    const options = { context_id: "stopped", parallel: 1 }
    const stopped = async () => {
      const { fetch: send } = faulty((url, init) => fetch(url, init), broken)
      const carrel = clientOf({ fetch: send, retryMs: 0 })
      expect(await rejection(carrel.files.uploadDir(folder, options))).toBeInstanceOf(ConnectionError)
      return readFileSync(manifest, "utf8").trimEnd().split("\n").length
    }
    expect(await stopped()).toBe(50)
    const whole = readFileSync(manifest, "utf8")
    writeFileSync(manifest, whole.slice(0, -20)) // as a kill leaves it
    writeFileSync(`${manifest}.new`, whole.slice(0, 30))
    expect(await stopped()).toBe(100)
    const third = await clientOf().files.uploadDir(folder, options)
    expect([Object.keys(third.uploaded).length, third.unchanged]).toEqual([31, 99])
    const fourth = await clientOf().files.uploadDir(folder, options)
    expect([fourth.uploaded, fourth.unchanged]).toEqual([{}, 130])
    expect(await Array.fromAsync(clientOf().files.list({ context_id: "stopped" }))).toHaveLength(130)
    rmSync(folder, { recursive: true })
  })
})

describe("a conversation", () => {
  const ask = (carrel: Carrel, scene: string) =>
    carrel.conversations.stream({
      message: `case-${scene} What is the notice period?`,
      model: MODEL,
      context_id: "lease",
    })

  test("comes as typed events, as text alone, or as its final message", async () => {
    ollama.server.scenes.add("sdkplain", { text: "Six months [1]." })
    const carrel = clientOf()
    const events = await Array.fromAsync(ask(carrel, "sdkplain"))
    expect(events[0]!.event).toBe("conversation_created")
    expect(events.at(-1)!.event).toBe("done")
    expect((await Array.fromAsync(ask(carrel, "sdkplain").text())).join("")).toBe("Six months [1].")
    const final = await ask(carrel, "sdkplain").finalMessage()
    expect([final.content, final.finish_reason, final.citations[0]!.name]).toEqual([
      "Six months [1].",
      "stop",
      "lease.txt",
    ])
    const { messages } = await carrel.conversations.get(final.conversation_id)
    expect(messages.at(-1)!.content).toBe("Six months [1].")
    const again = carrel.conversations.send(final.conversation_id, { message: "case-sdkplain And then?", model: MODEL })
    expect((await again.finalMessage()).conversation_id).toBe(final.conversation_id)
    const followed = await carrel.conversations.follow(final.conversation_id).finalMessage()
    expect(followed.content).toBe("Six months [1].")
  })

  test("cut at every byte is told whole, each event once, and is asked once", async () => {
    ollama.server.scenes.add("sdkcut", { text: "Six — ستة 六 🦡 months." })
    const carrel = clientOf()
    const asked = { message: "case-sdkcut What?", model: MODEL, context_id: "lease" }
    const { length } = new TextEncoder().encode(await (await raw.raw("POST", "/conversations", asked)).text())
    const shapeOf = (events: ReplyEvent[]) =>
      events.map(({ id, event, data }) => [id, event, event === "message_delta" ? data : ""])
    const expected = shapeOf(await Array.fromAsync(carrel.conversations.stream(asked)))
    const before = ollama.server.scenes.got("sdkcut").length
    let times = 0
    for (let at = 0; at < length; at += 1 + Math.floor(length / 50)) {
      const { fetch } = faulty(cutAfter(at), cutAfter(at + 40))
      const cut = clientOf({ fetch }).conversations.stream(asked)
      expect([at, shapeOf(await Array.fromAsync(cut))]).toEqual([at, expected])
      times++
    }
    expect(ollama.server.scenes.got("sdkcut").length - before).toBe(times)
  }, 300_000)

  test("that fails throws the error of its code, with the request's id", async () => {
    ollama.server.scenes.add("sdkerror", { status: 500, error: "boom" })
    const error = await rejection(ask(clientOf(), "sdkerror").finalMessage())
    expect(error).toBeInstanceOf(ApiError)
    expect((error as ApiError).code).toBe("model_error")
  })

  test("is left at once where the caller gives it up, and written to its end all the same", async () => {
    const release = Promise.withResolvers<void>()
    ollama.server.scenes.add("sdkabort", { text: "one two three four", held: release.promise, holdAfter: 2 })
    const carrel = clientOf()
    const abort = new AbortController()
    const reply = carrel.conversations.stream(
      { message: "case-sdkabort What?", model: MODEL },
      { signal: abort.signal },
    )
    const reading = rejection(
      (async () => {
        for await (const { event } of reply) if (event === "message_delta") abort.abort(new Error("enough"))
      })(),
    )
    expect(await reading).toMatchObject({ message: "enough" })
    release.resolve()
    const followed = await carrel.conversations.follow(reply.conversationId!).finalMessage()
    expect(followed.content).toBe("one two three four")
  })
})

test("the pauses between tries grow to eight seconds", () => {
  PAUSE.firstMs = firstPauseMs
  for (const [tries, most] of [
    ...[[0, 500] as const, [1, 1_000] as const],
    ...[4, 5, 1_000].map(tries => [tries, 8_000] as const),
  ])
    for (const _ of Array(100)) {
      const pause = pauseAfter(new ConnectionError("cut"), tries, true)
      expect(pause).toBeWithin(most / 2, most + 1)
    }
  PAUSE.firstMs = 10
})

describe("a call", () => {
  test("is tried again after 429, 503 and a cut, in the time that the server names", async () => {
    const { fetch, sent } = faulty(
      () => refused(429, "rate_limited", { "retry-after": "0" }),
      () => refused(503, "overloaded", { "retry-after": "0" }),
      broken,
    )
    const { hits } = await clientOf({ fetch }).search("notice period")
    expect(hits[0]!.file.name).toBe("lease.txt")
    expect(sent).toHaveLength(4)
  })

  test("is given up where the wait would be longer than it may take", async () => {
    const { fetch, sent } = faulty(() => refused(429, "rate_limited", { "retry-after": "3600" }))
    const error = (await rejection(clientOf({ fetch }).search("notice"))) as ApiError
    expect(error).toBeInstanceOf(RateLimitedError)
    expect([error.retryAfter, error.requestId, error.status]).toEqual([3600, "req_1", 429])
    expect(sent).toHaveLength(1)
  })

  test("that makes something is sent once where nothing names it, and named where the API takes names", async () => {
    const unnamed = faulty(lost)
    expect(await rejection(clientOf({ fetch: unnamed.fetch }).keys.create({ name: "lost" }))).toBeInstanceOf(
      ConnectionError,
    )
    expect(unnamed.sent).toHaveLength(1)
    const named = faulty(lost, lost)
    const schedule = { name: "lost", every: "24h", request: { url: "/external/search", body: { query: "x" } } } as const
    const made = await clientOf({ fetch: named.fetch }).call("createSchedule", { body: schedule })
    expect(new Set(keysOf(named.sent)).size).toBe(1)
    const { body } = await raw.get("/schedules")
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([made.id])
  })

  test("throws a class of its own for each code", async () => {
    const carrel = clientOf()
    expect(await rejection(carrel.files.get("file_none"))).toBeInstanceOf(NotFoundError)
    expect(await rejection(clientOf({ token: "a.b.c" }).models.list())).toBeInstanceOf(UnauthorizedError)
    const invalid = (await rejection(carrel.search({ query: "x", limit: -1 }))) as ApiError
    expect(invalid).toBeInstanceOf(InvalidRequestError)
    expect(JSON.stringify(invalid.details)).toContain("limit")
    expect(invalid.requestId).toMatch(/^req_/)
    const options = { idempotencyKey: "used" }
    await carrel.sources.create({ type: "push", name: "one" }, options)
    expect(await rejection(carrel.sources.create({ type: "push", name: "two" }, options))).toBeInstanceOf(ConflictError)
  })

  test("ends in the time that it is given", async () => {
    const hanging = faulty(
      (_, { signal }) => new Promise((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason))),
    )
    const error = await rejection(clientOf({ fetch: hanging.fetch, timeoutMs: 50, retryMs: 0 }).models.list())
    expect(error).toBeInstanceOf(TimeoutError)
  })

  test("shows nothing of the credentials", async () => {
    const carrel = clientOf({ fetch: async () => refused(401, "unauthorized") })
    const error = await rejection(carrel.models.list())
    for (const text of [
      inspect(carrel, { depth: 9, showHidden: true }),
      JSON.stringify(carrel),
      inspect(error),
      String(error),
    ])
      for (const part of [raw.key.private_key, raw.key.secret]) expect(text).not.toContain(part)
    expect(JSON.stringify(carrel.conversations)).not.toContain(raw.key.secret)
  })
})

describe("unattended work", () => {
  test("events go on behind the cursor that was kept", async () => {
    const carrel = clientOf()
    let kept: string | undefined
    const cursor = {
      load: () => kept,
      save: (id: string) => {
        kept = id
      },
    }
    const first: string[] = []
    for await (const { id } of carrel.events.follow({ cursor, once: true, types: ["file.searchable"] })) {
      first.push(id)
      if (first.length === 3) break
    }
    const rest = await Array.fromAsync(carrel.events.follow({ cursor, once: true, types: ["file.searchable"] }))
    const all = await Array.fromAsync(carrel.events.follow({ once: true, types: ["file.searchable"] }))
    // The one that was being looked at when the reader left comes again: it may not have been taken.
    expect([...first.slice(0, 2), ...rest.map(({ id }) => id)]).toEqual(all.map(({ id }) => id))
  })

  test("an agent's run is started, followed and waited for; a batch gives its lines", async () => {
    ollama.server.scenes.add("sdkrun", { text: "It is six months." })
    const carrel = clientOf()
    const run = await carrel.agents.start({ task: "case-sdkrun Find the notice period.", model: MODEL })
    const events = await Array.fromAsync(carrel.agents.follow(run.run_id))
    expect(events.at(-1)!.event).toBe("done")
    expect((await carrel.agents.wait(run.run_id)).status).toBe("completed")
    const batch = await carrel.batches.create({
      requests: [{ custom_id: "one", method: "POST", url: "/external/search", body: { query: "notice" } }],
    })
    expect((await carrel.batches.wait(batch.id)).status).toBe("completed")
    const lines = await Array.fromAsync(carrel.batches.results(batch.id))
    expect(lines.map(({ custom_id, response }) => [custom_id, response?.status_code])).toEqual([["one", 200]])
  })

  test("a scoped token can less than its key", async () => {
    const carrel = clientOf()
    const scoped = await carrel.tokens.create({ scopes: ["search"], expires_in: 60 })
    const narrow = clientOf({ token: scoped.token })
    expect((await narrow.search("notice")).hits.length).toBeGreaterThan(0)
    expect(((await rejection(narrow.models.list())) as ApiError).code).toBe("forbidden")
  })

  test("a redacted text hides what is private", async () => {
    const { text } = await clientOf().redact("Write to anna@example.com")
    expect(text).not.toContain("anna@example.com")
  })
})

describe("a webhook", () => {
  const secret = `whsec_${Buffer.from("a secret of thirty-two bytes 123").toString("base64")}`
  const body = JSON.stringify({ type: "file.searchable", timestamp: "2026-11-23T10:00:00Z", data: { id: "file_1" } })
  const signed = (at: Date, text = body, id = "evt_1") => ({
    "webhook-id": id,
    "webhook-timestamp": `${Math.floor(at.getTime() / 1000)}`,
    "webhook-signature": `v1,AAAA ${new Webhook(secret).sign(id, at, text)}`,
  })

  test("is taken where its signature holds", async () => {
    expect(await verifyWebhook(body, signed(new Date()), secret)).toMatchObject({
      id: "evt_1",
      type: "file.searchable",
    })
    expect(await verifyWebhook(Buffer.from(body), new Headers(signed(new Date())), secret)).toMatchObject({
      id: "evt_1",
    })
  })

  test.each([
    ["another body", () => verifyWebhook(`${body} `, signed(new Date()), secret)],
    ["another id", () => verifyWebhook(body, { ...signed(new Date()), "webhook-id": "evt_2" }, secret)],
    ["another secret", () => verifyWebhook(body, signed(new Date()), `${secret.slice(0, -6)}AAAAA=`)],
    ["an old time", () => verifyWebhook(body, signed(new Date(Date.now() - 301_000)), secret)],
    ["a time to come", () => verifyWebhook(body, signed(new Date(Date.now() + 302_000)), secret)],
    ["no headers", () => verifyWebhook(body, {}, secret)],
    ["no base64", () => verifyWebhook(body, { ...signed(new Date()), "webhook-signature": "v1,***" }, secret)],
  ])("is refused for %s", async (_, verifying) => {
    expect(await rejection(verifying())).toBeInstanceOf(SignatureError)
  })
})
