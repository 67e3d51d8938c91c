/** Whose conversations and runs are, who sees them, and the end users that they are for. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Client, startTestApp, type TestApp } from "../support/app.ts"
import { People, type Session } from "../support/people.ts"

let app: TestApp
let people: People
let whole: Client

beforeAll(async () => {
  app = await startTestApp()
  people = new People(app)
  whole = await app.client("default", { name: "whole" })
  await whole.index([{ name: "a.txt", data: "The heron stands in the reeds." }], { context_id: "a" })
})
afterAll(() => app.stop())

const code = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [status, body.error?.code]
type Asks = Pick<Client, "send">

/** Requests of a person signed in to the console. */
const asPerson = (session: Session): Asks => ({
  send: (method, path, body) =>
    whole.send(method, path, body, { "client-id": "", "private-key": "", secret: "", ...session }),
})
async function converse(by: Asks, more: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await by.send("POST", "/start-conversation", { message: "Where is the heron?", ...more })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.conversation_id
}
async function run(by: Asks, more: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await by.send("POST", "/agents/run", { task: "Where is the heron?", ...more })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.run_id
}
const conversationsOf = async (by: Asks, query = ""): Promise<string[]> =>
  (await by.send("GET", `/conversations?page_size=100${query}`)).body.data.map(
    ({ conversation_id }: { conversation_id: string }) => conversation_id,
  )
const runsOf = async (by: Asks, query = ""): Promise<string[]> =>
  (await by.send("GET", `/agents/runs?page_size=100${query}`)).body.data.map(({ run_id }: { run_id: string }) => run_id)

/** Both kinds, as one who asks sees them: `own` alone of those that are given. */
async function expectToSee(by: Asks, own: Made[], others: Made[]): Promise<void> {
  const conversations = await conversationsOf(by)
  const runs = await runsOf(by)
  for (const made of [...own, ...others]) {
    const isOwn = own.includes(made)
    expect([conversations.includes(made.conversation), runs.includes(made.run)]).toEqual([isOwn, isOwn])
    const answers = [
      await by.send("GET", `/conversations/${made.conversation}`),
      await by.send("GET", `/agents/runs/${made.run}`),
      await by.send("PATCH", `/conversations/${made.conversation}`, { title: "t" }),
      await by.send("POST", `/agents/runs/${made.run}/cancel`),
    ]
    expect(answers.map(({ status }) => status)).toEqual(isOwn ? [200, 200, 200, 202] : [404, 404, 404, 404])
  }
}
interface Made {
  conversation: string
  run: string
}
const both = async (by: Asks, more: Record<string, unknown> = {}): Promise<Made> => ({
  conversation: await converse(by, more),
  run: await run(by, more),
})

describe("conversations and runs", () => {
  test("say whose they are", async () => {
    const made = await both(whole)
    const owner = { type: "key", id: whole.key.id, name: "whole" }
    expect((await whole.get(`/conversations/${made.conversation}`)).body).toMatchObject({ owner, end_user: null })
    expect((await whole.get(`/agents/runs/${made.run}`)).body).toMatchObject({ owner, end_user: null })
    const ada = await people.add()
    const hers = await both(asPerson(ada.session))
    const { body } = await whole.get(`/conversations/${hers.conversation}`)
    expect(body.owner).toMatchObject({ type: "user", id: ada.id })
  })

  test("of a member are the member's, and of all to administrators and keys without limits", async () => {
    const [ada, eve, root] = [await people.add(), await people.add(), await people.add({ admin: true })]
    const hers = await both(asPerson(ada.session))
    const others = await both(asPerson(eve.session))
    const ofKey = await both(whole)
    await expectToSee(asPerson(ada.session), [hers], [others, ofKey])
    await expectToSee(asPerson(root.session), [hers, others, ofKey], [])
    await expectToSee(whole, [hers, others, ofKey], [])
  })

  test("of others do not exist for a member's key either, until the member is an administrator", async () => {
    const [ada, root] = [await people.add(), await people.add({ admin: true })]
    const ofRoot = await both(asPerson(root.session))
    const made = await people.call("POST", "", { name: "ada's" }, ada.session)
    const key = new Client(() => app.url, made.body)
    const ofKey = await both(key)
    await expectToSee(key, [ofKey], [ofRoot])
    const token = await key.scoped({})
    expect((await token.get(`/conversations/${ofRoot.conversation}`)).status).toBe(404)
    for (const path of ["/audit", "/retention"])
      expect([path, code(await key.get(path))]).toEqual([path, [403, "forbidden"]])
    expect(code(await key.post("/holds", { name: "all" }))).toEqual([403, "forbidden"])
    await people.call("PATCH", `/users/${ada.id}`, { role: "administrator" }, root.session)
    await expectToSee(key, [ofKey, ofRoot], [])
    expect((await key.get("/audit")).status).toBe(200)
    await people.call("PATCH", `/users/${ada.id}`, { role: "member" }, root.session)
    expect((await key.get(`/conversations/${ofRoot.conversation}`)).status).toBe(404)
    expect((await key.get("/audit")).status).toBe(403)
  })

  test("of others do not exist for a narrowed key", async () => {
    const narrow = await app.client("default", { context_ids: ["a"] })
    const same = await app.client("default", { context_ids: ["a"] })
    const own = await both(narrow)
    await expectToSee(narrow, [own], [await both(whole), await both(same)])
    await expectToSee(whole, [own], [])
  })

  test("of others do not exist for a token with limits, nor those of its key", async () => {
    const [one, two] = [await whole.scoped({ principals: [] }), await whole.scoped({ principals: [] })]
    const own = await both(one)
    await expectToSee(one, [own], [await both(two), await both(whole)])
    await expectToSee(await whole.scoped(), [own], [])
  })

  test("are no context for others to look into", async () => {
    const narrow = await app.client("default", { context_ids: ["a"] })
    const { conversation } = await both(whole)
    const asked = { query: "heron", context_id: conversation }
    expect(code(await narrow.post("/semantic-search", asked))).toEqual([404, "not_found"])
    expect(code(await narrow.post("/agents/run", { task: "t", context_id: conversation }))).toEqual([404, "not_found"])
  })
})

/** Without the links, which end a while after they are shown. */
const written = ({ id, role, content }: { id: string; role: string; content: string }) => ({ id, role, content })

test("no one who sees more answers into what credentials with limits made, which would read it", async () => {
  const narrow = await app.client("default", { context_ids: ["none"] })
  const token = await whole.scoped({ principals: [], end_user: "zoe" })
  const admin = asPerson((await people.add({ admin: true })).session)
  for (const maker of [narrow, token]) {
    const id = await converse(maker)
    const { messages } = (await maker.get(`/conversations/${id}`)).body
    const anew = `/conversations/${id}/messages/${messages[0].id}/regenerate`
    const asked = { conversation_id: id, message: "Where is the heron?" }
    for (const wide of [whole, admin, await whole.scoped({ end_user: "zoe" })])
      for (const [path, body] of [
        ["/send", asked],
        ["/continue", { ...asked, model: "builtin/extractive" }],
        [anew, {}],
      ] as const) {
        const { status } = await wide.send("POST", path, body)
        expect([403, 404]).toContain(status)
        expect(status === 404).toBe((await wide.send("GET", `/conversations/${id}`)).status === 404)
      }
    const { messages: left } = (await maker.get(`/conversations/${id}`)).body
    expect(left.map(written)).toEqual(messages.map(written))
    expect((await maker.post("/send", asked)).status).toBe(200)

    const kept = { model: "library/builtin/extractive", input: "Where is the heron?" }
    const first = (await maker.under("").post("/v1/responses", kept)).body.id
    const goesOn = { ...kept, previous_response_id: first }
    expect((await whole.under("").post("/v1/responses", goesOn)).status).toBe(403)
    expect((await whole.under("").post("/v1/responses", { ...goesOn, store: false })).status).toBe(200)
    expect((await maker.under("").post("/v1/responses", goesOn)).status).toBe(200)
  }
})

describe("an end user", () => {
  test("stands with what is made for him, and narrows lists", async () => {
    const [ada, bob] = [await both(whole, { end_user: "ada" }), await both(whole, { end_user: "bob" })]
    expect((await whole.get(`/conversations/${ada.conversation}`)).body.end_user).toBe("ada")
    expect((await whole.get(`/agents/runs/${bob.run}`)).body.end_user).toBe("bob")
    expect(await conversationsOf(whole, "&end_user=ada")).toEqual([ada.conversation])
    expect(await runsOf(whole, "&end_user=bob")).toEqual([bob.run])
    expect(await conversationsOf(whole, "&end_user=nobody")).toEqual([])
  })

  test("sees with a token what was made for him alone, whichever session made it", async () => {
    const token = () => whole.scoped({ end_user: "eve" })
    const [first, bobs] = [await both(await token()), await both(whole, { end_user: "bob" })]
    expect((await whole.get(`/conversations/${first.conversation}`)).body.end_user).toBe("eve")
    const ofKey = await both(whole, { end_user: "eve" })
    await expectToSee(await token(), [first, ofKey], [bobs])
  })

  test("keeps what he made with a token of the same limits, and does not see it with others", async () => {
    const limits = { end_user: "joe", principals: ["group:x", "user:joe"] }
    const made = await both(await whole.scoped(limits))
    await expectToSee(await whole.scoped({ ...limits, principals: ["user:joe", "group:x"] }), [made], [])
    await expectToSee(await whole.scoped({ ...limits, principals: ["user:joe"] }), [], [made])
  })

  test("whom a token fixes is the only one that it may name", async () => {
    const token = await whole.scoped({ end_user: "eve" })
    const other = { end_user: "bob" }
    const asks = [
      token.post("/start-conversation", { message: "heron?", ...other }),
      token.post("/agents/run", { task: "heron?", ...other }),
      token.post("/search", { query: "heron", ...other }),
      token.post("/semantic-search", { query: "heron", ...other }),
    ]
    for (const answer of await Promise.all(asks)) expect(code(answer)).toEqual([403, "forbidden"])
    expect((await token.post("/search", { query: "heron", end_user: "eve" })).status).toBe(200)
    const chat = { model: "builtin/extractive", messages: [{ role: "user", content: "heron?" }] }
    const compatible = token.under("")
    const response = { model: "builtin/extractive", input: "heron?" }
    for (const [path, body] of [
      ["/v1/chat/completions", chat],
      ["/v1/responses", response],
      ["/v1/responses", { ...response, store: false }],
    ] as const) {
      for (const names of [{ user: "bob" }, { user: "bob", safety_identifier: "eve" }, { safety_identifier: "bob" }])
        expect((await compatible.post(path, { ...body, ...names })).status).toBe(403)
      expect((await compatible.post(path, { ...body, user: "eve", safety_identifier: "eve" })).status).toBe(200)
    }
  })

  test("of one conversation is not another's", async () => {
    const conversation_id = await converse(whole, { end_user: "ada" })
    const send = (end_user: string) => whole.post("/send", { conversation_id, message: "And now?", end_user })
    expect(code(await send("bob"))).toEqual([403, "forbidden"])
    expect((await send("ada")).status).toBe(200)
  })

  test("has a name of 1 to 128 characters", async () => {
    for (const end_user of ["", "x".repeat(129), 7])
      expect(code(await whole.post("/search", { query: "heron", end_user }))).toEqual([400, "invalid_request"])
  })
})
