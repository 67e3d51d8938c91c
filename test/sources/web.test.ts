/** Web sites as sources, against servers on the loopback. */
import { afterEach, describe, expect, test } from "bun:test"
import { AppError } from "../../src/errors.ts"
import { Emptied, Outage } from "../../src/sources/connector.ts"
import { Traps } from "../../src/sources/connectors/web/addresses.ts"
import { webSource } from "../../src/sources/connectors/web.ts"
import { contentOf, entriesOf, opened, someParts } from "../support/connectors.ts"
import { rejection } from "../support/rejection.ts"
import { html, redirect, startWebSite, tagged } from "../support/web-site.ts"

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

const links = (...hrefs: string[]): string => hrefs.map(href => `<a href="${href}">to ${href}</a>`).join(" ")

function siteOf(pages: Parameters<typeof startWebSite>[0], config: Record<string, unknown> = {}) {
  const site = startWebSite(pages)
  const { parts, remove } = someParts([site.place])
  ends.push(() => site.stop(), remove)
  const open = (more = {}) => opened(webSource, parts, { url: `${site.url}/`, ...config, ...more })
  const keys = async (more = {}) =>
    [...(await entriesOf(open(more))).keys()].map(key => key.replace(site.url, "")).sort()
  return { site, open, keys }
}

const robots = (text: string) => () => new Response(text, { headers: { "content-type": "text/plain" } })

describe("a walk", () => {
  test("finds what pages and sitemaps lead to, of the site itself alone, each once", async () => {
    const other = startWebSite({ "/": "other" })
    ends.push(() => other.stop())
    const { site, keys } = siteOf({
      "/": `<title>Home</title>${links("/a", "a#part", "./b?x=1&utm_source=mail", "//example.org/", other.url, "mailto:a@b.example", "/picture.png", "/film.mp4")}`,
      "/a": `a ${links("/", "/c/")}`,
      "/b": "b",
      "/c/": `c ${links("d", "javascript:void(0)")}`,
      "/c/d": "d",
      "/sitemap.xml": () =>
        new Response("<urlset><url><loc>/lost</loc></url></urlset>".replace("/lost", `${site.url}/lost`)),
      "/lost": "lost",
    })
    expect(await keys()).toEqual(["/", "/a", "/b?x=1", "/c/", "/c/d", "/lost"])
    expect(other.asked).toEqual([])
    expect(site.asked.filter(path => /png|mp4/.test(path))).toEqual([])
    expect(site.busiest).toBeLessThanOrEqual(3)
    expect(site.headers.every(headers => headers.get("user-agent")?.startsWith("Carrel/"))).toBe(true)
  })

  test("gives the bytes as they came, named by the title, to be read by their main content", async () => {
    const page = `<title>Pump / valve</title><nav>Navigation</nav><main>The pump is loud.</main>`
    const { site, open } = siteOf({ "/": page })
    const connector = open()
    const [entry] = (await entriesOf(connector)).values()
    expect(entry).toMatchObject({ key: `${site.url}/`, name: "Pump - valve.html", url: `${site.url}/` })
    const asked = site.asked.length
    const content = await connector.read(entry!, new AbortController().signal)
    expect(content).toMatchObject({ name: "Pump - valve.html", reading: { mainContent: true, charset: "utf-8" } })
    expect((await Array.fromAsync(content!.bytes)).join("")).toBe(page)
    expect(site.asked.length).toBe(asked) // it was fetched to be listed
    expect((await contentOf(open(), entry!))?.toString()).toBe(page)
  })

  test("documents are entries too, known by what their server says of them", async () => {
    const pdf = () => new Response("%PDF-1.4", { headers: { "content-type": "application/pdf", etag: '"7"' } })
    const { open } = siteOf({ "/": links("/files/report.pdf", "/get?id=1"), "/files/report.pdf": pdf, "/get": pdf })
    const names = [...(await entriesOf(open())).values()].map(({ name }) => name).sort()
    expect(names).toEqual(["127.0.0.1.html", "get.pdf", "report.pdf"])
  })

  test("include_paths and exclude_paths are globs over paths; what is left out is not fetched", async () => {
    const pages = {
      "/": links("/docs/a", "/docs/old/b", "/blog/c"),
      "/docs/a": "a",
      "/docs/old/b": "b",
      "/blog/c": `c ${links("/docs/from-blog")}`,
      "/docs/from-blog": "found",
    }
    const { site, keys } = siteOf(pages)
    expect(await keys({ include_paths: ["docs/**"], exclude_paths: ["/docs/old/**"] })).toEqual([
      "/docs/a",
      "/docs/from-blog",
    ])
    expect(site.asked).not.toContain("/docs/old/b")
  })

  test("ends at its limit", async () => {
    const { site, keys } = siteOf({
      "*": (_, { pathname }) => html(`${pathname} ${links(`${pathname}a`, `${pathname}b`)}`),
    })
    expect(await keys({ limit: 25 })).toHaveLength(25)
    expect(site.asked.length).toBeLessThan(35)
  })

  test.each([
    [{ url: "ftp://a.example/" }, "config.url"],
    [{ url: "http://u:p@a.example/" }, "config.url"],
    [{ url: "http://a.example/", limit: 0 }, "config.limit"],
    [{ url: "http://a.example/", limit: 10_001 }, "config.limit"],
    [{ url: "http://a.example/", include_paths: "docs" }, "config.include_paths"],
    [{ url: "http://a.example/", depth: 3 }, "config.depth"],
  ])("%j is refused", (config, field) => {
    expect(() => opened(webSource, someParts().parts, config)).toThrow(field)
  })

  test("an address that may not be reached is refused when the source is made", async () => {
    const { parts, remove } = someParts([])
    ends.push(remove)
    const config = { url: "http://169.254.169.254/", limit: 1, include_paths: [], exclude_paths: [] }
    expect(await rejection(webSource.admit!(config, parts))).toMatchObject({ code: "forbidden" })
  })
})

describe("robots.txt", () => {
  test("is kept: paths, the group for Carrel, sitemaps, the delay", async () => {
    const pages = {
      "/": links("/open", "/secret/a", "/tmp"),
      "/open": "open",
      "/secret/a": "a",
      "/tmp": "tmp",
      "/map": "",
    }
    const text = "User-agent: *\nDisallow: /\n\nUser-agent: carrel\nDisallow: /secret/\nAllow: /\nCrawl-delay: 0.05\n"
    const { site, keys } = siteOf({ ...pages, "/robots.txt": robots(text) })
    expect(await keys()).toEqual(["/", "/open", "/tmp"])
    expect(site.asked).not.toContain("/secret/a")
    expect(site.busiest).toBe(1)
  })

  test("without one everything is open; one that cannot be read closes the site, and so does one that forbids its first page", async () => {
    expect(await siteOf({ "/": "alone" }).keys()).toEqual(["/"])
    const broken = siteOf({ "/": "alone", "/robots.txt": () => new Response("", { status: 503 }) })
    expect(await rejection(broken.keys())).toBeInstanceOf(Outage)
    expect(broken.site.asked).toEqual(["/robots.txt"])
    const closed = siteOf({ "/": "alone", "/robots.txt": robots("User-agent: *\nDisallow: /") })
    expect((await rejection(closed.keys())).message).toContain("robots.txt")
    expect(closed.site.asked).toEqual(["/robots.txt"])
  })

  test("noindex and nofollow of a page and of a header are kept", async () => {
    const { keys } = siteOf({
      "/": links("/a", "/b", "/c"),
      "/a": `<meta name="robots" content="noindex">a ${links("/from-a")}`,
      "/from-a": "from a",
      "/b": `<meta name=robots content="nofollow">b ${links("/from-b")}`,
      "/from-b": "from b",
      "/c": () => html("c", { "x-robots-tag": "noindex" }),
    })
    expect(await keys()).toEqual(["/", "/b", "/from-a"])
  })
})

describe("traps", () => {
  test("a calendar without end, states of a form and folders in themselves end by themselves", async () => {
    const { site, keys } = siteOf({
      "/": links("/calendar/2026/1", "/shop?sort=1", "/loop/"),
      "*"(_, url) {
        const [, area, ...rest] = url.pathname.split("/")
        if (area === "calendar") return html(`${rest} ${links(`/calendar/${rest[0]}/${Number(rest[1]) + 1}`)}`)
        if (area === "shop") return html(`${url.search} ${links(`/shop${url.search}1`, `/shop${url.search}2`)}`)
        return area === "loop" ? html(`${url.pathname} ${links("loop/", "other/")}`) : new Response("", { status: 404 })
      },
    })
    const found = await keys({ limit: 1_000 })
    expect(found.length).toBeLessThan(300)
    expect(site.asked.length).toBeLessThan(400)
  }, 60_000)

  test("the same page under ever new addresses is taken once", async () => {
    const { keys } = siteOf({
      "*": (_, url) =>
        url.pathname === "/robots.txt"
          ? new Response("", { status: 404 })
          : html(`same ${links(`/x${crypto.randomUUID()}`).replace(/>[^<]*</, ">more<")}`),
    })
    expect(await keys()).toHaveLength(1)
  })

  test("session ids do not make other pages", async () => {
    const { keys } = siteOf({ "/": links("/a;jsessionid=1", "/a?PHPSESSID=2", "/a?sid=3&utm_medium=x"), "/a": "a" })
    expect(await keys()).toEqual(["/", "/a"])
  })

  test.each([
    ["/2051/03", true],
    ["/events?month=2051-03", true],
    ["/2026/03", false],
    ["/product/20513", false],
    ["/a/b/a/b/a/b", true],
    [`${"/x".repeat(1)}/${Array.from({ length: 20 }, (_, i) => i).join("/")}`, true],
    ["/search?a=1&b=2&c=3&d=4&e=5&f=6&g=7", true],
  ])("%s is a trap: %p", (path, isTrap) => {
    expect(new Traps(1_000, 2026).holds(`http://a.example${path}`)).toBe(isTrap)
  })

  test("a canonical address stands for the others", async () => {
    const canonical = '<link rel="canonical" href="/real">'
    const { keys } = siteOf({
      "/": links("/copy?view=1", "/real"),
      "/copy": `${canonical}a copy`,
      "/real": `${canonical}the real one`,
    })
    expect(await keys()).toEqual(["/", "/real"])
  })

  test("redirects lead to entries of their own, within the site", async () => {
    const other = startWebSite({ "/": "other" })
    ends.push(() => other.stop())
    const { keys } = siteOf({
      "/": links("/old", "/away", "/circle"),
      "/old": () => redirect("/new"),
      "/new": "new",
      "/away": () => redirect(other.url),
      "/circle": () => redirect("/circle"),
    })
    expect(await keys()).toEqual(["/", "/new"])
    expect(other.asked).toEqual([])
  })
})

describe("the next walk", () => {
  test("asks by ETag, and what has not changed keeps its fingerprint though its links are not sent again", async () => {
    const { site, open } = siteOf({ "/": tagged(`<p>home</p>${links("/a")}`, '"h"'), "/a": tagged("a", '"a"', "etag") })
    const first = await entriesOf(open())
    site.headers.length = 0
    expect(await entriesOf(open())).toEqual(first)
    expect(site.headers.filter(headers => headers.has("if-none-match"))).toHaveLength(2)
    site.pages.set("/a", tagged("a, changed", '"a2"'))
    const third = await entriesOf(open())
    expect(third.get(`${site.url}/`)).toEqual(first.get(`${site.url}/`)!)
    expect(third.get(`${site.url}/a`)!.fingerprint).not.toBe(first.get(`${site.url}/a`)!.fingerprint)
  })

  test("a script or a token that differs each time is no change", async () => {
    let count = 0
    const { open } = siteOf({
      "/": () => html(`<script>var t=${++count}</script><input type=hidden value=${count}><p>text</p>`),
    })
    const fingerprint = async () => [...(await entriesOf(open())).values()][0]!.fingerprint
    expect(await fingerprint()).toBe(await fingerprint())
  })

  test("a page that is gone is no entry any more; one that fails stays, with what it leads to", async () => {
    const { site, keys } = siteOf({
      "/": links("/a", "/gone"),
      "/a": `a ${links("/b")}`,
      "/b": "b",
      "/gone": "soon gone",
    })
    expect(await keys()).toEqual(["/", "/a", "/b", "/gone"])
    site.pages.delete("/gone")
    site.pages.set("/a", () => new Response("", { status: 500 }))
    expect(await keys()).toEqual(["/", "/a", "/b"])
  })

  test("a page that fails and was never read is an entry whose reading fails", async () => {
    const { site, open } = siteOf({ "/": links("/a"), "/a": () => new Response("", { status: 500 }) })
    const connector = open()
    const entries = await entriesOf(connector)
    expect([...entries.keys()]).toEqual([`${site.url}/`, `${site.url}/a`])
    const error = await rejection(contentOf(connector, entries.get(`${site.url}/a`)!))
    expect(error).toBeInstanceOf(AppError)
    expect(error.message).toBe("the server answered with status 500")
  })

  test.each([
    ["its first page is missing", new Map<string, string>()],
    ["nothing may be indexed", new Map([["/", "<meta name=robots content=noindex>x"]])],
  ])("is an outage where %s", async (_, pages) => {
    expect(await rejection(siteOf(Object.fromEntries(pages)).keys())).toBeInstanceOf(Outage)
  })

  test("is an outage where the site does not answer, or sends its first page elsewhere", async () => {
    const { site, keys } = siteOf({ "/": () => redirect("https://www.example.org/") })
    expect((await rejection(keys())).message).toBe(
      "the site redirects to https://www.example.org: the source must name that",
    )
    await site.stop()
    expect(await rejection(keys())).toBeInstanceOf(Outage)
    expect(await rejection(siteOf({ "/": "<meta name=robots content=noindex>" }).keys())).toBeInstanceOf(Emptied)
  })

  test("a page that became a redirect, or is gone, when it is read is undefined", async () => {
    const { site, open } = siteOf({ "/": () => redirect("/x") })
    for (const path of ["/", "/nowhere"])
      expect(await contentOf(open(), { key: site.url + path, fingerprint: "" })).toBeUndefined()
  })
})

test("an endless page and a slow one do not hold the walk", async () => {
  const { keys } = siteOf({
    "/": links("/endless", "/a"),
    "/endless": () =>
      new Response(new ReadableStream({ pull: c => c.enqueue(Buffer.alloc(1_000_000, 97)) }), {
        headers: { "content-type": "text/html" },
      }),
    "/a": "a",
  })
  expect(await keys()).toEqual(["/", "/a", "/endless"])
}, 60_000)
