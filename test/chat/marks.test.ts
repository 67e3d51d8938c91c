/** Where conversations are kept, what their readers thought of answers, and answers that were written anew. */
// biome-ignore-all lint/suspicious/noExplicitAny: bodies of responses
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Client } from "../support/app.ts"
import { OFF, startTalk, type Talk } from "../support/talk.ts"

const JSON_ONLY = { accept: "application/json" }

let talk: Talk
let api: Client
beforeAll(async () => {
  talk = await startTalk()
  api = talk.api
})
afterAll(() => talk.stop())

const ask = async (path: string, body: object): Promise<any> =>
  (await api.post(path, { ...OFF, ...body }, JSON_ONLY)).body
const titles = async (query: string): Promise<string[]> =>
  (await api.get(`/conversations${query}`)).body.data.map(({ title }: { title: string }) => title)
const conversation = async (id: string): Promise<any> => (await api.get(`/conversations/${id}`)).body

describe("conversations that are kept", () => {
  test("are found by their pin and their folder, keep their time, and lose both again", async () => {
    talk.scenes.add("kept", { text: "Noted." })
    const first = await ask("/conversations", { message: "case-kept Leases" })
    await ask("/conversations", { message: "case-kept Garden" })
    const path = `/conversations/${first.conversation_id}`
    const { updated_at } = await conversation(first.conversation_id)
    const kept = await api.patch(path, { pinned: true, folder: "  Harbour " })
    expect(kept.body).toMatchObject({ pinned: true, folder: "Harbour", updated_at })
    expect(await titles("?pinned=true")).toEqual(["case-kept Leases"])
    expect(await titles("?pinned=false")).toEqual(["case-kept Garden"])
    expect(await titles("?folder=Harbour")).toEqual(["case-kept Leases"])
    expect(await titles("?folder=Elsewhere")).toEqual([])
    expect((await api.get("/conversation-folders")).body).toEqual({ data: ["Harbour"] })
    expect((await api.patch(path, { folder: "" })).body).toMatchObject({ pinned: true, folder: null })
    expect((await api.get("/conversation-folders")).body).toEqual({ data: [] })
    expect((await api.patch(path, { folder: "x".repeat(101) })).status).toBe(400)
  })

  test("a folder of a redacted conversation is redacted as its title is", async () => {
    talk.scenes.add("private", { text: "Noted." })
    const { conversation_id } = await ask("/conversations", { message: "case-private Hello", redaction: true })
    const { body } = await api.patch(`/conversations/${conversation_id}`, { folder: "bob.k@example.org" })
    expect(body.folder).toBe("[REDACTED_EMAIL]")
    await api.delete(`/conversations/${conversation_id}`)
  })
})

describe("what its reader thought of an answer", () => {
  test("is kept with it, replaced and taken back; a question has none", async () => {
    talk.scenes.add("rated", { text: "Six months." })
    const { conversation_id, messages } = await ask("/conversations", { message: "case-rated How long?" })
    const path = (message: any) => `/conversations/${conversation_id}/messages/${message.id}/feedback`
    const [question, answer] = messages
    expect(answer.feedback).toBeNull()
    await api.send("PUT", path(answer), { rating: "down", note: " The draft says so. " })
    expect((await conversation(conversation_id)).messages[1].feedback).toEqual({
      rating: "down",
      note: "The draft says so.",
    })
    await api.send("PUT", path(answer), { rating: "up" })
    expect((await conversation(conversation_id)).messages[1].feedback).toEqual({ rating: "up", note: "" })
    await api.send("PUT", path(answer), { rating: null })
    expect((await conversation(conversation_id)).messages[1].feedback).toBeNull()
    expect((await api.send("PUT", path(question), { rating: "up" })).status).toBe(404)
    expect((await api.send("PUT", path(answer), { rating: "sideways" })).status).toBe(400)
  })
})

describe("an answer that is written anew", () => {
  test("keeps the one before, which can be put back with what was thought of it; the model goes on from what stands", async () => {
    talk.scenes.add("anew", ({ messages }) => ({
      text: messages.length > 2 ? "Further." : `Answer ${++written}.`,
    }))
    let written = 0
    const { conversation_id: id, messages } = await ask("/conversations", { message: "case-anew How long?" })
    await api.send("PUT", `/conversations/${id}/messages/${messages[1].id}/feedback`, { rating: "up" })
    const again = await ask(`/conversations/${id}/messages/${messages[1].id}/regenerate`, {})
    const [second] = again.messages
    expect(second.content).toBe("Answer 2.")
    expect(second.variants).toMatchObject([
      { id: messages[1].id, content: "Answer 1.", feedback: { rating: "up", note: "" } },
    ])
    expect(second.variants[0]).not.toHaveProperty("redaction")
    const choose = (variant: string) => api.post(`/conversations/${id}/messages/${second.id}/variants/${variant}`)
    const chosen = (await choose(messages[1].id)).body.messages[1]
    expect(chosen).toMatchObject({ id: second.id, content: "Answer 1.", feedback: { rating: "up" } })
    expect(chosen.variants.map(({ content }: any) => content)).toEqual(["Answer 2."])
    expect((await api.get(`/conversations/${id}/messages/${second.id}/record`)).status).toBe(404)
    expect((await choose("msg_unknown")).status).toBe(404)
    await ask(`/conversations/${id}`, { message: "case-anew And then?" })
    expect(JSON.stringify(talk.scenes.got("anew").at(-1))).toContain("Answer 1.")
    expect(JSON.stringify(talk.scenes.got("anew").at(-1))).not.toContain("Answer 2.")
    // Only of the last answer: what was said later rests on it.
    expect((await choose(chosen.variants[0].id)).status).toBe(404)
  })

  test("is nobody's variant where the question is another, and no more than twenty are kept", async () => {
    let written = 0
    talk.scenes.add("many", () => ({ text: `Answer ${++written}.` }))
    const { conversation_id: id, messages } = await ask("/conversations", { message: "case-many How long?" })
    let last = messages[1]
    for (let i = 0; i < 22; i++)
      [last] = (await ask(`/conversations/${id}/messages/${last.id}/regenerate`, {})).messages
    expect(last.variants.map(({ content }: any) => content)).toEqual(
      Array.from({ length: 20 }, (_, i) => `Answer ${i + 3}.`),
    )
    const other = await ask(`/conversations/${id}/messages/${last.id}/regenerate`, { message: "case-many Another?" })
    expect(other.messages.at(-1).variants).toEqual([])
  })
})
