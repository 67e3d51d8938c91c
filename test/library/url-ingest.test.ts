import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { startDaemon } from "../support/daemon.ts"
import { rejection } from "../support/rejection.ts"
import { until } from "../support/until.ts"
import { bomb, endless, html, redirect, startWebSite, tagged, type WebSite } from "../support/web-site.ts"

const ARTICLE = "The pump is loud, and it needs oil every day in winter. ".repeat(20)
const page = (title: string, text: string): string =>
  `<html><head><title>${title}</title><script>document.write("no script")</script></head><body>
    <nav><a href="/">Navigation of the site</a></nav><main><h1>Heating</h1><p>${text}</p></main>
    <footer>Imprint of the site</footer></body></html>`

let site: WebSite
let app: TestApp
let client: Client
beforeAll(async () => {
  site = startWebSite({ "/pump": page("Pump &amp; valve", ARTICLE) })
  app = await startTestApp({ "fetch-allow": site.place })
  client = await app.client()
})
afterAll(async () => {
  await app.stop()
  await site.stop()
})

const add = (path: string, more: Record<string, unknown> = {}, by = client, headers = {}) =>
  by.post("/libraries/url", { url: path.includes("://") ? path : site.url + path, ...more }, headers)
const textOf = async (id: string): Promise<string> => {
  expect(await client.settled(id)).toMatchObject({ status: "searchable", error: null })
  return (await client.raw("GET", `/libraries/${id}/text`)).text()
}

describe("POST /external/libraries/url", () => {
  test("the bytes are kept as they came, and the main content is what is read", async () => {
    const { status, body } = await add("/pump#part", { tags: ["web"], metadata: { a: 1 }, context_id: "c" })
    expect(status).toBe(202)
    expect(body).toMatchObject({
      name: "Pump & valve.html",
      type: "html",
      url: `${site.url}/pump`,
      tags: ["web"],
      metadata: { a: 1 },
      context_id: "c",
    })
    const text = await textOf(body.id)
    expect(text).toContain("The pump is loud")
    expect(text).toContain("Pump & valve")
    for (const around of ["Navigation", "Imprint", "no script"]) expect(text).not.toContain(around)
    expect(await (await client.raw("GET", `/libraries/${body.id}/content`)).text()).toBe(
      page("Pump &amp; valve", ARTICLE),
    )
  })

  test("a short page is read without what surrounds its main part", async () => {
    site.pages.set("/short", () => html(page("Short", "Three words only.")))
    const text = await textOf((await add("/short")).body.id)
    expect(text).toContain("Three words only.")
    expect(text).not.toContain("Navigation")
  })

  test("with only_main_content false all of the page is read, also when it was fetched otherwise before", async () => {
    const { body } = await add("/pump", { context_id: "whole" })
    await client.settled(body.id)
    const again = await add("/pump", { context_id: "whole", only_main_content: false })
    expect(again.body.id).toBe(body.id)
    expect(again.body.unchanged).toBeUndefined()
    expect(await textOf(body.id)).toContain("Imprint of the site")
  })

  test("what no author writes is read as a whole, and others are answered meanwhile", async () => {
    site.pages.set("/deep", () => html(`<html><body>${"<div>".repeat(60_000)}bottomless</body></html>`))
    const { body } = await add("/deep")
    expect(await textOf(body.id)).toContain("bottomless")
  })

  test("a page without text says so", async () => {
    site.pages.set("/app", () =>
      html("<html><head></head><body><div id=root></div><script>start()</script></body></html>"),
    )
    const { body } = await add("/app")
    expect(await client.settled(body.id)).toMatchObject({ status: "failed", error: { code: "no_text" } })
  })

  test("redirects are followed, and the page keeps the address that was asked for", async () => {
    site.pages.set("/old", () => redirect("/newer", 301))
    site.pages.set("/newer", () => redirect("/pump"))
    const { body } = await add("/old")
    expect(body).toMatchObject({ name: "Pump & valve.html", url: `${site.url}/old` })
  })

  test("the encoding that the server tells goes before that of the page", async () => {
    const russian = Buffer.from([0xcd, 0xe0, 0xf1, 0xee, 0xf1]) // Насос in windows-1251
    const bytes = Buffer.concat([
      Buffer.from("<html><head><meta charset=iso-8859-1><title>"),
      russian,
      Buffer.from("</title></head><body><p>"),
      russian,
      Buffer.from("</p></body></html>"),
    ])
    site.pages.set(
      "/russian",
      () => new Response(bytes, { headers: { "content-type": "text/html; charset=windows-1251" } }),
    )
    const { body } = await add("/russian")
    expect(body.name).toBe("Насос.html")
    expect(await textOf(body.id)).toContain("Насос")
  })

  test.each([
    ["/report.pdf", "application/pdf", "pdf", "report.pdf"],
    ["/download?id=1", "application/pdf; x=y", "pdf", "download.pdf"],
    ["/untold", "application/octet-stream", "pdf", "untold.pdf"],
  ])("%s as %s becomes a file of the type %s", async (path, mime, type, name) => {
    const pdf = readFileSync(join(import.meta.dir, "../fixtures/documents/lease.pdf"))
    site.pages.set(path.split("?")[0]!, () => new Response(pdf, { headers: { "content-type": mime } }))
    const { body } = await add(path)
    expect(body).toMatchObject({ type, name, size: pdf.length })
    expect((await client.settled(body.id)).status).toBe("searchable")
  })

  test.each([
    ["/notes.md", "text/plain", "md"],
    ["/notes", "text/plain; charset=utf-8", "txt"],
    ["/table", "text/csv", "csv"],
    ["/code", "text/x-python", "txt"],
    ["/page", "", "html"],
  ])("%s as %j is of the type %s", async (path, mime, type) => {
    const text = type === "html" ? "<!doctype html><p>a page</p>" : "a,b\n1,2\n"
    site.pages.set(path, () => new Response(Buffer.from(text), { headers: mime ? { "content-type": mime } : {} }))
    expect((await add(path)).body).toMatchObject({ type })
  })

  test.each([
    ["/film", "video/mp4", 415, "unsupported_file_type"],
    ["/feed", "application/rss+xml", 415, "unsupported_file_type"],
  ])("%s as %s is %d", async (path, mime, status, code) => {
    site.pages.set(path, () => new Response("x", { headers: { "content-type": mime } }))
    const answer = await add(path)
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
  })

  test("an answer that is no success is fetch_failed with its status", async () => {
    const { status, body } = await add("/nowhere")
    expect([status, body.error.code, body.error.details]).toEqual([502, "fetch_failed", [{ status: 404 }]])
    site.pages.set("/nothing", () => html(""))
    expect((await add("/nothing")).body.error.code).toBe("empty_file")
  })

  test("endless bodies and bombs end at 50 MB", async () => {
    site.pages.set("/endless", endless)
    site.pages.set("/bomb", () => bomb(200_000_000))
    for (const path of ["/endless", "/bomb"]) {
      const { status, body } = await add(path)
      expect([status, body.error.code]).toEqual([413, "file_too_large"])
    }
  }, 30_000)

  test.each(["ftp://a.example/", "file:///etc/passwd", "nonsense", "http://user:pw@a.example/", ""])(
    "%j is 400",
    async url => {
      const { status, body } = await client.post("/libraries/url", { url })
      expect([status, body.error.code]).toEqual([400, "invalid_request"])
    },
  )

  test.each(["1 day", "10s", "0d", "* * * * *"])("refresh %j is 400", async refresh => {
    expect((await add("/pump", { refresh })).status).toBe(400)
  })
})

describe("addresses that are not listed", () => {
  test.each([
    "http://127.0.0.1:9/",
    "http://2130706433:9/",
    "http://[::1]:9/",
    "http://[::ffff:127.0.0.1]:9/",
    "http://0.0.0.0:9/",
    "http://localhost:9/",
  ])("%s is 403", async url => {
    const { status, body } = await client.post("/libraries/url", { url })
    expect([status, body.error.code]).toEqual([403, "forbidden"])
    expect(body.error.hint).toContain("--fetch-allow")
  })

  test("so is a redirect to one, and nobody is asked there", async () => {
    const other = startWebSite({ "/secret": "secret" })
    site.pages.set("/away", () => redirect(`${other.url}/secret`))
    expect((await add("/away")).status).toBe(403)
    expect(other.asked).toEqual([])
    await other.stop()
  })
})

describe("the same address again", () => {
  test.each(["etag", "last-modified"] as const)(
    "is asked for by %s, and unchanged pages are not indexed again",
    async by => {
      const tag = by === "etag" ? '"v1"' : "Wed, 21 Oct 2026 07:28:00 GMT"
      site.pages.set(`/by-${by}`, tagged(page("Tagged", ARTICLE), tag, by))
      const { body } = await add(`/by-${by}`)
      const before = await client.settled(body.id)
      const again = await add(`/by-${by}`, { tags: ["told"] })
      expect(again.body).toMatchObject({ id: body.id, unchanged: true, tags: ["told"], indexed_at: before.indexed_at })
      expect(site.headers.at(-1)!.get(by === "etag" ? "if-none-match" : "if-modified-since")).toBe(tag)
    },
  )

  test("a page that has changed replaces the former one; in another context it is another file", async () => {
    site.pages.set("/news", () => html(page("News", "Zirconium arrived.")))
    const first = (await add("/news")).body
    await client.settled(first.id)
    site.pages.set("/news", () => html(page("News", "Rhodium arrived.")))
    const second = (await add("/news")).body
    expect([second.id, second.unchanged]).toEqual([first.id, undefined])
    expect(await textOf(first.id)).toContain("Rhodium")
    expect((await add("/news", { context_id: "elsewhere" })).body.id).not.toBe(first.id)
    expect((await add("/news")).body).toMatchObject({ id: first.id, unchanged: true })
  })

  test("a repetition under its Idempotency-Key is not fetched, and gets the first answer though the page has changed", async () => {
    let version = 0
    site.pages.set("/moving", () => html(page("Moving", `version ${++version}`)))
    const key = { "idempotency-key": "url-1" }
    const first = await add("/moving", {}, client, key)
    const again = await add("/moving", {}, client, key)
    expect([again.status, again.body.id, again.body.sha256, version]).toEqual([
      202,
      first.body.id,
      first.body.sha256,
      1,
    ])
    expect((await add("/pump", {}, client, key)).status).toBe(409)
  })
})

describe("refresh", () => {
  /** As if its time had come. */
  const due = async (id: string) => {
    const database = await openSqlite(app.data)
    const past = "2026-01-01T00:00:00.000Z"
    await database.updateTable("web_pages").set({ next_refresh_at: past }).where("file_id", "=", id).execute()
    await database.destroy()
  }
  const row = async (id: string) => {
    const database = await openSqlite(app.data)
    const found = await database.selectFrom("web_pages").selectAll().where("file_id", "=", id).executeTakeFirst()
    await database.destroy()
    return found
  }

  test("a page that is due is fetched anew, and what was said of the file meanwhile stays", async () => {
    site.pages.set("/daily", tagged(page("Daily", "Zirconium today."), '"1"'))
    const { body } = await add("/daily", { refresh: "1d", tags: ["old"] })
    await client.settled(body.id)
    expect((await row(body.id))!.next_refresh_at! > new Date(Date.now() + 86_000_000).toISOString()).toBe(true)
    await client.patch(`/libraries/${body.id}`, { tags: ["mine"], name: "Renamed.html" })
    site.pages.set("/daily", tagged(page("Daily", "Rhodium today."), '"2"'))
    await due(body.id)
    await until(async () => (await client.get(`/libraries/${body.id}`)).body.sha256 !== body.sha256)
    expect(await textOf(body.id)).toContain("Rhodium")
    expect((await client.get(`/libraries/${body.id}`)).body).toMatchObject({ tags: ["mine"], name: "Renamed.html" })
    expect(await row(body.id)).toMatchObject({ etag: '"2"', refresh: "1d", failures: 0 })
    expect((await row(body.id))!.next_refresh_at! > new Date().toISOString()).toBe(true)
  }, 60_000)

  test("a page that is gone stays as it was, and is tried again later", async () => {
    site.pages.set("/goes", () => html(page("Goes", "It was here.")))
    const { body } = await add("/goes", { refresh: "1d" })
    await client.settled(body.id)
    site.pages.delete("/goes")
    await due(body.id)
    await until(async () => (await row(body.id))!.failures === 1)
    expect(await row(body.id)).toMatchObject({ error: "the server answered with status 404" })
    expect((await row(body.id))!.next_refresh_at! > new Date().toISOString()).toBe(true)
    expect(await textOf(body.id)).toContain("It was here.")
  }, 60_000)

  test("null ends it, absent keeps it, and a deleted file's page is forgotten", async () => {
    const { body } = await add("/pump", { refresh: "6h", context_id: "r" })
    await add("/pump", { context_id: "r" })
    expect((await row(body.id))!.refresh).toBe("6h")
    await add("/pump", { context_id: "r", refresh: null })
    expect(await row(body.id)).toMatchObject({ refresh: null, next_refresh_at: null })
    await client.delete(`/libraries/${body.id}`)
    expect(await row(body.id)).toBeUndefined()
  })
})

describe("narrow keys and tokens", () => {
  test("a key of one context puts pages there; for another one it is refused before anything is fetched", async () => {
    const narrow = await app.client("default", { context_ids: ["a"] })
    expect((await add("/pump", {}, narrow)).body).toMatchObject({ context_id: "a" })
    const before = site.asked.length
    expect((await add("/pump", { context_id: "b" }, narrow)).status).toBe(403)
    expect(site.asked.length).toBe(before)
  })

  test("a page that a token does not see is not met, and not told of by its validators", async () => {
    site.pages.set("/hr", tagged(page("HR", "Salaries."), '"hr"'))
    const hidden = (await add("/hr", { acl: ["group:hr"] })).body
    const token = await client.scoped({ principals: ["user:1"], scopes: ["files:read", "files:write"] })
    const theirs = await add("/hr", {}, token)
    expect(theirs.body.id).not.toBe(hidden.id)
    expect(site.headers.at(-1)!.get("if-none-match")).toBeNull()
    expect((await client.get(`/libraries/${hidden.id}`)).body.acl).toEqual(["group:hr"])
  })

  test("a token may not widen the acl of a page, whether it has changed or not", async () => {
    site.pages.set("/acl", tagged(page("Acl", "Two see it."), '"acl"'))
    const { body } = await add("/acl", { acl: ["user:1", "user:2"] })
    await client.settled(body.id)
    const token = await client.scoped({ principals: ["user:1"], scopes: ["files:read", "files:write"] })
    expect((await add("/acl", { acl: null }, token)).status).toBe(403)
    site.pages.set("/acl", tagged(page("Acl", "Changed."), '"acl2"'))
    expect((await add("/acl", { acl: null }, token)).status).toBe(403)
    expect((await client.get(`/libraries/${body.id}`)).body.acl).toEqual(["user:1", "user:2"])
  })
})

test("under --offline nothing is fetched but what is listed", async () => {
  const daemon = await startDaemon(["--offline", "--fetch-allow", site.place])
  try {
    const fetched = (url: string) => daemon.call("POST", "/libraries/url", { url })
    expect(await fetched(`${site.url}/pump`)).toMatchObject({ name: "Pump & valve.html" })
    for (const url of ["http://example.org/", "http://192.0.2.1/", "http://127.0.0.1:9/"])
      expect((await rejection(fetched(url))).message).toContain("403")
  } finally {
    await daemon.remove()
  }
}, 60_000)
