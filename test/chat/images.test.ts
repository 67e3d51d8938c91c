/** Pictures of messages: what the model receives, what is stored and shown, what is refused, what is gone. */
// biome-ignore-all lint/suspicious/noExplicitAny: bodies of responses
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import type { Client } from "../support/app.ts"
import { LLAMA, type OllamaModel } from "../support/ollama.ts"
import { startOpenAi } from "../support/openai.ts"
import { picture, pictureBytes } from "../support/pictures.ts"
import { MODEL, startTalk, type Talk } from "../support/talk.ts"

const SEER: OllamaModel = { ...LLAMA, name: "llava:7b", capabilities: ["completion", "vision"] }
const ASKED = { model: "ollama/llava:7b", use_library: false }
const JSON_ONLY = { accept: "application/json" }

let talk: Talk
let api: Client
let openai: Awaited<ReturnType<typeof startOpenAi>>
beforeAll(async () => {
  openai = await startOpenAi()
  talk = await startTalk({ "openai-base-url": `${openai.url}/v1` }, [
    LLAMA,
    SEER,
    { ...SEER, name: "small-seer:1b", contextLength: 8_192 },
  ])
  api = talk.api
})
afterAll(async () => {
  await talk.stop()
  openai.stop()
})

const got = (scene: string) =>
  talk.scenes.got(scene).at(-1).messages as { role: string; content: string; images?: string[] }[]
const ask = (path: string, body: object) => api.post(path, { ...ASKED, ...body }, JSON_ONLY)
const blobs = () =>
  readdirSync(join(talk.app.data, "blobs"), { recursive: true, withFileTypes: true }).filter(each => each.isFile())
    .length

test("the model gets a message's pictures, again with follow-ups and when it writes anew; they are shown with the message", async () => {
  talk.scenes.add("see", { text: "A boat." })
  const images = [picture("image/png", 3_000, 1), picture("image/webp", 100, 2)]
  const { status, body } = await ask("/conversations", { message: "case-see What is it?", images })
  expect([status, body.error]).toEqual([200, undefined])
  expect(got("see")[0]!.images).toEqual(images.map(({ data }) => data))
  const id = body.conversation_id
  const [asked, reply] = body.messages
  const path = `/conversations/${id}/messages/${asked.id}/images`
  expect(asked.images).toEqual([
    { mime_type: "image/png", size: 3_000, url: `/external-docs/external${path}/0` },
    { mime_type: "image/webp", size: 100, url: `/external-docs/external${path}/1` },
  ])
  expect(reply.images).toEqual([])
  const follow = await ask(`/conversations/${id}`, {
    message: "case-see And now?",
    images: [picture("image/gif", 50, 3)],
  })
  expect(got("see").map(turn => turn.images?.length ?? 0)).toEqual([2, 0, 1])
  await ask(`/conversations/${id}/messages/${follow.body.messages[1].id}/regenerate`, {})
  expect(got("see").map(turn => turn.images?.length ?? 0)).toEqual([2, 0, 1])
  const shown = await api.raw("GET", `${path}/0`)
  expect([shown.status, shown.headers.get("content-type")]).toEqual([200, "image/png"])
  expect(Buffer.from(await shown.arrayBuffer())).toEqual(pictureBytes("image/png", 3_000, 1))
  expect((await talk.stored(id)).messages.map((each: any) => each.images.length)).toEqual([2, 0, 1, 0])
  for (const none of [`${path}/2`, `${path}/x`, `/conversations/${id}/messages/${reply.id}/images/0`])
    expect((await api.raw("GET", none)).status).toBe(404)
  const stranger = await talk.app.client("another")
  expect((await stranger.raw("GET", `${path}/0`)).status).toBe(404)
})

test("the routes that answer as JSON take them as well", async () => {
  talk.scenes.add("json", { text: "A boat." })
  const first = await api.post("/start-conversation", { ...ASKED, message: "case-json", images: [picture()] })
  const { conversation_id } = first.body
  await api.post("/send", { conversation_id, message: "case-json again", images: [picture()] })
  const last = await api.post("/continue", {
    ...ASKED,
    conversation_id,
    message: "case-json more",
    images: [picture()],
  })
  expect([first.status, last.status]).toEqual([200, 200])
  expect(got("json").map(turn => turn.images?.length ?? 0)).toEqual([1, 0, 1, 0, 1])
  expect(last.body.messages[0].images).toHaveLength(1)
})

test("an interrupted reply is written on with the pictures of its message", async () => {
  talk.scenes.add("cut", { text: "A boat lies", reason: "length" })
  const { body } = await ask("/conversations", { message: "case-cut What?", images: [picture()] })
  await api.post("/continue", { ...ASKED, conversation_id: body.conversation_id })
  expect(got("cut").map(turn => turn.images?.length ?? 0)).toEqual([1, 0])
})

test("a message that is changed keeps its pictures where the request brings none", async () => {
  talk.scenes.add("edit", { text: "A boat." })
  const { body } = await ask("/conversations", { message: "case-edit What?", images: [picture("image/png", 100, 9)] })
  const anew = (more: object, message: string) =>
    ask(`/conversations/${body.conversation_id}/messages/${message}/regenerate`, {
      message: "case-edit Which?",
      ...more,
    })
  const kept = await anew({}, body.messages[0].id)
  expect(got("edit")[0]!.images).toEqual([picture("image/png", 100, 9).data])
  const before = blobs()
  const other = await anew({ images: [picture("image/jpeg")] }, kept.body.messages[0].id)
  expect(got("edit")[0]!.images).toEqual([picture("image/jpeg").data])
  expect(blobs()).toBe(before)
  await anew({ images: [] }, other.body.messages[0].id)
  expect(got("edit")[0]!.images).toBeUndefined()
  expect(blobs()).toBe(before - 1)
})

test("their bytes are gone with the conversation", async () => {
  talk.scenes.add("gone", { text: "A boat." })
  const before = blobs()
  const { body } = await ask("/conversations", { message: "case-gone", images: [picture(), picture()] })
  expect(blobs()).toBe(before + 2)
  await api.delete(`/conversations/${body.conversation_id}`)
  expect(blobs()).toBe(before)
})

test("in a small window the newest pictures of earlier messages are given, as far as there is room", async () => {
  talk.scenes.add("few", { text: "A boat." })
  const { body } = await ask("/conversations", {
    model: "ollama/small-seer:1b",
    message: "case-few",
    images: [picture()],
  })
  const more = (images?: object[]) =>
    ask(`/conversations/${body.conversation_id}`, { model: "ollama/small-seer:1b", message: "case-few", images })
  await more([picture("image/gif")])
  await more()
  expect(got("few").map(turn => turn.images?.length ?? 0)).toEqual([0, 0, 1, 0, 0])
})

describe("refused, and nothing is stored:", () => {
  const png = picture()
  const CASES: [string, object, string][] = [
    ["a model that sees none", { model: MODEL, images: [png] }, "images.0"],
    ["the built-in one", { model: "builtin/extractive", images: [png] }, "images.0"],
    ["redaction", { redaction: true, images: [png] }, "images.0"],
    ["no base64", { images: [png, { ...png, data: "no base64!" }] }, "images.1.data"],
    ["a data URL", { images: [{ ...png, data: `data:image/png;base64,${png.data}` }] }, "images.0.data"],
    ["base64 without its padding", { images: [{ ...png, data: png.data.replace(/=+$/, "") }] }, "images.0.data"],
    ["nothing", { images: [{ ...png, data: "" }] }, "images.0.data"],
    ["a type that models do not take", { images: [{ ...png, mime_type: "image/svg+xml" }] }, "images.0.mime_type"],
    ["another type than the bytes are", { images: [{ ...png, mime_type: "image/jpeg" }] }, "images.0.mime_type"],
    [
      "a text",
      { images: [{ ...png, data: Buffer.from("hello, how are you").toString("base64") }] },
      "images.0.mime_type",
    ],
    ["nine", { images: Array(9).fill(png) }, "images"],
    ["too large", { images: [picture("image/png", 10 * 1_048_576 + 3)] }, "images.0.data"],
    ["no list", { images: png }, "images"],
    ["no data", { images: [{ mime_type: "image/png" }] }, "images.0.data"],
  ]
  for (const [name, more, field] of CASES)
    test(name, async () => {
      const before = [blobs(), (await api.get("/conversations?page_size=1")).body.pagination.total_items]
      const { status, body } = await ask("/conversations", { message: "What is it?", ...more })
      expect([name, status, body.error.code]).toEqual([name, 400, "invalid_request"])
      expect(body.error.details.map((each: { field: string }) => each.field)).toContain(field)
      expect([blobs(), (await api.get("/conversations?page_size=1")).body.pagination.total_items]).toEqual(before)
    })

  test("pictures without a message", async () => {
    const { body } = await ask("/conversations", { message: "Hello" })
    const { conversation_id, messages } = body
    for (const [path, more] of [
      ["/continue", { conversation_id }],
      [`/conversations/${conversation_id}/messages/${messages[1].id}/regenerate`, {}],
    ] as const) {
      const answer = await ask(path, { ...more, images: [png] })
      expect([path, answer.status, answer.body.error?.details?.[0].field]).toEqual([path, 400, "images"])
    }
  })
})

test("under redaction that came later, or with a model that sees none, pictures of earlier messages are not given", async () => {
  talk.scenes.add("later", { text: "A boat." })
  const { body } = await ask("/conversations", { message: "case-later", images: [picture()] })
  await ask(`/conversations/${body.conversation_id}`, { message: "case-later", redaction: true })
  expect(JSON.stringify(got("later"))).not.toContain("images")
  await ask(`/conversations/${body.conversation_id}`, { message: "case-later", redaction: false, model: MODEL })
  expect(JSON.stringify(got("later"))).not.toContain("images")
})

test("a server with the OpenAI interface gets them as parts of the content", async () => {
  const large = picture("image/png", 2_000_000, 5)
  const asked = {
    model: "openai/mistral-7b",
    use_library: false,
    message: "What is it?",
    images: [large, picture("image/gif")],
  }
  const { status } = await api.post("/conversations", asked, JSON_ONLY)
  expect(status).toBe(200)
  expect(openai.requests.at(-1).messages.at(-1).content).toEqual([
    { type: "text", text: "What is it?" },
    { type: "image_url", image_url: { url: `data:image/png;base64,${large.data}` } },
    { type: "image_url", image_url: { url: `data:image/gif;base64,${picture("image/gif").data}` } },
  ])
})

test("eight of ten megabytes are taken, with a text in any script, and given whole", async () => {
  talk.scenes.add("eight", { text: "Boats." })
  const images = Array.from({ length: 8 }, (_, fill) => picture("image/jpeg", 10 * 1_048_576, fill))
  const { status, body } = await ask("/conversations", { message: 'case-eight Was ist das? 船 ⛵ "quoted" \\', images })
  expect([status, body.error]).toEqual([200, undefined])
  expect(body.messages[0].content).toBe('case-eight Was ist das? 船 ⛵ "quoted" \\')
  expect(got("eight")[0]!.images!.map(data => Bun.hash(data))).toEqual(images.map(({ data }) => Bun.hash(data)))
  await api.delete(`/conversations/${body.conversation_id}`)
}, 120_000)

test("a repetition with its key follows the first call, and pictures tell two calls apart", async () => {
  talk.scenes.add("again", { text: "A boat." })
  const send = (fill: number) =>
    api.post(
      "/start-conversation",
      { ...ASKED, message: "case-again", images: [picture("image/png", 100, fill)] },
      { "idempotency-key": "one" },
    )
  const first = await send(1)
  expect((await send(1)).body.conversation_id).toBe(first.body.conversation_id)
  expect((await send(2)).status).toBe(409)
})

test("an answer about a picture is asked again with the same picture", async () => {
  talk.scenes.add("anew", { text: "A lighthouse." })
  const images = [picture("image/png", 2_000, 41)]
  const { body } = await ask("/conversations", { message: "case-anew What is it?", images })
  const follow = await ask(`/conversations/${body.conversation_id}`, { message: "case-anew And its colour?" })
  for (const { id } of [body.messages[1], follow.body.messages[1]]) {
    const path = `/conversations/${body.conversation_id}/messages/${id}/replay`
    const replayed = await api.post(path, {}, JSON_ONLY)
    expect(replayed.body).toMatchObject({ same_prompt: true, content: "A lighthouse." })
    expect(got("anew").flatMap(turn => turn.images ?? [])).toEqual(images.map(({ data }) => data))
  }
})
