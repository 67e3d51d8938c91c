/** Prompts that users keep, over the routes of the console. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { startTestApp, type TestApp } from "../support/app.ts"
import { People, type Session } from "../support/people.ts"

let app: TestApp
let people: People
let admin: Session
let ada: Session

beforeAll(async () => {
  app = await startTestApp()
  people = new People(app)
  admin = (await people.add({ admin: true })).session
  ada = (await people.add()).session
})
afterAll(() => app.stop())

const keep = (name: string, text: string, by = ada) =>
  people.call("PUT", `/prompts/${encodeURIComponent(name)}`, { text }, { ...by })
const remove = (name: string, by = ada) => people.call("DELETE", `/prompts/${name}`, undefined, { ...by })
const kept = async (by: Session): Promise<string[]> =>
  (await people.call("GET", "/prompts", undefined, { ...by })).body.data.map(
    ({ name, text }: { name: string; text: string }) => `${name}: ${text}`,
  )

test("a prompt is kept, written anew, and deleted; nobody else sees it, administrators neither", async () => {
  expect((await keep("summary", "Sum it up.")).body).toMatchObject({ name: "summary", text: "Sum it up." })
  await keep("anrede", "Schreibe höflich.")
  await keep("summary", "Sum it up in five lines.")
  expect(await kept(ada)).toEqual(["anrede: Schreibe höflich.", "summary: Sum it up in five lines."])
  expect(await kept(await people.signIn("user2@example.org"))).toHaveLength(2)
  expect(await kept(admin)).toEqual([])
  expect((await remove("summary", admin)).status).toBe(404)
  expect((await remove("summary")).status).toBe(204)
  expect((await remove("summary")).status).toBe(404)
  expect(await kept(ada)).toEqual(["anrede: Schreibe höflich."])
})

test("a name with blanks, an empty text, and more than 200 are refused; one that is there can still be written anew", async () => {
  expect((await keep("two words", "x")).status).toBe(400)
  expect((await keep("empty", "")).status).toBe(400)
  for (let i = 0; i < 200; i++) await keep(`p${i}`, "x", admin)
  expect((await keep("another", "x", admin)).status).toBe(409)
  expect((await keep("p7", "y", admin)).status).toBe(200)
  expect(await kept(admin)).toHaveLength(200)
})
