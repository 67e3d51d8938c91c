/** What made an answer, told from the far side: by what the model server got, and by what is on disk. */

import { Database as Sqlite } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { dataOf, textOf } from "../../support/events.ts"
import { longText } from "../../support/long-text.ts"
import { LLAMA, QWEN } from "../../support/ollama.ts"
import { MODEL, startTalk, type Talk } from "../../support/talk.ts"

const SMALL = { ...LLAMA, name: "small:1b", digest: "s", contextLength: 4_096 }

let talk: Talk
beforeAll(async () => {
  talk = await startTalk({ "file-wait-seconds": "1" }, [LLAMA, QWEN, SMALL])
}, 60_000)
afterAll(() => talk.stop())

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

let count = 0
/** Files in a context of their own, and one question about them answered. */
async function answered(name: string, texts: string[], body: object = {}) {
  const context = `ctx-${++count}`
  const files = await talk.api.index(
    texts.map((data, at) => ({ name: `${name}-${at}.txt`, data })),
    { context_id: context },
  )
  const events = await talk.stream("/conversations", {
    ...{
      model: MODEL,
      file_ids: files.map(({ id }) => id),
      reading: "passages",
      message: `case-${name} What does the Larkspur widget weigh in grams?`,
    },
    ...body,
  })
  const { conversation_id, message_id } = dataOf(events, "message_started")
  const path = `/conversations/${conversation_id}/messages/${message_id}`
  return { context, files, events, path, id: conversation_id, messageId: message_id }
}

const recordOf = async (path: string, query = "") => (await talk.api.get(`${path}/record${query}`)).body
const replayOf = (path: string, body: object = {}) =>
  talk.api.post(`${path}/replay`, body, { accept: "application/json" }) as Promise<{ status: number; body: any }>
const got = (scene: string) => talk.scenes.got(scene)
const WEIGHT = "The Larkspur widget weighs forty-two grams and is painted cobalt blue, like the sea at Narvik."
const PRICE = "The price of a Larkspur widget is nine euros a piece, and weighs nothing against its use in grams saved."

/** Whether the words stand anywhere in the database. */
function isOnDisk(words: string): boolean {
  const database = new Sqlite(join(talk.app.data, "carrel.db"), { readonly: true })
  try {
    return ["messages", "answer_records", "record_texts", "reply_events"].some(table =>
      (database.query(`select * from ${table}`).all() as object[]).some(row => JSON.stringify(row).includes(words)),
    )
  } finally {
    database.close()
  }
}

describe("the record of an answer", () => {
  test("holds the passages as the model server received them, with the options and the words of the prompt", async () => {
    talk.scenes.add("made", { text: "Forty-two grams [1]." })
    const { path, events, files } = await answered("made", [WEIGHT, PRICE], {
      options: { temperature: 0.25, seed: 7 },
      system_prompt: "Be short.",
    })
    const record = await recordOf(path, "?prompt=true")
    const sent = got("made").at(-1)
    expect(record.prompt.turns).toEqual(sent.messages)
    expect(record.prompt).toMatchObject({ complete: true, sha256: sha256(JSON.stringify(sent.messages)) })
    expect(record.passages).toHaveLength(2)
    const { sources } = dataOf(events, "sources")
    for (const [at, passage] of record.passages.entries()) {
      expect(sent.messages.at(-1).content).toContain(passage.text)
      expect(passage).toMatchObject({ ...sources[at], url: expect.any(String), sha256: sha256(passage.text) })
      const file = files.find(({ id }) => id === passage.file_id)!
      expect(passage.file_sha256).toBe((await talk.api.get(`/libraries/${file.id}`)).body.sha256)
    }
    expect(record).toMatchObject({
      model: { value: MODEL, provider: "ollama", local: true, context_length: 131_072 },
      options: {
        temperature: 0.25,
        seed: 7,
        use_library: true,
        reading: "passages",
        context_tokens: sent.options.num_ctx,
      },
      query: { text: expect.stringContaining("Larkspur"), rewritten: false },
      index_generation: { embedding_model: expect.any(String), library_changes: expect.any(Number) },
      scope: { file_ids: files.map(({ id }) => id), context_id: null },
      ...{ filter: null, principals: null, dropped: [], tool_calls: [], finish_reason: "stop", error: null },
      asked_by: { type: "key", end_user: null, contexts: null, filters: [] },
      redaction: { on: false, count: 0, kinds: {} },
    })
    expect(record.usage.prompt_tokens).toBeGreaterThan(0)
    expect(record.prompt_version).toMatch(/^\S+-[0-9a-f]{12}$/)
    expect((await recordOf(path)).prompt.turns).toBeUndefined()
  })

  test("names what it shares with its conversation and repeats none of it", async () => {
    const { path, id } = await answered("grows", [WEIGHT])
    const long = "Tell me more about the colour of it, please, and leave nothing out whatever you do. ".repeat(40)
    let last = path
    for (let turn = 0; turn < 5; turn++) {
      const events = await talk.stream(`/conversations/${id}`, {
        message: `case-grows ${turn} ${long}`,
        use_library: false,
      })
      last = `/conversations/${id}/messages/${dataOf(events, "message_started").message_id}`
    }
    const record = await recordOf(last, "?prompt=true")
    expect(record.prompt.turns).toEqual(got("grows").at(-1).messages)
    const database = new Sqlite(join(talk.app.data, "carrel.db"), { readonly: true })
    const row = database
      .query("select length(facts) as facts, length(prompt) as prompt from answer_records where message_id = ?")
      .get(last.split("/").at(-1)!) as { facts: number; prompt: number }
    database.close()
    expect(JSON.stringify(record.prompt.turns).length).toBeGreaterThan(5 * long.length)
    expect(row.prompt).toBeLessThan(2_000)
  })

  test("is there for failed, cancelled and extractive answers, with what was given until then", async () => {
    talk.scenes.add("fails", { text: "Forty-two grams and more", errorAfter: 2 })
    const failed = await answered("fails", [WEIGHT])
    expect(await recordOf(failed.path)).toMatchObject({
      finish_reason: "error",
      error: { code: "model_error" },
      passages: [{ text: WEIGHT }],
    })
    const { promise: held, resolve: goOn } = Promise.withResolvers<void>()
    talk.scenes.add("stops", { text: "Forty-two grams and more", held, holdAfter: 2 })
    const files = await talk.api.index([{ name: "stops.txt", data: WEIGHT }], { context_id: "stops" })
    const begun = await talk.stream(
      "/conversations",
      { model: MODEL, context_id: "stops", message: "case-stops What does the Larkspur widget weigh?" },
      { upTo: ({ event }) => event === "message_delta" },
    )
    const { conversation_id, message_id } = dataOf(begun, "message_started")
    await talk.api.post(`/conversations/${conversation_id}/cancel`)
    goOn()
    const cancelled = await recordOf(`/conversations/${conversation_id}/messages/${message_id}`)
    expect(cancelled).toMatchObject({ finish_reason: "cancelled", passages: [{ file_id: files[0]!.id, text: WEIGHT }] })
    const quoted = await answered("quotes", [WEIGHT], { model: "builtin/extractive" })
    expect(await recordOf(quoted.path)).toMatchObject({ model: { provider: "builtin" }, passages: [{ text: WEIGHT }] })
    expect((await replayOf(quoted.path)).body).toMatchObject({ same_content: true, same_prompt: true })
  })

  test("tells what had no room in the window", async () => {
    const long = (at: number) =>
      `${WEIGHT} Number ${at}. ${"Grams are counted by the Larkspur widget all day. ".repeat(60)}`
    const { path } = await answered(
      "full",
      Array.from({ length: 8 }, (_, at) => long(at)),
      { message: `case-full What does the Larkspur widget weigh in grams? ${"word ".repeat(40)}` },
    )
    const { passages, dropped } = await recordOf(path)
    expect(passages.length).toBeGreaterThan(0)
    for (const each of dropped) expect(each).toMatchObject({ kind: "passage", reason: "window" })
  })

  test("is kept for answers in the shape of OpenAI that are stored", async () => {
    const { status, body } = (await talk.api.under("").post("/v1/responses", {
      model: MODEL,
      input: "case-kept What does the Larkspur widget weigh in grams?",
    })) as { status: number; body: any }
    expect(status).toBe(200)
    const { messages } = (await talk.api.get(`/conversations/${body.conversation.id}`)).body
    const record = await recordOf(
      `/conversations/${body.conversation.id}/messages/${messages.at(-1).id}`,
      "?prompt=true",
    )
    expect(record.prompt.turns).toEqual(got("kept").at(-1).messages)
  })

  test("is for none who do not see its conversation, and for no message of a user", async () => {
    const { path, id } = await answered("alone", [WEIGHT])
    const other = await talk.app.client("other")
    expect((await other.get(`${path}/record`)).status).toBe(404)
    expect((await other.post(`${path}/replay`, {})).status).toBe(404)
    const { messages } = (await talk.api.get(`/conversations/${id}`)).body
    expect((await talk.api.get(`/conversations/${id}/messages/${messages[0].id}/record`)).status).toBe(404)
    expect((await talk.api.get(`/conversations/${id}/messages/msg_none/record`)).status).toBe(404)
  })

  test("goes with its message", async () => {
    const { path, id, messageId } = await answered("goes", [WEIGHT])
    expect((await talk.api.post(`${path}/regenerate`, {})).status).toBe(200)
    expect((await talk.api.get(`${path}/record`)).status).toBe(404)
    await talk.api.delete(`/conversations/${id}`)
    const database = new Sqlite(join(talk.app.data, "carrel.db"), { readonly: true })
    const rows = database.query("select 1 from answer_records where message_id = ?").all(messageId)
    const links = database.query("select 1 from message_files where message_id = ?").all(messageId)
    database.close()
    expect([...rows, ...links]).toEqual([])
  })
})

describe("of files that were read whole", () => {
  test("a text that fits is told as it was given", async () => {
    const { path, files } = await answered("whole", [longText(3)], { reading: "whole" })
    const record = await recordOf(path, "?prompt=true&compare=now")
    expect(record.prompt).toMatchObject({ complete: true, turns: got("whole").at(-1).messages })
    expect(record).toMatchObject({ query: null, index_generation: null, notes: [], difference: { unchanged: true } })
    expect(record.passages.length).toBeGreaterThan(0)
    for (const passage of record.passages) expect(passage.whole).toBe(true)
    expect((await replayOf(path)).body).toMatchObject({ same_prompt: true, same_content: true })
    await talk.api.delete(`/libraries/${files[0]!.id}`)
    expect(isOnDisk("1003 gulls")).toBe(false)
    const { gone } = (await recordOf(path, "?compare=now")).difference
    expect(gone).toHaveLength(record.passages.length)
  })

  test("notes on a long one are told, asked with again, and erased with it", async () => {
    talk.scenes.add("noted", ({ messages }) =>
      messages[0].content.startsWith("You take notes") ? { text: "Somebody saw 4711 auks [1]." } : { text: "Auks." },
    )
    const { path, files } = await answered("noted", [longText(12)], { model: "ollama/small:1b", reading: "whole" })
    const record = await recordOf(path, "?prompt=true")
    expect(record.notes.length).toBeGreaterThan(1)
    const asked = got("noted").at(-1).messages
    for (const note of record.notes) expect(JSON.stringify(asked)).toContain(note)
    expect(record.prompt.turns).toEqual(asked)
    expect((await replayOf(path)).body).toMatchObject({ same_prompt: true, content: "Auks." })
    expect(JSON.stringify(got("noted").at(-1).messages)).toBe(JSON.stringify(asked))
    expect(isOnDisk("4711 auks")).toBe(true)
    await talk.api.delete(`/libraries/${files[0]!.id}`)
    expect(isOnDisk("4711 auks")).toBe(false)
    expect((await recordOf(path)).notes).toEqual(record.notes.map(() => null))
    expect((await replayOf(path)).status).toBe(409)
  })
})

describe("a replay", () => {
  test("sends the same turns and options byte for byte, and gives the same text twice", async () => {
    talk.scenes.add("again", request => ({ text: `Seed ${request.options.seed} says forty-two grams [1].` }))
    const { path, id } = await answered("again", [WEIGHT, PRICE], { options: { seed: 11 }, system_prompt: "Be short." })
    const before = (await talk.api.get(`/conversations/${id}`)).body
    const [first, second] = [await replayOf(path), await replayOf(path)]
    expect(first.status).toBe(200)
    expect(first.body).toMatchObject({
      content: "Seed 11 says forty-two grams [1].",
      ...{ same_prompt: true, same_content: true, model: MODEL, finish_reason: "stop" },
      citations: [{ index: 1 }],
      difference: { unchanged: true, gone: [], added: [], rescored: [] },
    })
    expect(second.body.content).toBe(first.body.content)
    const [asked, ...replayed] = got("again").map(({ messages, options }) => JSON.stringify({ messages, options }))
    expect(replayed).toEqual([asked!, asked!])
    expect((await talk.api.get(`/conversations/${id}`)).body).toEqual(before)
  })

  test("tells of addresses that nobody gave as the reply does, and so does the record", async () => {
    talk.scenes.add("foreign", { text: "Forty-two grams [1], see https://evil.example/q" })
    const { path } = await answered("foreign", [WEIGHT])
    const warning = expect.objectContaining({ code: "foreign_link", addresses: ["https://evil.example/q"] })
    expect((await recordOf(path)).warnings).toEqual([warning])
    expect((await replayOf(path)).body.warnings).toEqual([warning])
  })

  test("streams as a reply does", async () => {
    const { path, messageId } = await answered("streamed", [WEIGHT])
    const events = await talk.stream(`${path}/replay`, {})
    expect(textOf(events)).toBe("Hello from the model.")
    expect(dataOf(events, "sources").sources[0]).toMatchObject({ text: WEIGHT, url: expect.any(String) })
    expect(dataOf(events, "message_completed")).toMatchObject({ message_id: messageId, finish_reason: "stop" })
    expect(events.at(-1)!.event).toBe("done")
  })

  test("may ask another model", async () => {
    const { path } = await answered("other", [WEIGHT])
    expect((await replayOf(path, { model: "ollama/qwen3:8b" })).body.model).toBe("ollama/qwen3:8b")
    expect(got("other").at(-1).model).toBe("qwen3:8b")
    expect((await replayOf(path, { model: "ollama/none" })).status).toBe(404)
  })

  test("is refused where a file of the prompt is deleted", async () => {
    const { path, files } = await answered("refused", [WEIGHT])
    await talk.api.delete(`/libraries/${files[0]!.id}`)
    const { status, body } = await replayOf(path)
    expect([status, body.error.code]).toEqual([409, "conflict"])
    expect(got("refused")).toHaveLength(1)
  })
})

describe("a file that is deleted", () => {
  test("leaves no word of it in the messages and records that were made from it", async () => {
    const secret = "The Larkspur widget weighs exactly 4711 grams according to Doctor Quillfeather."
    talk.scenes.add("erased", { text: "I know [1]." })
    const { path, id, files } = await answered("erased", [secret, WEIGHT])
    expect(isOnDisk("Quillfeather")).toBe(true)
    await talk.api.delete(`/libraries/${files[0]!.id}`)
    expect(isOnDisk("Quillfeather")).toBe(false)
    const record = await recordOf(path, "?prompt=true")
    const [gone] = record.passages.filter((each: { file_id: string }) => each.file_id === files[0]!.id)
    expect(gone).toMatchObject({ text: null, name: null, position: null, sha256: sha256(secret) })
    expect(record.passages.filter((each: { text: string | null }) => each.text === WEIGHT)).toHaveLength(1)
    expect(record.prompt.complete).toBe(false)
    expect(JSON.stringify(record.prompt.turns)).toContain("[no longer shown]")
    expect(JSON.stringify(record)).not.toContain("Quillfeather")
    const events = (await talk.api.get(`/conversations/${id}`)).body
    expect(events.messages[1].content).toBe("I know [1].")
  })

  test("while the reply is being written leaves no word of it in what is stored then", async () => {
    const { promise: held, resolve: goOn } = Promise.withResolvers<void>()
    talk.scenes.add("meanwhile", { text: "I know it [1].", held, holdAfter: 2 })
    const secret = "The Larkspur widget weighs exactly 4712 grams according to Doctor Featherquill."
    const [file] = await talk.api.index([{ name: "meanwhile.txt", data: secret }], { context_id: "meanwhile" })
    const asked = {
      model: MODEL,
      context_id: "meanwhile",
      message: "case-meanwhile What does the Larkspur widget weigh?",
    }
    const begun = await talk.stream("/conversations", asked, { upTo: ({ event }) => event === "message_delta" })
    const { conversation_id } = dataOf(begun, "message_started")
    await talk.api.delete(`/libraries/${file!.id}`)
    goOn()
    while ((await talk.stored(conversation_id)).messages[1].finish_reason === null) await Bun.sleep(20)
    expect(isOnDisk("Featherquill")).toBe(false)
  })
})

describe("compared with now", () => {
  const differenceOf = async (path: string) => (await recordOf(path, "?compare=now")).difference

  test("nothing differs where nothing has changed", async () => {
    const { path } = await answered("same", [WEIGHT, PRICE])
    expect(await differenceOf(path)).toMatchObject({ unchanged: true, gone: [], added: [], rescored: [] })
  })

  test("passages are gone with their file, changed with it, and new ones are told", async () => {
    const [depth, colour, added] = ["lies at forty fathoms", "glows in vermilion", "was raised in May"].map(
      what => `The Zephyrine anchor ${what}.`,
    )
    const { path, files, context } = await answered("differs", [depth!, colour!], {
      ...{ file_ids: undefined, context_id: `ctx-${count + 1}` },
      message: "case-differs What of the Zephyrine anchor?",
    })
    expect((await recordOf(path)).passages).toHaveLength(2)
    await talk.api.delete(`/libraries/${files[0]!.id}`)
    const [file] = await talk.api.index([{ name: "new.txt", data: added! }], { context_id: context })
    const difference = await differenceOf(path)
    expect(difference.unchanged).toBe(false)
    expect(difference.gone).toMatchObject([{ file_id: files[0]!.id, reason: "file_gone" }])
    expect(difference.added).toMatchObject([{ file_id: file!.id, text: added }])
    expect(difference.library_changes.now).toBeGreaterThan(difference.library_changes.before)
    await talk.api.index([{ name: "differs-1.txt", data: "It fell silent." }], {
      ...{ context_id: context, on_duplicate: "replace" },
    })
    expect((await differenceOf(path)).gone).toContainEqual({
      ...{ index: expect.any(Number), file_id: files[1]!.id, chunk_id: expect.any(String), reason: "file_changed" },
    })
  })

  test("what the caller sees no more is gone for it", async () => {
    const context = "narrowed"
    const files = await talk.api.index([{ name: "narrowed.txt", data: WEIGHT }], { context_id: context })
    const key = await talk.app.client("default", { context_ids: [context] })
    const asked = { ...{ model: MODEL, message: "case-narrowed What does the Larkspur widget weigh in grams?" } }
    const { body } = (await key.post("/start-conversation", asked)) as { body: any }
    const path = `/conversations/${body.conversation_id}/messages/${body.messages[1].id}`
    expect(((await key.get(`${path}/record`)) as { body: any }).body).toMatchObject({
      passages: [{ text: WEIGHT }],
      asked_by: { contexts: null, filters: null },
    })
    await talk.api.patch(`/libraries/${files[0]!.id}`, { context_id: "elsewhere" })
    const shown = (await key.get(`${path}/record?compare=now&prompt=true`)) as { body: any }
    expect(shown.body).toMatchObject({
      passages: [{ text: null, name: null }],
      prompt: { complete: false },
      difference: { gone: [{ file_id: files[0]!.id, reason: "file_gone" }] },
    })
    expect(JSON.stringify(shown.body)).not.toContain("forty-two")
    expect(((await key.post(`${path}/replay`, {}, { accept: "application/json" })) as { status: number }).status).toBe(
      409,
    )
    expect((await recordOf(path)).passages).toMatchObject([{ text: WEIGHT }])
  })
})

describe("under redaction", () => {
  test("neither the record nor a replay holds a private value", async () => {
    talk.scenes.add("private", { text: "Written." })
    const { path } = await answered(
      "private",
      ["The Larkspur widget weighs what ola.hansen@example.com says in grams."],
      {
        redaction: true,
        message: "case-private What does the Larkspur widget of kari.nordmann@example.com weigh in grams?",
      },
    )
    const record = await recordOf(path, "?prompt=true")
    expect(record.redaction).toMatchObject({ on: true, kinds: { EMAIL: 2 }, rules: expect.any(String) })
    expect(JSON.stringify(record)).not.toContain("@example.com")
    expect(isOnDisk("@example.com")).toBe(false)
    expect((await replayOf(path)).body).toMatchObject({ same_prompt: true, content: "Written." })
    const [asked, replayed] = got("private").map(({ messages }) => JSON.stringify(messages))
    expect(replayed).toBe(asked!)
    expect(asked).not.toContain("@example.com")
  })
})
