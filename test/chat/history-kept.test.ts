/** Summaries of long histories: of answers that go on from each other, under redaction, after a kill, on two nodes. */
// biome-ignore-all lint/suspicious/noExplicitAny: bodies of responses
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { SummaryStore } from "../../src/chat/history/summary-store.ts"
import { fromStore } from "../../src/guarded.ts"
import { Client } from "../support/app.ts"
import { startDaemon } from "../support/daemon.ts"
import { databases } from "../support/databases.ts"
import { factsIn, isSummary, remembering, SMALL, SMALL_MODEL, summaryIn } from "../support/histories.ts"
import { startOllama } from "../support/ollama.ts"
import { startTalk, type Talk } from "../support/talk.ts"
import { startTwoNodes } from "../support/two-nodes.ts"
import { until } from "../support/until.ts"

let talk: Talk
let v1: Client

beforeAll(async () => {
  talk = await startTalk({}, [SMALL])
  v1 = new Client(() => talk.app.url, talk.api.key, "/v1")
})
afterAll(() => talk.stop())

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const FILLER = "The boats lie at the pier, the nets hang in the wind and somebody counts the barrels again. ".repeat(4)
const JSON_ONLY = { accept: "application/json" }
const ASKED = { model: SMALL_MODEL, use_library: false }

/** @param input what is asked in a turn */
async function responses(count: number, input: (turn: number) => unknown, more: object = {}): Promise<any[]> {
  const answers: any[] = []
  for (let turn = 1; turn <= count; turn++) {
    const previous = answers.at(-1)?.id
    const asked = {
      model: SMALL_MODEL,
      input: input(turn),
      ...more,
      ...(previous ? { previous_response_id: previous } : {}),
    }
    const { status, body } = await v1.post("/responses", asked)
    expect([turn, status, body.error ?? null]).toEqual([turn, 200, null])
    answers.push(body)
  }
  return answers
}

describe("answers that go on from each other", () => {
  test("are remembered as the messages of a conversation are", async () => {
    talk.scenes.add("chain", remembering(`case-chain It was noted. ${FILLER}`))
    const answers = await responses(30, turn => `case-chain FACT-${turn}=word${turn} ${FILLER}`, {
      instructions: "Be brief.",
    })
    const last = talk.scenes
      .got("chain")
      .filter(request => !isSummary(request))
      .at(-1)!
    expect(factsIn(last)).toContain("FACT-1=word1")
    expect(last.messages[0]).toEqual({ role: "system", content: "Be brief." })
    expect(summaryIn(last)).toBeDefined()
    const conversation = await talk.stored(answers[0].conversation.id)
    const upTo = conversation.messages.findIndex((each: any) => each.id === conversation.summary.up_to_message_id)
    expect(conversation.messages[upTo].role).toBe("assistant")
    // What follows the summary is the message behind the one that it reaches to.
    expect(last.messages[3].content).toBe(conversation.messages[upTo + 1].content)
    const warnings = conversation.messages.flatMap((each: { warnings: { message: string }[] }) => each.warnings)
    expect(warnings.length).toBeGreaterThan(0)
    for (const { message } of warnings)
      expect(message).toStartWith("the model was given a summary in the place of the oldest")
  }, 60_000)

  test("that start with several messages and calls count those as well", async () => {
    talk.scenes.add("calls", remembering(`case-calls It was noted. ${FILLER}`))
    const answers = await responses(16, turn =>
      [
        { role: "user", content: `case-calls FACT-a${turn}=a ${FILLER}` },
        { role: "assistant", content: "" },
        { type: "function_call", call_id: `c${turn}`, name: "count", arguments: "{}" },
        { type: "function_call_output", call_id: `c${turn}`, output: `FACT-r${turn}=r` },
        { role: "assistant", content: `case-calls So it is. ${FILLER}` },
        { role: "user", content: `case-calls And FACT-b${turn}=b` },
      ].filter(item => item.content !== ""),
    )
    const asked = talk.scenes.got("calls").filter(request => !isSummary(request))
    expect(factsIn(asked.at(-1)!)).toEqual(expect.arrayContaining(["FACT-a1=a", "FACT-r1=r", "FACT-b1=b"]))
    const { messages, summary } = await talk.stored(answers[0].conversation.id)
    const upTo = messages.findIndex((each: any) => each.id === summary.up_to_message_id)
    expect(asked.at(-1)!.messages[2].content).toBe(messages[upTo + 1].content)
  }, 60_000)

  test("lose the summary with an answer that it tells of", async () => {
    talk.scenes.add("gone", remembering(`case-gone It was noted. ${FILLER}`))
    const answers = await responses(20, turn => `case-gone FACT-${turn}=word${turn} ${FILLER}`)
    const { id } = answers[0].conversation
    expect((await talk.stored(id)).summary.text).toContain("FACT-1=word1")
    await v1.delete(`/responses/${answers[0].id}`)
    expect((await talk.stored(id)).summary).toBeNull()
  }, 60_000)
})

describe("redaction", () => {
  const MAIL = "ada.lovelace@example.org"
  const PRIVATE = { kinds: ["EMAIL"] }
  const conversation = async (name: string, count: number, more: object = {}, known?: string) => {
    talk.scenes.add(name, request =>
      isSummary(request)
        ? {
            text: `Remembered: write to ${JSON.stringify(request.messages).match(/\S+@example\.org|\[REDACTED_EMAIL\]/)?.[0]}`,
          }
        : { text: `case-${name} It was noted. ${FILLER}` },
    )
    let id = known
    for (let turn = 1; turn <= count; turn++) {
      const message = `case-${name} ${turn === 1 && !known ? `Write to ${MAIL} please.` : "Go on."} ${FILLER}`
      const path = id === undefined ? "/conversations" : `/conversations/${id}`
      const { body, status } = await talk.api.post(path, { ...ASKED, ...more, message }, JSON_ONLY)
      expect([turn, status, body.error ?? null]).toEqual([turn, 200, null])
      id = body.conversation_id
    }
    return id!
  }

  test("hides in a summary that was made without it what a redacted turn must not see", async () => {
    const id = await conversation("open", 20)
    expect((await talk.stored(id)).summary.text).toContain(MAIL)
    const before = talk.scenes.got("open").length
    await conversation("open", 16, { redaction: PRIVATE }, id)
    const after = talk.scenes.got("open").slice(before)
    expect(after.some(isSummary)).toBe(true)
    expect(JSON.stringify(after)).not.toContain(MAIL)
    expect(summaryIn(after[0]!)).toContain("[REDACTED_EMAIL]")
    expect((await talk.stored(id)).summary.text).toContain("[REDACTED_EMAIL]")
  }, 60_000)

  test("keeps what it hides out of a summary, and out of what a caller puts in its place", async () => {
    const id = await conversation("closed", 20, { redaction: PRIVATE })
    expect((await talk.stored(id)).summary.text).toContain("[REDACTED_EMAIL]")
    expect(JSON.stringify(talk.scenes.got("closed"))).not.toContain(MAIL)
    const { body } = await talk.api.patch(`/conversations/${id}`, { summary: { text: `mine: ${MAIL}` } })
    expect(body.summary.text).toBe("mine: [REDACTED_EMAIL]")
  }, 60_000)
})

test("a summary is another key's no more than its conversation", async () => {
  talk.scenes.add("mine", remembering(`case-mine It was noted. ${FILLER}`))
  const { body } = await talk.api.post("/conversations", { ...ASKED, message: "case-mine Hello" }, JSON_ONLY)
  const stranger = await talk.app.client("another")
  expect((await stranger.patch(`/conversations/${body.conversation_id}`, { summary: null })).status).toBe(404)
}, 60_000)

test("a kill amid a summary leaves what was summed up before, and the next answer goes on from it", async () => {
  const ollama = await startOllama([SMALL])
  cleanups.push(() => ollama.server.stop())
  const { scenes } = ollama.server
  let parts = 0
  const hangs = (): { hang: boolean } | undefined => (++parts === 3 ? { hang: true } : undefined)
  scenes.add("kill", remembering(`case-kill It was noted. ${FILLER}`, hangs))
  const daemon = await startDaemon(["--ollama-host", ollama.server.url])
  cleanups.push(() => daemon.remove())
  const ask = (path: string, body: object) => daemon.call("POST", path, { ...ASKED, ...body }, JSON_ONLY)
  let id: string | undefined
  for (let turn = 1; turn <= 50; turn++) {
    const message = `case-kill FACT-${turn}=word${turn} ${FILLER}`
    const path = id === undefined ? "/conversations" : `/conversations/${id}`
    id = (await ask(path, { message, history: "truncate" })).conversation_id
  }
  const asking = ask(`/conversations/${id}`, { message: "case-kill Go on", history: "summarize" }).catch(() => null)
  await until(() => parts === 3)
  await daemon.kill()
  await asking
  await daemon.start()
  const { summary, messages } = await daemon.call("GET", `/conversations/${id}`)
  expect(summary.text).toContain("FACT-1=word1")
  expect(messages.at(-1)).toMatchObject({ finish_reason: "error", error: { code: "interrupted" } })
  const before = scenes.got("kill").length
  await ask(`/conversations/${id}`, { message: "case-kill Again" })
  const [first] = scenes.got("kill").slice(before)
  expect(JSON.stringify(first)).toContain("Written down so far:\\n\\nRemembered: FACT-1=word1")
  expect(factsIn(scenes.got("kill").at(-1)!)).toContain("FACT-1=word1")
}, 120_000)

for (const kind of await databases())
  test(`on ${kind.name}: a node whose reply was taken from it changes no summary, and none takes the place of an unknown one`, async () => {
    const nodes = await startTwoNodes(kind)
    cleanups.push(() => nodes.stop())
    const { conversationId, messageId, end } = await nodes.begin(nodes.a)
    const summaries = new SummaryStore(nodes.database)
    const summary = (text: string) => fromStore({ text, up_to_message_id: messageId, redaction: null })
    const of = (owner: string) => ({ position: 1, reply: { messageId, owner } })
    expect(await summaries.replace(conversationId, null, summary("b"), of(nodes.b.id))).toBeUndefined()
    const first = await summaries.replace(conversationId, null, summary("a"), of(nodes.a.id))
    expect(await summaries.find(conversationId)).toBe(first!)
    expect(await summaries.replace(conversationId, null, summary("again"), of(nodes.a.id))).toBeUndefined()
    expect(await summaries.replace(conversationId, first!, summary("next"), of(nodes.a.id))).toContain("next")
    await end()
    const last = await summaries.find(conversationId)
    expect(await summaries.replace(conversationId, last, summary("late"), of(nodes.a.id))).toBeUndefined()
  }, 60_000)
