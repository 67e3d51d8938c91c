/** Histories that are longer than the window of their model, against a stand-in that tells what it was given. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { guessTokens } from "../../src/backends/guess-tokens.ts"
import type { Client } from "../support/app.ts"
import { isSummary, remembering, SMALL, SMALL_MODEL, summaryIn } from "../support/histories.ts"
import type { RecordedRequest, ScriptedTurn } from "../support/model-script.ts"
import { startTalk, type Talk } from "../support/talk.ts"
import { until } from "../support/until.ts"

let talk: Talk
let api: Client

beforeAll(async () => {
  const thinker = { ...SMALL, name: "thinker:1b", capabilities: ["completion", "thinking"] }
  talk = await startTalk({}, [SMALL, thinker, { ...SMALL, name: "large:70b", contextLength: 131_072 }])
  api = talk.api
})
afterAll(() => talk.stop())

const ASKED = { model: SMALL_MODEL, use_library: false }
const REPLY = "It was noted, and it stands in the book of the harbor with the others. ".repeat(4)
const FILLER = "The boats lie at the pier, the nets hang in the wind and somebody counts the barrels again. ".repeat(4)

const got = (scene: string): RecordedRequest[] => talk.scenes.got(scene)
const answersOf = (scene: string) => got(scene).filter(request => !isSummary(request))
const summariesOf = (scene: string) => got(scene).filter(isSummary)
const scene = (name: string, more?: (request: RecordedRequest) => ScriptedTurn | undefined) =>
  talk.scenes.add(name, remembering(`case-${name} ${REPLY}`, more))

/** Asks one after the other. @returns id of the conversation */
async function asks(name: string, from: number, to: number, more: object = {}, known?: string): Promise<string> {
  let id = known
  for (let turn = from; turn <= to; turn++) {
    const fact = turn <= 30 || turn % 20 === 0 ? `FACT-${turn}=word${turn}` : `It is day ${turn}`
    const message = `case-${name} ${fact}. ${FILLER}`
    const path = id === undefined ? "/conversations" : `/conversations/${id}`
    const { status, body } = await api.post(path, { ...ASKED, ...more, message }, { accept: "application/json" })
    expect([turn, status, body.error]).toEqual([turn, 200, undefined])
    id = body.conversation_id
  }
  return id!
}

const textsOf = (request: RecordedRequest): string => JSON.stringify(request.messages)
/** The oldest messages stand in a summary, and nothing is left out. */
const SUMMED_UP =
  "the model was given a summary in the place of the oldest messages: they do not fit into its context window"
// biome-ignore lint/suspicious/noExplicitAny: a body
const messagesOf = (conversation: Record<string, any>): string[] => [
  ...new Set<string>(
    conversation.messages.flatMap((each: { warnings: { message: string }[] }) =>
      each.warnings.map(({ message }) => message),
    ),
  ),
]
// biome-ignore lint/suspicious/noExplicitAny: a body
const warningsOf = (conversation: Record<string, any>): string[] =>
  conversation.messages.flatMap((each: { warnings: { code: string }[] }) => each.warnings.map(({ code }) => code))

test("after 200 turns the model still gets the first facts, in few summaries, and nothing is said to be left out", async () => {
  scene("two00")
  const id = await asks("two00", 1, 200)
  const last = answersOf("two00").at(-1)!
  for (const turn of [1, 2, 3, 40, 120, 200]) expect(textsOf(last)).toContain(`FACT-${turn}=word${turn}`)
  // What a summary takes up is half of what fits, so there is one in some nine turns.
  expect(summariesOf("two00").length).toBeLessThan(40)
  for (const request of got("two00")) {
    const tokens = request.messages.reduce(
      (sum: number, { content }: { content: string }) => sum + guessTokens(content),
      0,
    )
    expect(tokens).toBeLessThan(4_096)
  }
  const conversation = await talk.stored(id)
  expect(conversation.messages).toHaveLength(400)
  expect(messagesOf(conversation)).toEqual([SUMMED_UP])
  expect(conversation.summary.text).toStartWith("Remembered: FACT-1=word1")
  const upTo = conversation.messages.findIndex(
    (each: { id: string }) => each.id === conversation.summary.up_to_message_id,
  )
  // The next message that the model was given is the one behind it.
  expect(upTo).toBeGreaterThan(350)
  expect(last.messages[2].content).toBe(conversation.messages[upTo + 1].content)
}, 120_000)

test("between two summaries each prompt begins as the one before", async () => {
  scene("prefix")
  await asks("prefix", 1, 40, { system_prompt: "You keep the harbor's book." })
  const answers = answersOf("prefix")
  let same = 0
  for (const [at, request] of answers.slice(1).entries()) {
    const before = answers[at]!.messages
    if (summaryIn(request) !== summaryIn({ messages: before })) continue
    same++
    expect(request.messages.slice(0, before.length)).toEqual(before)
  }
  expect(same).toBeGreaterThan(30)
  expect(answers.at(-1)!.messages[0]).toEqual({ role: "system", content: "You keep the harbor's book." })
  expect(answers.at(-1)!.messages[1].content).toStartWith("Here is a summary")
}, 60_000)

test("the stream says that it sums up, before it writes", async () => {
  scene("phase")
  const id = await asks("phase", 1, 16)
  let events = await talk.stream(`/conversations/${id}`, { ...ASKED, message: `case-phase ${FILLER}` })
  while (!events.some(({ event, data }) => event === "status" && data.phase === "summarizing"))
    events = await talk.stream(`/conversations/${id}`, { ...ASKED, message: `case-phase ${FILLER}` })
  const phases = events.filter(({ event }) => event === "status").map(({ data }) => data)
  expect(phases[0]).toEqual({ phase: "summarizing", detail: { done: 0, total: 1 } })
  expect(phases.at(-1)).toEqual({ phase: "generating" })
}, 60_000)

test("a history that no summary was made of is read in parts, each kept as it comes", async () => {
  scene("late")
  const id = await asks("late", 1, 60, { history: "truncate" })
  expect(summariesOf("late")).toHaveLength(0)
  const cut = await talk.stored(id)
  expect(cut.summary).toBeNull()
  expect(warningsOf(cut)).toContain("context_truncated")
  const changed = await api.patch(`/conversations/${id}`, { history: "summarize" })
  expect(changed.body.settings.history).toBe("summarize")
  const events = await talk.stream(`/conversations/${id}`, { message: `case-late What was it? ${FILLER}` })
  const parts = events.filter(({ event, data }) => event === "status" && data.phase === "summarizing")
  expect(parts.length).toBeGreaterThan(2)
  expect(parts.map(({ data }) => data.detail)).toEqual(parts.map((_, done) => ({ done, total: parts.length })))
  expect(textsOf(answersOf("late").at(-1)!)).toContain("FACT-1=word1")
  const warnings = events.filter(({ event }) => event === "warning").map(({ data }) => data)
  expect(warnings).toEqual([{ code: "context_truncated", message: SUMMED_UP }])
}, 60_000)

describe("a summary that cannot be made", () => {
  const failures: [string, ScriptedTurn][] = [
    ["fails", { status: 500, error: "out of memory" }],
    ["empty", { text: "" }],
    ["thought", { pieces: ["<think>", "SECRETTHOUGHT about it"] }],
    ["broken", { text: "half a summary of it", resetAfter: 2 }],
  ]
  for (const [name, turn] of failures)
    test(`leaves the cut, and says so: ${name}`, async () => {
      scene(name, () => turn)
      const id = await asks(name, 1, 20)
      const conversation = await talk.stored(id)
      expect(conversation.summary).toBeNull()
      const told = conversation.messages.flatMap(
        (each: { warnings: { code: string; message: string }[] }) => each.warnings,
      )
      expect(told.at(-1)).toMatchObject({ code: "context_truncated" })
      expect(told.at(-1).message).toContain("no summary could be made")
      expect(textsOf(answersOf(name).at(-1)!)).not.toContain("FACT-1=")
    }, 60_000)
})

test("thoughts of a model never come into a summary", async () => {
  scene("inline", () => ({ pieces: ["<think>SECRETTHOUGHT", " more</think>", "\nRemembered: the pier"] }))
  scene("bare", () => ({ text: "SECRETTHOUGHT without a beginning </think> Remembered: the pier" }))
  scene("field", () => ({ thinking: "SECRETTHOUGHT", text: "Remembered: the pier" }))
  for (const [name, model] of [
    ["inline", SMALL_MODEL],
    ["bare", SMALL_MODEL],
    ["field", "ollama/thinker:1b"],
  ] as const) {
    const id = await asks(name, 1, 20, { model })
    expect((await talk.stored(id)).summary.text).toBe("Remembered: the pier")
    expect(JSON.stringify(answersOf(name))).not.toContain("SECRETTHOUGHT")
  }
}, 60_000)

test("a summary is bounded, whatever the model writes", async () => {
  scene("endless", () => ({ text: "And then the boats came in again. ".repeat(3_000) }))
  const id = await asks("endless", 1, 20)
  const { text } = (await talk.stored(id)).summary
  // 12 % of the window, by a count that has learned from the server.
  expect(guessTokens(text)).toBeLessThan(700)
  expect(text).toEndWith(".")
}, 60_000)

describe("a caller's own summary", () => {
  test("is given to the model from then on, and is part of the next one", async () => {
    scene("edit")
    const id = await asks("edit", 1, 20)
    const { up_to_message_id } = (await talk.stored(id)).summary
    const { status, body } = await api.patch(`/conversations/${id}`, { summary: { text: "FACT-own=edited by hand" } })
    expect([status, body.summary]).toEqual([200, { text: "FACT-own=edited by hand", up_to_message_id }])
    expect((await api.patch(`/conversations/${id}`, { summary: { text: " \n " } })).status).toBe(400)
    expect((await api.patch(`/conversations/${id}`, { title: " \n " })).status).toBe(400)
    await asks("edit", 21, 21, {}, id)
    expect(summaryIn(answersOf("edit").at(-1)!)).toContain("FACT-own=edited by hand")
    const calls = summariesOf("edit").length
    await asks("edit", 22, 36, {}, id)
    expect(textsOf(summariesOf("edit")[calls]!)).toContain("FACT-own=edited by hand")
    expect((await talk.stored(id)).summary.text).toContain("FACT-own=edited")
  }, 60_000)

  test("is refused where there is none, or where it is empty or too long; null takes one off, and it is made anew", async () => {
    scene("nosum")
    const id = await asks("nosum", 1, 2)
    for (const summary of [{ text: "mine" }, { text: "" }, { text: "x".repeat(20_001) }, {}, "text"]) {
      const { status, body } = await api.patch(`/conversations/${id}`, { summary })
      expect([summary, status, body.error.code]).toEqual([summary, 400, "invalid_request"])
      expect(JSON.stringify(body.error.details)).toContain("summary")
    }
    expect((await api.patch(`/conversations/${id}`, { summary: null })).body.summary).toBeNull()
    await asks("nosum", 3, 20, {}, id)
    expect((await talk.stored(id)).summary).not.toBeNull()
    expect((await api.patch(`/conversations/${id}`, { summary: null })).body.summary).toBeNull()
    await asks("nosum", 21, 21, {}, id)
    expect((await talk.stored(id)).summary.text).toContain("FACT-1=word1")
  }, 60_000)

  test("that came while a summary was being made stays", async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    let held = false
    scene("race", () => (held ? { text: "Remembered: by the model", held: promise } : undefined))
    const id = await asks("race", 1, 20)
    held = true
    const before = summariesOf("race").length
    const asking = asks("race", 21, 30, {}, id)
    await until(() => summariesOf("race").length > before)
    await api.patch(`/conversations/${id}`, { summary: { text: "by hand" } })
    held = false
    resolve()
    await asking
    // The one that was being made is not kept: the next is made of what the caller wrote.
    expect(textsOf(summariesOf("race")[before]!)).not.toContain("by hand")
    expect(textsOf(summariesOf("race")[before + 1]!)).toContain("Written down so far:\\n\\nby hand")
  }, 60_000)
})

describe("messages that a summary tells of", () => {
  test("take it along when a reply is written anew and they go", async () => {
    scene("anew")
    const id = await asks("anew", 1, 20)
    const { messages, summary } = await talk.stored(id)
    expect(summary).not.toBeNull()
    const { status } = await api.post(
      `/conversations/${id}/messages/${messages[3].id}/regenerate`,
      {},
      { accept: "application/json" },
    )
    expect(status).toBe(200)
    expect(await talk.stored(id)).toMatchObject({ summary: null, message_count: 4 })
    expect(textsOf(answersOf("anew").at(-1)!)).not.toContain("FACT-3=")
    expect(summaryIn(answersOf("anew").at(-1)!)).toBeUndefined()
  }, 60_000)

  test("leave it where only later ones go", async () => {
    scene("later")
    const id = await asks("later", 1, 20)
    const { messages, summary } = await talk.stored(id)
    await api.post(`/conversations/${id}/messages/${messages.at(-1).id}/regenerate`, {}, { accept: "application/json" })
    expect((await talk.stored(id)).summary).toEqual(summary)
  }, 60_000)
})

test("a reply that is stopped while it sums up keeps what was summed up before", async () => {
  let parts = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  scene("stop", () => (++parts === 3 ? { text: "Remembered: late", held: promise } : undefined))
  const id = await asks("stop", 1, 60, { history: "truncate" })
  const asking = api.post(
    `/conversations/${id}`,
    { history: "summarize", message: `case-stop Go on. ${FILLER}` },
    { accept: "application/json" },
  )
  await until(() => parts === 3)
  const cancelled = await api.post(`/conversations/${id}/cancel`)
  resolve()
  expect(cancelled.body.messages.at(-1)).toMatchObject({ finish_reason: "cancelled", content: "" })
  expect(cancelled.body.summary.text).toContain("FACT-1=word1")
  await asking
  expect(await until(() => talk.ollama.server.open === 0)).toBeTruthy()
  const calls = summariesOf("stop").length
  await api.post(`/conversations/${id}`, { message: "case-stop Again" }, { accept: "application/json" })
  // The first parts are not read again.
  expect(textsOf(summariesOf("stop")[calls]!)).toContain("Remembered: FACT-1=word1")
  expect(textsOf(answersOf("stop").at(-1)!)).toContain("FACT-1=word1")
}, 60_000)

test("a history in other scripts is summed up by its tokens", async () => {
  talk.scenes.add("script", remembering(`case-script ${"船は港にあります。".repeat(20)}`))
  let id: string | undefined
  for (let turn = 1; turn <= 20; turn++) {
    const path = id === undefined ? "/conversations" : `/conversations/${id}`
    const message = `case-script FACT-${turn}=鍵${turn} ${"港の船と網と樽を数える。".repeat(12)} ${"лодки у причала ".repeat(8)}`
    const { body } = await api.post(path, { ...ASKED, message }, { accept: "application/json" })
    id = body.conversation_id
  }
  const last = answersOf("script").at(-1)!
  expect(textsOf(last)).toContain("FACT-1=鍵1")
  for (const request of got("script"))
    expect(guessTokens(request.messages.map(({ content }: { content: string }) => content).join("\n"))).toBeLessThan(
      4_096,
    )
  expect(messagesOf(await talk.stored(id!))).toEqual([SUMMED_UP])
}, 60_000)

test("a message longer than the window, of another model before, is read in pieces", async () => {
  scene("piece")
  const book = Array.from({ length: 400 }, (_, at) => `case-piece FACT-p${at}=q${at} ${FILLER.slice(0, 90)}`).join("\n")
  const first = { model: "ollama/large:70b", use_library: false, message: `case-piece ${book}` }
  const { body, status } = await api.post("/conversations", first, { accept: "application/json" })
  expect([status, body.error]).toEqual([200, undefined])
  await asks("piece", 1, 1, {}, body.conversation_id)
  const summaries = summariesOf("piece")
  expect(summaries.length).toBeGreaterThan(4)
  const read = summaries.map(textsOf).join("\n")
  for (const at of [0, 100, 200, 399]) expect(read).toContain(`FACT-p${at}=q${at} `)
}, 60_000)
