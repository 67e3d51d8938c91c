/**
 * What was made with files and of conversations, by every road: when the receipt is there, no file of the data directory
 * holds a word of what it is about. What has a deletion of its own stays until that one.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import type { Client } from "../support/app.ts"
import { holding } from "../support/holding.ts"
import { LLAMA } from "../support/ollama.ts"
import { picture, pictureBytes } from "../support/pictures.ts"
import { startTalk, type Talk } from "../support/talk.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(120_000)

const SEER = { ...LLAMA, name: "seer:1b", digest: "v", capabilities: ["completion", "vision"] }
const SMALL = { ...LLAMA, name: "small:1b", digest: "s", contextLength: 4_096 }
const PDF = Bun.file(new URL("../fixtures/documents/lease.pdf", import.meta.url).pathname)

let talk: Talk
let api: Client
beforeAll(async () => {
  talk = await startTalk({ "file-wait-seconds": "0" }, [LLAMA, SEER, SMALL])
  api = talk.api
}, 60_000)
afterAll(() => talk.stop())

const word = (what: string) => `wqz${what}olimpar`
const held = (what: string | Uint8Array) => holding(talk.app.data, what)
const ask = async (body: object, path = "/conversations", headers = {}) => {
  const answer = await api.post(path, body, { accept: "application/json", ...headers })
  expect([answer.status, answer.body.error]).toEqual([200, undefined])
  return answer.body
}
const remove = async (path: string): Promise<string> => {
  const { status, headers } = await api.delete(path)
  expect([path, status]).toEqual([path, 204])
  return headers.get("x-receipt-id")!
}
const written = (id: string) =>
  until(async () => {
    const { status, body } = await api.get(`/receipts/${id}`)
    return status === 200 && body
  })
/** Of a schedule that runs once, now. */
async function scheduled(request: object) {
  const { body } = await api.post("/schedules", { name: "once", every: "365d", request })
  await api.post(`/schedules/${body.id}/run`)
  const run = async () => (await api.get(`/schedules/${body.id}/runs`)).body[0]
  await until(async () => (await run())?.status === "completed")
  return run
}
async function batch(...requests: object[]) {
  const lines = requests.map((request, at) => ({ custom_id: String(at), method: "POST", ...request }))
  const { body } = await api.post("/batches", { requests: lines })
  return until(async () => {
    const { body: found } = await api.get(`/batches/${body.id}`)
    return found.status === "completed" && found
  })
}

describe("a file", () => {
  test("that was read whole, searched by a schedule, looked up by a run and a tool leaves all of them", async () => {
    const text = `The ${word("text")} and the ${word("note")} were agreed on for the warehouse.`
    const mail = [
      "From: ada@example.org",
      "To: bob@example.org",
      `Subject: ${word("subject")}`,
      "MIME-Version: 1.0",
      'Content-Type: multipart/mixed; boundary="b"',
      "",
      "--b",
      "Content-Type: text/plain",
      "",
      "The letter.",
      "--b",
      `Content-Type: text/plain; name="${word("attached")}.txt"`,
      `Content-Disposition: attachment; filename="${word("attached")}.txt"`,
      "Content-Transfer-Encoding: base64",
      "",
      Buffer.from(`Inside stands ${word("inside")} alone.`).toString("base64"),
      "--b--",
      "",
    ].join("\r\n")
    const [note, table, letter] = await api.index([
      { name: "work.txt", data: `${text}\n\n${"The gulls were counted again. ".repeat(1_200)}` },
      { name: "work.csv", data: `name,amount\n${word("cell")},7\nother,8\n` },
      { name: "work.eml", data: mail },
    ])
    talk.scenes.add("parts", request =>
      request.messages[0].content.startsWith("You take notes")
        ? { text: request.messages.at(-1).content.includes(word("note")) ? `It says ${word("note")} [1].` : "NOTHING" }
        : { text: "So it is [1]." },
    )
    const query = { name: "query_table", arguments: { file_id: table.id, sql: "select * from data" } }
    talk.scenes.add("rows", (_, count) => (count === 0 ? { tools: [query] } : { text: "There it is." }))
    await ask({
      message: "case-parts What of all of it?",
      model: "ollama/small:1b",
      reading: "whole",
      file_ids: [note.id],
    })
    await ask({ message: "case-rows What of the rows?", model: "ollama/llama3.2:3b", file_ids: [table.id] })
    await ask({ message: `What of ${word("inside")}?`, file_ids: [letter.id] })
    await api.post("/agents/run", {
      task: "case-rows Look it up.",
      model: "ollama/llama3.2:3b",
      tools: ["query_table"],
    })
    await api.post("/agents/run", { task: "Where was the meeting of the warehouse?" })
    const run = await scheduled({ url: "/external/search", body: { query: "agreed warehouse inside stands alone" } })
    for (const each of ["text", "inside"].map(word)) expect(JSON.stringify(await run())).toContain(each)
    const words = ["text", "note", "cell", "subject", "attached", "inside"].map(word)
    for (const each of words) expect([each, held(each).length > 0]).toEqual([each, true])

    const removed = [note, table, letter].map(({ id }) => remove(`/libraries/${id}`))
    // What people asked is theirs; one question names the last of the words.
    const { data: asked } = (await api.get("/conversations")).body
    removed.push(...asked.map((each: { conversation_id: string }) => remove(`/conversations/${each.conversation_id}`)))
    await Promise.all((await Promise.all(removed)).map(written))
    expect(words.filter(each => held(each).length > 0)).toEqual([])
    expect(JSON.stringify((await run()).response)).not.toContain("olimpar")
  })

  test("whose pages were drawn leaves no picture of them, nor the outline that they were found by", async () => {
    const [{ id }] = await api.index([{ name: "drawn.pdf", data: await PDF.bytes() }])
    const drawn = await api.raw("GET", `/libraries/${id}/pages/1.png`)
    const bytes = new Uint8Array(await drawn.arrayBuffer())
    await api.get(`/libraries/${id}/pages/1/marks?start=0&end=20`)
    expect(drawn.status).toBe(200)
    await written(await remove(`/libraries/${id}`))
    expect(held(bytes.subarray(200, 264))).toEqual([])
    expect(held(id).filter(path => path.includes(id))).toEqual([])
    expect((await api.raw("GET", `/libraries/${id}/pages/1.png`)).status).toBe(404)
  })
})

describe("a conversation", () => {
  test("leaves with its pictures, the answers that others took the place of, and what repetitions were told", async () => {
    talk.scenes.add("seen", (_, count) => ({ text: `It is ${word(`answer${count}`)}.` }))
    const given = { message: `case-seen ${word("asked")}`, model: "ollama/seer:1b", use_library: false }
    const images = [picture("image/png", 3_000, 7)]
    const asked = await ask({ ...given, images }, "/conversations", { "idempotency-key": "seen-1" })
    const id = asked.conversation_id
    await ask({ model: "ollama/seer:1b" }, `/conversations/${id}/messages/${asked.messages[1].id}/regenerate`)
    await ask({ ...given, message: "case-seen And then?" }, `/conversations/${id}`)
    const words = ["answer1", "answer2", "asked"].map(word)
    for (const each of words) expect([each, held(each).length > 0]).toEqual([each, true])
    const bytes = new Uint8Array(pictureBytes("image/png", 3_000, 7)).subarray(1_000, 1_064)
    expect(held(bytes).length).toBeGreaterThan(0)
    await written(await remove(`/conversations/${id}`))
    for (const each of [...words, word("answer0")]) expect([each, held(each)]).toEqual([each, []])
    expect(held(bytes)).toEqual([])
  })

  test("that a schedule began leaves its run as well, and so does a run", async () => {
    talk.scenes.add("told", { text: `It is ${word("told")}.` })
    const model = "ollama/llama3.2:3b"
    const said = await scheduled({
      url: "/external/conversations",
      body: { message: "case-told What is it?", model, use_library: false },
    })
    talk.scenes.add("done", { text: `It was ${word("done")}.` })
    const ran = await scheduled({ url: "/external/agents/run", body: { task: "case-done Look.", model } })
    const { response: answer } = await said()
    const { response: outcome } = await ran()
    expect([answer.body.messages[1].content, outcome.body.output]).toEqual([
      `It is ${word("told")}.`,
      `It was ${word("done")}.`,
    ])
    const receipts = [
      await remove(`/conversations/${answer.body.conversation_id}`),
      await remove(`/agents/runs/${outcome.body.run_id}`),
    ]
    await Promise.all(receipts.map(written))
    for (const each of ["told", "done"].map(word)) expect([each, held(each)]).toEqual([each, []])
    expect([(await said()).response, (await ran()).response]).toEqual([
      { status_code: 200, body: null, truncated: false },
      { status_code: 200, body: null, truncated: false },
    ])
  })
})

test("what a batch came in by and went out by leaves with its files, and nothing of it before or after", async () => {
  talk.scenes.add("line", { text: `It is ${word("line")}.` })
  const body = { message: `case-line ${word("question")}`, model: "ollama/llama3.2:3b", use_library: false }
  const { input_file_id, output_file_id, id } = await batch(
    { url: "/external/conversations", body },
    { url: "/external/search", body: { query: word("sought") } },
  )
  const files = api.under("/v1")
  const output = await (await files.raw("GET", `/files/${output_file_id}/content`)).text()
  const [, conversation] = /"conversation_id":"(conv_\w+)"/.exec(output)!
  await written(await remove(`/conversations/${conversation}`))
  for (const each of ["line", "question", "sought"].map(word)) expect(held(each).length).toBeGreaterThan(0)
  for (const file of [input_file_id, output_file_id]) {
    const { status, headers } = await files.delete(`/files/${file}`)
    expect(status).toBe(200)
    expect((await written(headers.get("x-receipt-id")!)).what).toBe("batch_file")
  }
  for (const each of ["line", "question", "sought"].map(word)) expect([each, held(each)]).toEqual([each, []])
  expect((await api.get(`/batches/${id}`)).status).toBe(200)
})
