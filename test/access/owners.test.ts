import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { startTestApp, type TestApp } from "../support/app.ts"
import { People, type Session } from "../support/people.ts"

let app: TestApp
let people: People
let admin: Session

beforeAll(async () => {
  app = await startTestApp()
  people = new People(app)
  admin = (await people.add({ admin: true })).session
}, 60_000)
afterAll(() => app.stop())

// biome-ignore lint/suspicious/noExplicitAny: a body of the API
async function works({ client_id, private_key, secret }: any): Promise<boolean> {
  const headers = { "client-id": client_id, "private-key": private_key, secret }
  const models = await fetch(`${app.url}/external/models`, { headers })
  const verified = await people.call("POST", "/verify", { client_id, private_key, secret })
  expect(verified.body.valid).toBe(models.status === 200)
  return models.status === 200
}

test("names of keys and users hold nothing that a terminal obeys", async () => {
  for (const name of ["a\u001b[31mred", "two\nlines", "bell\u0007", "turned\u202e"]) {
    expect((await people.call("POST", "", { name }, admin)).status).toBe(400)
    expect((await people.call("PATCH", "/me", { name }, admin)).status).toBe(400)
  }
  expect((await people.call("PATCH", "/me", { name: "Žofie Çelik 王" }, admin)).status).toBe(200)
})

describe("a key of a member", () => {
  let member: Awaited<ReturnType<People["add"]>>
  // biome-ignore lint/suspicious/noExplicitAny: a body of the API
  let key: any
  beforeEach(async () => {
    member = await people.add()
    key = (await people.call("POST", "", { name: "theirs" }, member.session)).body
  })
  const listed = async () => {
    const { body } = await people.call("GET", "?page_size=100", undefined, admin)
    return body.data.find((other: { id: string }) => other.id === key.id)
  }

  test("is listed with its owner", async () => {
    expect(key.owner).toMatchObject({ id: member.id, active: true })
    expect((await listed()).owner).toEqual(key.owner)
  })

  test("is refused while its owner is disabled, and works again after", async () => {
    expect(await works(key)).toBe(true)
    await people.call("PATCH", `/users/${member.id}`, { disabled: true }, admin)
    expect(await works(key)).toBe(false)
    expect((await listed()).owner.active).toBe(false)
    await people.call("PATCH", `/users/${member.id}`, { disabled: false }, admin)
    expect(await works(key)).toBe(true)
  })

  test("ends with the removal of its owner", async () => {
    await people.call("DELETE", `/users/${member.id}`, undefined, admin)
    expect(await works(key)).toBe(false)
    expect((await listed()).revoked_at).not.toBeNull()
  })

  test("goes on with the heir when its owner is removed", async () => {
    const heir = await people.add()
    expect((await people.call("DELETE", `/users/${member.id}?keys_to=nobody`, undefined, admin)).status).toBe(400)
    expect((await people.call("DELETE", `/users/${member.id}?keys_to=${heir.id}`, undefined, admin)).status).toBe(204)
    expect(await works(key)).toBe(true)
    expect((await listed()).owner.id).toBe(heir.id)
    await people.call("DELETE", `/users/${heir.id}`, undefined, admin)
    expect(await works(key)).toBe(false)
  })

  test("is refused once its owner has left the workspace", async () => {
    const other = (await people.call("POST", "/workspaces", { name: `other ${member.id}` }, admin)).body
    await people.call("PUT", `/workspaces/${other.id}/members/${member.id}`, {}, admin)
    const own = (await people.call("GET", "/me", undefined, admin)).body.workspace
    expect((await people.call("DELETE", `/workspaces/${own.id}/members/${member.id}`, undefined, admin)).status).toBe(
      204,
    )
    expect(await works(key)).toBe(false)
  })

  test("can be handed over by an administrator only, to a user of the workspace or to nobody", async () => {
    expect((await people.call("PATCH", `/${key.id}`, { owner_id: null }, member.session)).status).toBe(403)
    const stranger = await people.call("PATCH", `/${key.id}`, { owner_id: "user_x", name: "changed" }, admin)
    expect(stranger.status).toBe(400)
    expect(await listed()).toMatchObject({ name: "theirs", owner: { id: member.id } })
    expect((await people.call("PATCH", `/${key.id}`, { owner_id: null }, admin)).body.owner).toBeNull()
    await people.call("DELETE", `/users/${member.id}`, undefined, admin)
    expect(await works(key)).toBe(true)
  })
})
