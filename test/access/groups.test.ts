/** Members of the console see files by their groups: by every door, with their keys and links, and from one request to the next. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { People, type Session } from "../support/people.ts"
import { until } from "../support/until.ts"

let app: TestApp
let people: People
let owner: Client
let admin: Session
let chief: Client
let member: { id: string; client: Client; session: Session }
const files: Record<string, string> = {}

beforeAll(async () => {
  app = await startTestApp({ "ollama-host": "http://127.0.0.1:9" })
  people = new People(app)
  owner = await app.client()
  admin = (await people.add({ admin: true })).session
  chief = owner.bearer(tokenOf(admin))
  const { id, session } = await people.add()
  member = { id, session, client: owner.bearer(tokenOf(session)) }
  for (const [name, acl] of [
    ["open", null],
    ["hr", ["group:hr"]],
    ["own", [`user:${id}`]],
    ["nobody", []],
  ] as const) {
    const upload = [{ name: `${name}.txt`, data: `The heron of ${name} stands in the reeds.` }]
    files[name] = (await owner.index(upload, acl ? { acl: JSON.stringify(acl) } : {}))[0].id
  }
}, 60_000)
afterAll(() => app.stop())

const tokenOf = ({ authorization }: Session) => authorization.slice("Bearer ".length)
const setGroups = (groups: unknown, by = admin, id = member.id) =>
  people.call("PATCH", `/users/${id}`, { groups }, { ...by })
const named = (list: { name: string }[]) => list.map(({ name }) => name.replace(".txt", "")).sort()

/** What each door shows. */
async function shown(by: Client): Promise<Record<string, string[]>> {
  const graphql = await by.under("").post("/graphql", { query: "{ files { nodes { name } } }" })
  const { body: found } = await by.post("/search", { query: "heron reeds", limit: 20 })
  const { body: library } = await by.get("/libraries")
  const byId = await Promise.all(
    Object.entries(files).map(async ([name, id]) => {
      const statuses = await Promise.all(
        ["", "/text", "/content"].map(async part => (await by.raw("GET", `/libraries/${id}${part}`)).status),
      )
      expect([name, new Set(statuses).size]).toEqual([name, 1])
      return { name, status: statuses[0] }
    }),
  )
  const events = (await by.get("/events?types=file.searchable&limit=100")).body.data
  return {
    list: named(library.data),
    search: named(found.hits.map(({ file }: { file: { name: string } }) => file)),
    graphql: named(graphql.body.data.files.nodes),
    ids: byId.flatMap(({ name, status }) => (status === 200 ? [name] : [])).sort(),
    events: Object.keys(files)
      .filter(name => events.some(({ data }: { data: { id: string } }) => data.id === files[name]))
      .sort(),
  }
}
const same = (...names: string[]) => {
  const sorted = names.toSorted()
  return { list: sorted, search: sorted, graphql: sorted, ids: sorted, events: sorted }
}

test("a member sees files without an acl and those that name the member; administrators see all", async () => {
  expect(await shown(member.client)).toEqual(same("open", "own"))
  expect(await shown(chief)).toEqual(same("open", "own", "hr", "nobody"))
  const { body } = await member.client.get(`/libraries/${files.own}/access`)
  expect(body).toMatchObject({ visible: true, reason: `the acl names user:${member.id}` })
})

test("who is put into a group sees its files, and who is taken out sees them no more: requests, links, streams", async () => {
  expect((await setGroups(["hr", "hr", "a.b"])).body.groups).toEqual(["a.b", "hr"])
  expect(await shown(member.client)).toEqual(same("open", "own", "hr"))
  const { body: link } = await member.client.post("/links", { file_id: files.hr })
  expect((await fetch(link.url)).status).toBe(200)
  const stream = await member.client.raw("GET", "/events/stream")
  const reader = stream.body!.getReader()

  expect((await setGroups(["a.b"])).status).toBe(200)
  expect(await shown(member.client)).toEqual(same("open", "own"))
  expect((await fetch(link.url)).status).toBe(403)
  while (!(await reader.read()).done); // the stream that saw more ends
  const again = await member.client.upload([{ name: "hr.txt", data: "The heron of hr stands in the reeds." }])
  expect(again.body.files[0].id).not.toBe(files.hr)
  await member.client.settled(again.body.files[0].id)
  await member.client.delete(`/libraries/${again.body.files[0].id}`)
  expect((await member.client.delete(`/libraries/${files.hr}`)).status).toBe(404)
  expect((await owner.get(`/libraries/${files.hr}`)).status).toBe(200)
})

test("keys of a member, and tokens of those, see what the member sees, whatever principals they name", async () => {
  const { body: made } = await people.call("POST", "", { name: "theirs" }, { ...member.session })
  const key = owner.bearer(made.token)
  expect(await shown(key)).toEqual(same("open", "own"))
  const token = await key.scoped({ principals: ["group:hr", `user:${member.id}`] })
  expect((await shown(token)).list).toEqual(["open", "own"])
  expect((await shown(await key.scoped({ principals: ["group:hr"] }))).list).toEqual(["open"])
  await setGroups(["hr"])
  expect(await shown(key)).toEqual(same("open", "own", "hr"))
  expect((await shown(await key.scoped({ principals: ["group:hr"] }))).list).toEqual(["hr", "open"])
  await setGroups([])
  expect(await shown(key)).toEqual(same("open", "own"))
  await people.call("PATCH", `/${made.id}`, { owner_id: null }, { ...admin })
  expect((await shown(key)).list).toEqual(["hr", "nobody", "open", "own"])
})

test("a source is shown to members from whom no acl hides a file of it", async () => {
  const source = async (name: string, acl: string[] | null) =>
    (await owner.post("/sources", { type: "push", name, config: {}, acl })).body.id
  const hidden = await source("of hr", ["group:hr"])
  const open = await source("of all", null)
  const listed = async () =>
    (await member.client.get("/sources")).body.data.map(({ id }: { id: string }) => id).toSorted()
  expect(await listed()).toEqual([open])
  expect((await member.client.get(`/sources/${hidden}`)).status).toBe(404)
  await setGroups(["hr"])
  expect(await listed()).toEqual([hidden, open].toSorted())
  await setGroups([])
})

test("nobody who sees more answers into what a member began, where an acl hides something from the member", async () => {
  const begin = async (by: Client) =>
    (await by.post("/start-conversation", { message: "Where does the heron stand?" })).body.conversation_id
  const ask = (by: Client, conversation_id: string) =>
    by.post("/send", { conversation_id, message: "And the heron of hr?" })
  const conversation = await begin(member.client)
  const chiefs = await ask(chief, conversation)
  expect([chiefs.status, (await ask(member.client, conversation)).status]).toEqual([403, 200])
  const elsewhere = (await people.call("POST", "/workspaces", { name: "elsewhere" }, { ...admin })).body.id
  await people.call("PUT", `/workspaces/${elsewhere}/members/${member.id}`, {}, { ...admin })
  for (const { session } of [member, { session: admin }])
    await people.call("PATCH", "/me", { workspace_id: elsewhere }, { ...session })
  const other = await begin(member.client)
  expect((await ask(chief, other)).status).toBe(200)
})

test("only administrators name groups, by names that an acl can hold, and the log tells it", async () => {
  expect((await setGroups(["hr"], member.session)).status).toBe(403)
  for (const groups of [
    ["h r"],
    [""],
    ["a/b"],
    ["ü"],
    ["x".repeat(129)],
    "hr",
    [1],
    Array.from({ length: 100 }, String),
  ])
    expect([groups, (await setGroups(groups)).status]).toEqual([groups, 400])
  const { headers } = await setGroups(["hr", "x".repeat(128)])
  const told = await until(async () => {
    const { body } = await chief.get("/audit?order=desc&limit=20&action=user.update")
    return body.data.find((row: { request_id: string }) => row.request_id === headers.get("x-request-id"))
  })
  expect(told).toMatchObject({ outcome: "success", resource_id: member.id, details: { fields: ["groups"] } })
})
