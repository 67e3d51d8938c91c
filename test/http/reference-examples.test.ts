/**
 * The body that the reference shows of each operation is sent as it stands, to a thing that is there for it, and succeeds.
 * Only what stands for something of the caller's is replaced: ids, secrets, places.
 */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { openRouteHouse, type RouteHouse } from "../support/route-house.ts"
import { requestOf } from "../support/route-requests.ts"
import { operations, routes } from "../support/routes.ts"

type Fields = Record<string, unknown>

/** What cannot be sent so, and why. */
const NOT_HERE: Record<string, string> = {
  claimDaemon: "happens once in the life of a daemon: test/access/sessions.test.ts",
  checkSetupToken: "asks for the token of a daemon that nobody has claimed: test/access/sessions.test.ts",
}

/** Where the thing that others ask with is not of the kind that the example is about: its own path, or its own fields. */
const OF_ITS_KIND: Record<string, () => Promise<{ at?: string; body?: Fields }>> = {
  createLink: async () => ({ body: { file_id: stands.file_01m7y48vkz3s85f1acdta2 } }),
  updateSource: async () => {
    const given = { type: "web", name: "Site", config: { url: opened.house.page } }
    const { body } = await opened.house.owner.post("/sources", given)
    return { at: `/external/sources/${body.id}` }
  },
}

const shown = operations.flatMap(({ method, path, entry }) =>
  Object.entries(entry.requestBody?.content ?? {})
    .filter(([, { example }]) => example !== undefined)
    .map(([type, { example }]) => ({ id: entry.operationId, method, path, type, example })),
)

let opened: RouteHouse
/** What stands in examples, and for what. */
let stands: Record<string, string>
beforeAll(async () => {
  opened = await openRouteHouse({ "embedding-tier": "auto" })
  const { house, root } = opened
  house.scenes.add("none", { text: '{"days": 90}' })
  const [file] = await house.owner.index([{ name: "a.txt", data: "The contract ends. ".repeat(100) }], {
    context_id: "project:42",
  })
  const { body } = await house.owner.get("/events?limit=1")
  stands = {
    file_01m7y48vkz3s85f1acdta2: file.id,
    user_01m7y48vkz3s85f1acdta2: (await house.people.make()).id,
    evt_01m7y48vkz3s85f1acdta3: body.data[0].id,
    "/srv/documents": root,
    "https://example.org/handbook": house.page,
    "http://10.0.0.5:8080/carrel": "http://127.0.0.1:9/carrel",
    "cid_…": house.owner.key.client_id,
    "cpk_…": house.owner.key.private_key,
    "csk_…": house.owner.key.secret,
  }
}, 60_000)
afterAll(() => opened.close())

/** What is nobody's: an id, or a secret whose end is left out. */
const isPlaceholder = (text: string) => /_01m7|…$/.test(text)

/** The example with what was made for the request in the place of what stands for it. */
function filled(value: unknown, made: unknown): unknown {
  if (typeof value === "string") {
    if (isPlaceholder(value) && typeof made === "string") return made
    return stands[value] ?? value
  }
  if (Array.isArray(value)) return value.map((each, at) => filled(each, Array.isArray(made) ? made[at] : undefined))
  if (typeof value !== "object" || value === null) return value
  const fields = (typeof made === "object" && made !== null ? made : {}) as Fields
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, fields[name])]))
}

test.each(shown.filter(({ id }) => !(id in NOT_HERE)))("$id: $type", async ({ id, method, path, type, example }) => {
  const { house } = opened
  const { declared } = routes.find(each => each.declared?.id === id)!
  const asked = { ...(await requestOf(declared!, path, house)), ...(await OF_ITS_KIND[id]?.()) }
  // Who signs in is made for it.
  const { email } = asked.body as Fields
  const body = filled(example, asked.body)
  const given = id === "signIn" ? { ...(body as object), email } : body
  const accept = id.startsWith("mcp") ? { accept: "application/json, text/event-stream" } : {}
  const answer = await fetch(house.url + asked.at, {
    method,
    headers: {
      ...accept,
      ...(declared!.open ? {} : declared!.session ? house.admin : house.owner.credentials),
      "content-type": type,
      ...asked.headers,
    } as Record<string, string>,
    body: typeof given === "string" ? given : JSON.stringify(given),
  })
  const text = await answer.text()
  expect([answer.status < 300, answer.status < 300 ? "" : text]).toEqual([true, ""])
  expect(text).not.toMatch(/^event: error$/m)
})

test("what is left out has an example", () => {
  expect(Object.keys(NOT_HERE).filter(id => !shown.some(each => each.id === id))).toEqual([])
  expect(shown.length).toBeGreaterThan(60)
})
