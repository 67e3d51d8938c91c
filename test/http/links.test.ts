/** Signed links: what they open, for whom, how long, and what they never show. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { sql } from "kysely"
import { ApiKeys } from "../../src/access/keys.ts"
import type { Database } from "../../src/storage/database.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { dataOf, readEvents } from "../support/events.ts"
import { LLAMA, type OllamaStandIn, startOllama } from "../support/ollama.ts"
import { People } from "../support/people.ts"

setDefaultTimeout(60_000)

const SECRET = "The vault opens with the Larkspur key alone."
const LEASE = `# Lease

Preamble of the lease: the boathouse stands in Narvik.

## 2 Rent

The rent is due on the first day of each month, without request.

## 3 Notice

Either party may end this agreement with 90 days' written notice.
`
const MARKUP = `<script>alert("x")</script> & <img src=x onerror=alert(1)> "quoted" \u202Egnirts\u202C <b>bold</b>`

let ollama: OllamaStandIn
let app: TestApp
let api: Client
let lease: { id: string; name: string }
let secret: { id: string }

beforeAll(async () => {
  ollama = await startOllama([LLAMA])
  app = await startTestApp({ "ollama-host": ollama.server.url, "trusted-proxies": "127.0.0.1" })
  api = await app.client()
  const records = await api.index([
    { name: "lease.md", data: LEASE },
    { name: "secret.txt", data: SECRET },
  ])
  lease = records.find(({ name }) => name === "lease.md")
  secret = records.find(({ name }) => name === "secret.txt")
})
afterAll(async () => {
  await app.stop()
  ollama.server.stop()
})

/** Each test asks from an address of its own: too many wrong links from one are refused. */
let visitor = 0
beforeEach(() => void visitor++)
const open = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { redirect: "manual", headers: { "x-forwarded-for": `10.0.0.${visitor}` }, ...init })
const pageOf = async (url: string): Promise<string> => {
  const response = await open(url)
  expect(response.status).toBe(200)
  return response.text()
}
/** What a reader sees, without the style. */
const shown = (page: string): string =>
  page
    .replace(/^[\s\S]*<main>/, "")
    .replace(/<[^>]*>/g, "")
    .replace(/&(amp|lt|gt|quot|#39);/g, entity => ENTITIES[entity]!)
const ENTITIES: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" }

async function onDatabase<T>(app: TestApp, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openSqlite(app.data)
  try {
    return await work(database)
  } finally {
    await database.destroy()
  }
}
const onKeys = <T>(work: (keys: ApiKeys) => Promise<T>) => onDatabase(app, database => work(new ApiKeys(database)))
const fixture = (name: string) => readFileSync(join(import.meta.dir, "../fixtures/documents", name))
const linkOf = async (body: object, client = api): Promise<string> => {
  const answer = await client.post("/links", body)
  expect(answer.status).toBe(201)
  return answer.body.url
}
const pictureOf = (url: string): string => url.replace("?", "/page.png?")
const placeOf = (text: string, passage: string) => ({
  start: text.indexOf(passage),
  end: text.indexOf(passage) + passage.length,
})
const HOUR_MS = 3_600_000
const PAST = "2020-01-01T00:00:00.000Z"
const NOTICE = "Either party may end this agreement with 90 days' written notice."

describe("a link", () => {
  test("of a hit opens the passage, marked in its surroundings, without credentials", async () => {
    const { body } = await api.post("/search", { query: "written notice to end the agreement", limit: 1 })
    const [hit] = body.hits
    expect(hit.url).toStartWith(`${app.url}/view/${lease.id}?start=${hit.position.start}&end=${hit.position.end}&exp=`)
    const response = await open(hit.url)
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
    const page = await response.text()
    expect(page).toContain("<bdi>lease.md</bdi>")
    expect(page).toMatch(
      /<mark>[^<]*Either party may end this agreement with 90 days&#39; written notice\.[^<]*<\/mark>/,
    )
    expect(page).not.toContain("Larkspur")
  })

  test("lives for a day unless something else is asked for, and the answer says until when", async () => {
    const { status, body } = await api.post("/links", { file_id: lease.id })
    expect(status).toBe(201)
    const seconds = (Date.parse(body.expires_at) - Date.now()) / 1000
    expect([seconds > 86_000, seconds <= 86_400]).toEqual([true, true])
    expect(body.url).toContain(`exp=${Date.parse(body.expires_at) / 1000}&`)
    const hour = await api.post("/links", { file_id: lease.id, expires_in: 3_600 })
    expect((Date.parse(hour.body.expires_at) - Date.now()) / 1000).toBeLessThanOrEqual(3_600)
  })

  test("shows its page to HEAD without a body, and nothing may keep, frame or index it", async () => {
    const url = await linkOf({ file_id: lease.id, ...placeOf(LEASE, NOTICE) })
    const head = await open(url, { method: "HEAD" })
    expect([head.status, await head.text()]).toEqual([200, ""])
    for (const { headers } of [head, await open(url), await open(`${url}x`)]) {
      expect(Object.fromEntries(headers)).toMatchObject({
        "cache-control": "private, no-store",
        "referrer-policy": "no-referrer",
        "x-frame-options": "DENY",
        "x-robots-tag": "noindex, nofollow, noarchive",
        "x-content-type-options": "nosniff",
      })
      const policy = headers.get("content-security-policy")!
      expect(policy).toStartWith("default-src 'none'; img-src 'self' data:; style-src 'sha256-")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(headers.get("set-cookie")).toBeNull()
    }
    expect((await open(url, { method: "POST" })).status).toBe(405)
  })

  test("stays good over a restart", async () => {
    const url = await linkOf({ file_id: lease.id })
    await app.restart()
    const { pathname, search } = new URL(url)
    expect((await open(app.url + pathname + search)).status).toBe(200)
  })

  test("names the address that is set, whatever Host the request has", async () => {
    await app.restart({ "app-url": "https://carrel.example/library/" })
    const { body } = await api.post("/links", { file_id: lease.id }, { host: "evil.example" })
    expect(body.url).toStartWith(`https://carrel.example/library/view/${lease.id}?exp=`)
    const path = body.url.slice("https://carrel.example/library".length)
    expect((await open(app.url + path)).status).toBe(200)
    await app.restart()
    const { body: after } = await api.post("/links", { file_id: lease.id }, { host: "evil.example" })
    expect(after.url).toStartWith(`${app.url}/view/`)
  })

  test("is refused for what is no place, no time, or no file of the caller's", async () => {
    const other = await app.client("elsewhere")
    for (const [body, status, client] of [
      [{ file_id: "file_01m7y48vkz3s85f1acdta2" }, 404],
      [{ file_id: lease.id }, 404, other],
      [{ file_id: lease.id, start: 3 }, 400],
      [{ file_id: lease.id, start: 9, end: 9 }, 400],
      [{ file_id: lease.id, start: 9, end: 100_000 }, 400],
      [{ file_id: lease.id, start: -1, end: 9 }, 400],
      [{ file_id: lease.id, page: 0 }, 400],
      [{ file_id: lease.id, expires_in: 0 }, 400],
      [{ file_id: lease.id, expires_in: 30 * 86_400 + 1 }, 400],
      [{}, 400],
      [{ file_id: lease.id, expire_in: 60 }, 400],
    ] as [object, number, Client?][])
      expect([body, (await (client ?? api).post("/links", body)).status]).toEqual([body, status])
    const searcher = await app.client("default", { scopes: ["search"] })
    expect((await searcher.post("/links", { file_id: lease.id })).status).toBe(403)
  })
})

describe("a link is refused", () => {
  test("in the same words whatever is wrong with it, and whether or not the file exists", async () => {
    const url = await linkOf({ file_id: lease.id, ...placeOf(LEASE, NOTICE) })
    const { origin, pathname, search } = new URL(url)
    const pages: string[] = []
    for (const wrong of [
      `${origin}${pathname}`,
      `${origin}${pathname}?`,
      `${url}0`,
      url.replace("start=", "start=1"),
      url.replace(/exp=\d/, "exp=9"),
      `${origin}/view/${secret.id}${search}`,
      `${origin}/view/file_01m7y48vkz3s85f1acdta2${search}`,
      `${origin}/view/x`,
      `${origin}/view/%3Cscript%3E`,
      `${url}&page=1`,
      url.replace("?", "?page=1&"),
      url.replace("exp=", "EXP="),
      url.replace("sig=key_", "sig=key%5F"),
      url.replace("_", "%5F"),
    ]) {
      const response = await open(wrong)
      expect([wrong, response.status]).toEqual([wrong, 403])
      pages.push(await response.text())
    }
    expect(new Set(pages).size).toBe(1)
    expect(pages[0]).toContain("<!doctype html>")
    expect(pages[0]).not.toContain("lease")
  })

  test("once its time is over", async () => {
    const url = await linkOf({ file_id: lease.id, expires_in: 1 })
    await Bun.sleep(1_100)
    expect((await open(url)).status).toBe(403)
  })

  test("once its key is revoked, not once it is rotated", async () => {
    const client = await app.client()
    const url = await linkOf({ file_id: lease.id }, client)
    await onKeys(keys => keys.rotate(client.key.id))
    expect((await open(url)).status).toBe(200)
    await onKeys(keys => keys.revoke(client.key.id))
    expect((await open(url)).status).toBe(403)
  })

  test("once its key has expired; it says so beforehand", async () => {
    const ends = new Date(Date.now() + HOUR_MS).toISOString()
    const client = await app.client("default", { expires_at: ends })
    const { body } = await client.post("/links", { file_id: lease.id })
    expect(Date.parse(body.expires_at)).toBeLessThanOrEqual(Date.parse(ends) + 1_000)
    const day = (await client.post("/search", { query: "rent", limit: 1 })).body.hits[0].url
    expect((await open(day)).status).toBe(200)
    await onDatabase(app, database =>
      database.updateTable("api_keys").set({ expires_at: PAST }).where("id", "=", client.key.id).execute(),
    )
    expect((await open(day)).status).toBe(403)
  })

  test("once its key is gone", async () => {
    const client = await app.client()
    const url = await linkOf({ file_id: lease.id }, client)
    await onDatabase(app, database => database.deleteFrom("api_keys").where("id", "=", client.key.id).execute())
    expect((await open(url)).status).toBe(403)
  })

  test("once its console user is disabled, or has left the workspace; the end of a session does not matter", async () => {
    const people = new People(app)
    const { id, session } = await people.add({ admin: true })
    await people.add({ admin: true })
    const made = await fetch(`${app.url}/external/links`, {
      method: "POST",
      headers: { ...session, "content-type": "application/json" },
      body: JSON.stringify({ file_id: lease.id }),
    })
    const { url } = (await made.json()) as { url: string }
    expect(new URL(url).searchParams.get("sig")).toStartWith(`${id}.`)
    await people.call("DELETE", "/sessions/current", undefined, session)
    await onDatabase(app, database => sql`delete from sessions`.execute(database))
    expect((await open(url)).status).toBe(200)
    const member = (disabled: string | null) =>
      onDatabase(app, database =>
        database.updateTable("users").set({ disabled_at: disabled }).where("id", "=", id).execute(),
      )
    await member(new Date().toISOString())
    expect((await open(url)).status).toBe(403)
    await member(null)
    expect((await open(url)).status).toBe(200)
    await onDatabase(app, database => database.deleteFrom("memberships").where("user_id", "=", id).execute())
    expect((await open(url)).status).toBe(403)
  })

  test("once its key does not see the file any more", async () => {
    const client = await app.client()
    const url = await linkOf({ file_id: lease.id }, client)
    await onKeys(keys => keys.change(client.key.id, { context_ids: ["elsewhere"] }))
    expect((await open(url)).status).toBe(403)
    await onKeys(keys => keys.change(client.key.id, { context_ids: null }))
    expect((await open(url)).status).toBe(200)
  })

  test("once its scoped token does not see the file any more, or is over, or its key is revoked; the key's own goes on", async () => {
    const client = await app.client()
    const [file] = await client.index([{ name: "hr.txt", data: "Salaries of the heron." }], { acl: '["group:hr"]' })
    const token = await client.scoped({ principals: ["group:hr"], expires_in: 3_600 })
    const until = Date.now() + HOUR_MS
    const { body } = await token.post("/links", { file_id: file.id })
    expect(Date.parse(body.expires_at)).toBeLessThanOrEqual(until + 1_000)
    const { url } = (await token.post("/search", { query: "heron", limit: 1 })).body.hits[0]
    expect(new URL(url).searchParams.get("sig")).toStartWith("tok_")
    const own = await linkOf({ file_id: file.id }, client)
    const statuses = async () => [(await open(body.url)).status, (await open(url)).status, (await open(own)).status]
    expect(await statuses()).toEqual([200, 200, 200])
    await client.patch(`/libraries/${file.id}`, { acl: ["group:it"] })
    expect(await statuses()).toEqual([403, 403, 200])
    await client.patch(`/libraries/${file.id}`, { acl: null })
    expect(await statuses()).toEqual([200, 200, 200])
    await onDatabase(app, database => database.updateTable("scoped_tokens").set({ expires_at: PAST }).execute())
    expect((await open(url)).status).toBe(403)
    const other = await client.scoped({})
    const last = (await other.post("/search", { query: "heron", limit: 1 })).body.hits[0].url
    expect((await open(last)).status).toBe(200)
    await onKeys(keys => keys.revoke(client.key.id))
    expect((await open(last)).status).toBe(403)
  })

  test("with 404 once the file is deleted, and with 403 as soon as the key is revoked as well", async () => {
    const client = await app.client()
    const [file] = await client.index([{ name: "gone.txt", data: "Soon to be deleted." }])
    const url = await linkOf({ file_id: file.id }, client)
    await client.delete(`/libraries/${file.id}`)
    const response = await open(url)
    expect(response.status).toBe(404)
    expect(await response.text()).not.toContain("gone.txt")
    await onKeys(keys => keys.revoke(client.key.id))
    expect((await open(url)).status).toBe(403)
  })
})

test("whoever makes links up is refused for a while; right links go on opening", async () => {
  const url = await linkOf({ file_id: lease.id })
  const statuses: number[] = []
  for (let i = 0; i < 35; i++) statuses.push((await open(`${url}${i}`)).status)
  expect([statuses[0], statuses.at(-1)]).toEqual([403, 429])
  const refused = await open(`${url}x`)
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
  expect(await refused.text()).toContain("Too many wrong links")
  expect((await open(url)).status).toBe(200)
})

describe("the page", () => {
  test("shows names and texts as they are written, never as markup, and nothing that turns their direction", async () => {
    const name = `<img src=x onerror=alert(1)>"'&.txt`
    const [file] = await api.index([{ name, data: MARKUP }])
    const page = await pageOf(await linkOf({ file_id: file.id, start: 0, end: MARKUP.length }))
    expect(page).not.toMatch(/<script|<img|<b>/)
    expect(page).toContain("<bdi>&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;.txt</bdi>")
    expect(page).toContain("<title>&lt;img")
    expect(page).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
    expect(shown(page)).toContain(MARKUP.replace(/[\u202a-\u202e]/g, ""))
  })

  test.each([
    ["lease.pdf", "lease ficus rent", "Page"],
    ["rents.xlsx", "attic", "Sheet"],
    ["talk.pptx", "ficus", "Slide"],
  ])("of a passage of %s says where it is", async (name, query, word) => {
    const [file] = await api.index([{ name, data: fixture(name) }])
    const { body } = await api.post("/search", { query, limit: 1, filters: { file_ids: [file.id] } })
    const [hit] = body.hits
    if (hit.position.page) expect(hit.url).toContain(`?page=${hit.position.page}&start=`)
    const page = await pageOf(hit.url)
    expect(shown(page)).toContain(`${word} ${hit.position.page ?? hit.position.sheet ?? hit.position.slide}`)
    expect(page).toContain(word === "Page" ? "The passage" : "<mark>")
  })

  test("of a PDF is the page's picture with the passage marked, and the passage below it; of a picture the picture", async () => {
    const [pdf] = await api.index([{ name: "pictured.pdf", data: fixture("lease.pdf") }])
    const { body } = await api.post("/search", { query: "lease ficus rent", limit: 1, filters: { file_ids: [pdf.id] } })
    const [hit] = body.hits
    const page = await pageOf(hit.url)
    const [, source] = /<img class="picture" src="([^"]+)"/.exec(page)!
    const picture = await open(new URL(source!.replaceAll("&amp;", "&"), hit.url).href)
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/png"])
    expect(picture.headers.get("cache-control")).toBe("private, no-store")
    const marked = Buffer.from(await picture.arrayBuffer())
    expect([marked.subarray(1, 4).toString(), marked.readUInt32BE(16)]).toEqual(["PNG", 1_600])
    const plain = await open(pictureOf(await linkOf({ file_id: pdf.id, page: hit.position.page })))
    expect(marked.equals(Buffer.from(await plain.arrayBuffer()))).toBe(false)
    expect(shown(page)).toContain(`Page ${hit.position.page}`)
    expect(shown(page).replace(/\s+/g, " ")).toContain(hit.text.replace(/\s+/g, " "))
    const [image] = await api.index([{ name: "pictured.png", data: fixture("lease.png") }])
    expect(await pageOf(await linkOf({ file_id: image.id }))).toContain("/page.png?")
    const of = (
      await api.post("/search", { query: "ficus", mode: "semantic", limit: 1, filters: { file_ids: [image.id] } })
    ).body.hits[0]
    expect((await open(pictureOf(of.url))).status).toBe(200)
  })

  test("has a picture under its own signature alone, and none where there is no page", async () => {
    const [pdf] = await api.index([{ name: "signed.pdf", data: fixture("lease.pdf") }])
    const url = await linkOf({ file_id: pdf.id, page: 1 })
    for (const wrong of [
      pictureOf(url).replace("page=1", "page=2"),
      pictureOf(url).replace(/\?.*/, ""),
      `${pictureOf(url)}&width=2400`,
      pictureOf(url).replace("page.png", "page.PNG"),
    ])
      expect([wrong, (await open(wrong)).status]).toEqual([wrong, wrong.includes("PNG") ? 404 : 403])
    expect((await open(pictureOf(await linkOf({ file_id: lease.id })))).status).toBe(404)
    await api.delete(`/libraries/${pdf.id}`)
    expect((await open(pictureOf(url))).status).toBe(404)
  })

  test("shows what is around the passage on its page, its sheet, its slide, and nothing from another", async () => {
    const [pages] = await api.index([{ name: "talk2.pptx", data: fixture("talk.pptx") }])
    const whole = (await api.get(`/libraries/${pages.id}/text`)).body as string
    const { body } = await api.post("/search", {
      query: "a",
      mode: "semantic",
      limit: 50,
      filters: { file_ids: [pages.id] },
    })
    const slides = Map.groupBy(body.hits as Found[], hit => hit.position.slide)
    expect(slides.size).toBeGreaterThan(1)
    for (const [slide, hits] of slides)
      for (const hit of hits) {
        const text = shown(await pageOf(hit.url))
        expect(text).toContain(whole.slice(hit.position.start, hit.position.end).replace(/\s+$/, ""))
        for (const [other, others] of slides)
          if (other !== slide) for (const { text: foreign } of others) expect(text).not.toContain(foreign)
      }
  })

  test("of a page that is named alone shows that page", async () => {
    const [file] = await api.index([{ name: "talk3.pptx", data: fixture("talk.pptx") }])
    const { body } = await api.post("/search", {
      query: "a",
      mode: "semantic",
      limit: 50,
      filters: { file_ids: [file.id] },
    })
    const second = (body.hits as Found[]).find(hit => hit.position.slide === 2)!
    const page = await pageOf(await linkOf({ file_id: file.id, page: 2 }))
    expect(shown(page)).toContain(second.text.split("\n")[0]!)
    expect(page).not.toContain("<mark>")
  })

  test("shows a stretch of a long text, never all of it", async () => {
    const lines = Array.from({ length: 3_000 }, (_, i) => `Line ${i} of the log says number ${i * 7919}.`)
    const text = lines.join("\n\n")
    const [file] = await api.index([{ name: "long.txt", data: text }])
    const passage = placeOf(text, lines[1500]!)
    const page = shown(await pageOf(await linkOf({ file_id: file.id, ...passage })))
    expect(page).toContain(`${lines[1499]}\n\n${lines[1500]}\n\n${lines[1501]}`)
    expect(page.length).toBeLessThan(4_000)
    const all = shown(await pageOf(await linkOf({ file_id: file.id, start: 0, end: text.length })))
    expect(all.length).toBeLessThan(15_000)
  })

  test("holds nothing of other files, whichever link is opened", async () => {
    const words = Array.from({ length: 12 }, (_, i) => `secretword${i}x`)
    const files = await api.index(
      words.map((word, i) => ({
        name: `${word}.txt`,
        data: Array.from({ length: 1 + (i % 4) * 9 }, (_, line) => `${word} stands in line ${line} of this file.`).join(
          "\n\n",
        ),
      })),
    )
    for (const [i, file] of files.entries()) {
      const own = words.find(word => file.name.startsWith(word))!
      const { body } = await api.post("/search", { query: own, limit: 3 })
      const urls = [
        ...body.hits.filter((hit: Found) => hit.file.id === file.id).map((hit: Found) => hit.url),
        await linkOf({ file_id: file.id }),
        await linkOf({ file_id: file.id, start: i, end: Math.min(file.character_count, i + 40) }),
      ]
      for (const url of urls) {
        const page = await pageOf(url)
        expect(page).toContain(own)
        for (const other of words) if (other !== own) expect(page.replaceAll(own, "")).not.toContain(other)
        const way =
          /<a href="\.\.\/(?:search|library)\?file=file_\w+(?:&amp;at=\d+-\d+)?">Open the document in Carrel<\/a>/
        expect(page).toMatch(way) // into the console, which asks who comes
        expect(page.replace(way, "")).not.toMatch(/<a |<form|<script|<iframe/)
      }
    }
  })

  test("of a file whose text was replaced shows what is there now, unmarked", async () => {
    const [file] = await api.index([
      { name: "version.txt", data: `${"Filler words before it. ".repeat(20)}The old clause.` },
    ])
    const url = await linkOf({ file_id: file.id, start: 480, end: 495 })
    expect(await pageOf(url)).toContain("The old clause.")
    const { body } = await api.upload([{ name: "version.txt", data: "Short now." }], { on_duplicate: "replace" })
    expect(body.files[0].id).toBe(file.id)
    await api.settled(file.id)
    const page = await pageOf(url)
    expect(page).toContain("Short now.")
    expect(page).not.toContain("<mark>")
  })

  test("of a file that could not be read says so", async () => {
    const { body } = await api.upload([{ name: "empty.docx", data: "not a document" }])
    const file = await api.settled(body.files[0].id)
    expect(file.status).toBe("failed")
    expect(await pageOf(await linkOf({ file_id: file.id }))).toContain("no text that could be shown")
  })
})

describe("under redaction that the workspace insists on", () => {
  const TEXT = `Call of duty list.\n\nMr Johnathan Appleseed lives at 12 Harbour Road; write to j.appleseed@example.com or pay to card 4111 1111 1111 1111.`
  let guarded: Client
  let file: { id: string }

  beforeAll(async () => {
    guarded = await app.client("guarded")
    ;[file] = (await guarded.index([{ name: "john.appleseed@example.com.txt", data: TEXT }])) as [{ id: string }]
    await onDatabase(app, database =>
      database.updateTable("workspaces").set({ enforce_redaction: 1 }).where("name", "=", "guarded").execute(),
    )
  })

  test("a link holds nothing private, and its page shows the text redacted, and no picture", async () => {
    const { body } = await guarded.post("/search", { query: "duty list", limit: 1 })
    const urls = [body.hits[0].url, await linkOf({ file_id: file.id }, guarded)]
    urls.push(await linkOf({ file_id: file.id, ...placeOf(TEXT, "Call of duty list.") }, guarded))
    for (const url of urls) {
      expect(url).not.toMatch(/apple|john/i)
      const page = await pageOf(url)
      expect(page).toContain("Call of duty list.")
      expect(page).not.toMatch(/appleseed|4111|example\.com/i)
      expect(page).toContain("Private values are replaced here.")
      expect(page).not.toContain("<img")
      expect((await open(pictureOf(url))).status).toBe(404)
    }
    for (const url of urls) expect(shown(await pageOf(url))).toContain("[REDACTED_CREDIT_CARD]")
  })

  test("a passage that begins or ends amid a private value shows none of it, nor does the edge of what stands around", async () => {
    const middle = TEXT.indexOf(" 1111 1111 1111") + 3
    for (const place of [
      { start: 0, end: middle },
      { start: middle, end: TEXT.length },
    ])
      expect(shown(await pageOf(await linkOf({ file_id: file.id, ...place }, guarded)))).not.toMatch(/4111|1111/)
    const cards = Array.from({ length: 400 }, () => "4111 1111 1111 1111").join(" and ")
    const [long] = await guarded.index([{ name: "cards.txt", data: cards }])
    for (let start = 3_000; start < 3_024; start++)
      expect(shown(await pageOf(await linkOf({ file_id: long.id, start, end: start + 5 }, guarded)))).not.toMatch(
        /\d{4}(?! at|-)/,
      )
  })
})

describe("what cites passages brings their links", () => {
  const opens = async (passages: { file_id: string; url: string; position: { start: number; end: number } }[]) => {
    expect(passages.length).toBeGreaterThan(0)
    for (const { file_id, url, position } of passages) {
      expect(url).toStartWith(`${app.url}/view/${file_id}?`)
      expect(url).toContain(`start=${position.start}&end=${position.end}&exp=`)
      expect((await open(url)).status).toBe(200)
    }
  }

  test("conversations: streamed, answered as JSON, followed, and read again; none is stored", async () => {
    ollama.server.scenes.add("cite", { text: "Ninety days [1]." })
    const message = "case-cite What is the written notice of the agreement of the boathouse?"
    const events = await readEvents(await api.raw("POST", "/conversations", { message, model: `ollama/${LLAMA.name}` }))
    await opens(dataOf(events, "sources").sources)
    await opens(dataOf(events, "message_completed").citations)
    const { conversation_id } = dataOf(events, "conversation_created")
    const followed = await readEvents(await api.raw("GET", `/conversations/${conversation_id}/events`))
    await opens(dataOf(followed, "message_completed").citations)
    const { body: conversation } = await api.get(`/conversations/${conversation_id}`)
    await opens(conversation.messages[1].citations)
    const { body: answer } = await api.post("/send", { conversation_id, message })
    await opens(answer.messages[1].citations)
    const other = await app.client()
    const { body: again } = await other.get(`/conversations/${conversation_id}`)
    expect(again.messages[1].citations[0].url).toContain(`sig=${other.key.id}.`)
    const stored = await onDatabase(app, database => database.selectFrom("messages").select("citations").execute())
    expect(JSON.stringify(stored)).not.toMatch(/sig=|"url"/)
  })

  test("runs: answered, watched, listed and read again", async () => {
    const turns = [
      { tools: [{ name: "search_library", arguments: { query: "written notice" } }] },
      { text: "Ninety days [1]." },
    ]
    ollama.server.scenes.add("run", (_, count) => turns[Math.min(count, 1)]!)
    const { body: run } = await api.post("/agents/run", {
      task: "case-run Which notice?",
      model: `ollama/${LLAMA.name}`,
    })
    await opens(run.citations)
    await opens((await api.get(`/agents/runs/${run.run_id}`)).body.citations)
    await opens((await api.get("/agents/runs")).body.data[0].citations)
    const events = await readEvents(await api.raw("GET", `/agents/runs/${run.run_id}/events`))
    await opens(dataOf(events, "run_finished").citations)
    const stored = await onDatabase(app, database => database.selectFrom("agent_runs").select("citations").execute())
    expect(JSON.stringify(stored)).not.toMatch(/sig=|"url"/)
  })

  test("documents of a semantic search", async () => {
    const { body } = await api.post("/semantic-search", { query: "written notice to end the agreement", limit: 2 })
    for (const { file, passages } of body.documents)
      await opens(passages.map((hit: Found) => ({ ...hit, file_id: file.id })))
  })
})

interface Found {
  text: string
  url: string
  file: { id: string }
  position: { slide: number | null; start: number; end: number }
}
