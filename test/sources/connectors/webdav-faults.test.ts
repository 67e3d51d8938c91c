/** What WebDAV servers do that those at hand do not: a stand-in answers as it is told. */
import { describe, expect, test } from "bun:test"
import { Readable } from "node:stream"
import { AppError } from "../../../src/errors.ts"
import { Emptied, Outage } from "../../../src/sources/connector.ts"
import { keyOf, pathOf } from "../../../src/sources/connectors/webdav/keys.ts"
import { readMultistatus } from "../../../src/sources/connectors/webdav/multistatus.ts"
import { webdavSource } from "../../../src/sources/connectors/webdav.ts"
import { entriesOf, opened, reaching, textOf } from "../../support/connectors.ts"
import { rejection } from "../../support/rejection.ts"
import { selfSigned } from "../../support/self-signed.ts"

const HERE = reaching("127.0.0.1", "localhost", "*.localhost")

type Answer = (request: Request, path: string) => Response | Promise<Response>

/** @returns a server, its folder's address, and what it was asked for */
function standIn(answer: Answer) {
  const asked: Request[] = []
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      asked.push(request.clone() as Request)
      return answer(request, decodeURIComponent(new URL(request.url).pathname))
    },
  })
  const origin = `http://127.0.0.1:${server.port}`
  const url = `${origin}/dav/`
  const connector = opened(webdavSource, HERE, { url }, { username: "ann", password: "secret" })
  return { origin, url, asked, connector, [Symbol.asyncDispose]: () => server.stop(true) }
}

const FOLDER = "<D:resourcetype><D:collection/></D:resourcetype>"
const good = (props: string) => `<D:propstat><D:prop>${props}</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>`
const bad = (status: string, props = "<D:getetag/>") =>
  `<D:propstat><D:prop>${props}</D:prop><D:status>HTTP/1.1 ${status}</D:status></D:propstat>`
const told = (href: string, ...parts: string[]) => `<D:response><D:href>${href}</D:href>${parts.join("")}</D:response>`
const file = (href: string, etag = "1", size = 3) =>
  told(href, good(`<D:resourcetype/><D:getetag>"${etag}"</D:getetag><D:getcontentlength>${size}</D:getcontentlength>`))
const folder = (href: string) => told(href, good(FOLDER))
const multistatus = (...responses: string[]) =>
  new Response(`<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">${responses.join("\n")}</D:multistatus>`, {
    status: 207,
    headers: { "content-type": "application/xml" },
  })
const whole = () => multistatus(folder("/dav/"), file("/dav/a.txt"), file("/dav/b.txt"))

/** A listing with these answers, by path; what is not named answers 404. */
const answering =
  (answers: Record<string, () => Response>): Answer =>
  (_, path) =>
    answers[path]?.() ?? new Response(null, { status: 404 })

describe("what a WebDAV server does not let its reader list", () => {
  const refusing = answering({
    "/dav/": () =>
      multistatus(folder("/dav/"), file("/dav/a.txt"), folder("/dav/sealed/"), told("/dav/odd/", bad("403 Forbidden"))),
    "/dav/sealed/": () => new Response(null, { status: 403 }),
  })
  const keys = async (url: string, leavesOut: (folder: string) => boolean) => {
    const given = { config: { url }, credentials: null, parts: reaching("127.0.0.1"), leavesOut }
    return (await Array.fromAsync(webdavSource.open!(given).list(new AbortController().signal))).map(({ key }) => key)
  }

  test("is left out where nothing below it is meant", async () => {
    await using server = standIn(refusing)
    expect(await keys(server.url, folder => folder === "sealed/" || folder === "odd/")).toEqual(["a.txt"])
    expect(await rejection(keys(server.url, folder => folder === "sealed/"))).toBeInstanceOf(Outage)
    expect(await rejection(keys(server.url, folder => folder === "odd/"))).toBeInstanceOf(Outage)
  })

  test("is an outage all the same where the server is in trouble", async () => {
    await using server = standIn(
      answering({
        "/dav/": () => multistatus(folder("/dav/"), file("/dav/a.txt"), folder("/dav/sealed/")),
        "/dav/sealed/": () => new Response(null, { status: 503 }),
      }),
    )
    expect(await rejection(keys(server.url, () => true))).toBeInstanceOf(Outage)
  })
})

describe("a WebDAV server's listing is an outage", () => {
  test.each<[string, Record<string, () => Response>]>([
    [
      "that says of one file that it failed",
      {
        "/dav/": () =>
          multistatus(
            folder("/dav/"),
            file("/dav/a.txt"),
            told("/dav/b.txt", "<D:status>HTTP/1.1 500 Oops</D:status>"),
          ),
      },
    ],
    [
      "that says of one file that it may not be seen",
      { "/dav/": () => multistatus(folder("/dav/"), told("/dav/b.txt", bad("403 Forbidden"))) },
    ],
    [
      "that was truncated",
      {
        "/dav/": () =>
          multistatus(file("/dav/a.txt"), told("/dav/", "<D:status>HTTP/1.1 507 Insufficient Storage</D:status>")),
      },
    ],
    [
      "of which one folder fails",
      {
        "/dav/": () => multistatus(folder("/dav/"), folder("/dav/x/"), folder("/dav/y/")),
        "/dav/y/": () => multistatus(folder("/dav/y/")),
      },
    ],
    [
      "that ends in the middle, although the answer is complete as far as HTTP goes",
      {
        "/dav/": () =>
          new Response(`<D:multistatus xmlns:D="DAV:">${folder("/dav/")}${file("/dav/a.txt")}`, { status: 207 }),
      },
    ],
    ["that tells of nothing", { "/dav/": () => multistatus() }],
    [
      "that is a page for people",
      { "/dav/": () => new Response("<html>Sign in</html>", { headers: { "content-type": "text/html" } }) },
    ],
    ["that is no XML", { "/dav/": () => new Response("busy", { status: 207 }) }],
    ["of a file", { "/dav/": () => multistatus(file("/dav/")) }],
    ["of another place", { "/dav/": () => multistatus(folder("/files/"), file("/files/a.txt")) }],
    [
      "that names a file outside of the folder",
      { "/dav/": () => multistatus(folder("/dav/"), file("/dav/../etc/passwd")) },
    ],
    ["that names a file by dots", { "/dav/": () => multistatus(folder("/dav/"), file("/dav/%2e%2e")) }],
    ["while it is under maintenance", { "/dav/": () => new Response(null, { status: 503 }) }],
    ["when the folder is not there", {}],
  ])("%s", async (_, answers) => {
    await using server = standIn(answering(answers))
    expect(await rejection(entriesOf(server.connector))).toBeInstanceOf(Outage)
  })

  test("whose connection is cut", async () => {
    const cut = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data(socket) {
          socket.write("HTTP/1.1 207 Multi-Status\r\nContent-Length: 5000\r\n\r\n<D:multistatus><D:response>")
          socket.end()
        },
      },
    })
    const connector = opened(webdavSource, HERE, { url: `http://127.0.0.1:${cut.port}/dav/` })
    expect(await rejection(entriesOf(connector))).toBeInstanceOf(Outage)
    cut.stop(true)
  })

  test("whose certificate nobody vouches for: it is told no credentials", async () => {
    let asked = 0
    const tls = selfSigned("localhost")
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, tls, fetch: () => new Response(String(asked++)) })
    const connector = opened(webdavSource, HERE, { url: `https://127.0.0.1:${server.port}/dav/` })
    const failure = await rejection(entriesOf(connector))
    expect(failure).toBeInstanceOf(Outage)
    expect(failure.message).toContain("certificate")
    expect(asked).toBe(0)
    server.stop(true)
  })

  test("whose server nobody may reach", async () => {
    await using server = standIn(whole)
    const connector = opened(webdavSource, reaching(), { url: server.url }, undefined)
    expect((await rejection(entriesOf(connector))).message).toContain("may not be reached")
    expect(server.asked).toEqual([])
  })

  test("and ends at once when it is aborted", async () => {
    await using server = standIn(() => new Promise(() => {}))
    const stop = new AbortController()
    const listing = rejection(entriesOf(server.connector, stop.signal))
    stop.abort(new Error("no longer wanted"))
    expect((await listing).message).toBe("no longer wanted")
  })
})

describe("a WebDAV server may", () => {
  test("tell what it does not know first, name files by whole addresses, and leave out sizes and times", async () => {
    await using server = standIn(() =>
      multistatus(
        told("https://inside.example:8443/dav", bad("404 Not Found"), good(FOLDER)),
        told("https://inside.example:8443/dav//a%20b.txt", bad("404 Not Found"), good("<D:resourcetype/>")),
      ),
    )
    const entry = (await entriesOf(server.connector)).get("a b.txt")
    expect(entry).toEqual({
      key: "a b.txt",
      name: "a b.txt",
      fingerprint: expect.any(String),
      url: `${server.url}a%20b.txt`,
    })
    const again = (await entriesOf(server.connector)).get("a b.txt")
    expect(again?.fingerprint).not.toBe(entry!.fingerprint) // nothing shows whether it changed: it is read again
  })

  test("tell of folders twice, and of itself in each: nothing is listed twice", async () => {
    await using server = standIn(
      answering({
        "/dav/": () =>
          multistatus(
            folder("/dav/"),
            folder("/dav/x/"),
            folder("/dav/x"),
            folder("/dav"),
            file("/dav/a"),
            file("/dav/a"),
          ),
        "/dav/x/": () => multistatus(folder("/dav/x/"), file("/dav/x/b")),
      }),
    )
    expect([...(await entriesOf(server.connector)).keys()].sort()).toEqual(["a", "x/b"])
    expect(server.asked.map(({ headers }) => headers.get("depth"))).toEqual(["1", "1"])
  })

  test("have hidden files and what programs leave behind: they are left out, and not looked into, unless asked for", async () => {
    await using server = standIn(
      answering({
        "/dav/": () =>
          multistatus(
            folder("/dav/"),
            folder("/dav/.trash/"),
            folder("/dav/@eaDir/"),
            file("/dav/Thumbs.db"),
            file("/dav/a"),
          ),
        "/dav/.trash/": () => multistatus(folder("/dav/.trash/"), file("/dav/.trash/b")),
        "/dav/@eaDir/": () => multistatus(folder("/dav/@eaDir/")),
      }),
    )
    expect([...(await entriesOf(server.connector)).keys()]).toEqual(["a"])
    expect(server.asked.length).toBe(1)
    const all = opened(webdavSource, HERE, { url: server.url, hidden: true })
    expect([...(await entriesOf(all)).keys()].sort()).toEqual([".trash/b", "Thumbs.db", "a"])
  })

  test("have nothing at all: that is taken for a place that is not there, which the engine alone overrules", async () => {
    await using server = standIn(() => multistatus(folder("/dav/")))
    expect(await rejection(entriesOf(server.connector))).toBeInstanceOf(Emptied)
  })

  test("send on within itself, and nobody else learns the credentials", async () => {
    await using other = standIn(whole)
    await using server = standIn((request, path) => {
      if (path === "/dav/away.txt") return Response.redirect(`${other.origin}/dav/a.txt`, 302)
      if (path === "/dav/") return Response.redirect("/moved/dav/", 301)
      if (path === "/dav/a.txt") return Response.redirect("/moved/dav/a.txt", 308)
      if (request.method === "PROPFIND") return whole()
      return new Response("moved")
    })
    expect([...(await entriesOf(server.connector)).keys()]).toEqual(["a.txt", "b.txt"])
    expect(await textOf(server.connector, "a.txt")).toBe("moved")
    const failure = await rejection(textOf(server.connector, "away.txt"))
    expect(failure).toBeInstanceOf(AppError)
    expect(failure.message).toContain(`redirects to ${other.origin}`)
    expect(other.asked).toEqual([])
  })

  test("send in circles: that is told", async () => {
    await using server = standIn(() => Response.redirect("/dav/", 302))
    expect((await rejection(entriesOf(server.connector))).message).toContain("circle")
    expect(server.asked.length).toBe(6)
  })

  test("give one file an error: the others are read, and it is not taken for gone", async () => {
    await using server = standIn((request, path) => {
      if (request.method === "PROPFIND") return whole()
      if (path === "/dav/secret.txt") return new Response(null, { status: 403 })
      return path === "/dav/a.txt" ? new Response(null, { status: 500 }) : new Response("b")
    })
    const failure = await rejection(textOf(server.connector, "a.txt"))
    expect([failure.code, failure.message]).toEqual(["fetch_failed", "the server answered with 500"])
    const refused = await rejection(textOf(server.connector, "secret.txt"))
    expect([refused.code, refused.message]).toEqual(["forbidden", "the server answered with 403"])
    expect(await textOf(server.connector, "b.txt")).toBe("b")
  })

  test("fail for all files: then it is the server, not the file", async () => {
    await using server = standIn(() => new Response(null, { status: 503 }))
    expect(await rejection(textOf(server.connector, "a.txt"))).toBeInstanceOf(Outage)
  })

  test("cut a file short: its bytes end with an error", async () => {
    const cut = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data(socket) {
          socket.write("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nthe beginning")
          socket.end()
        },
      },
    })
    const connector = opened(webdavSource, HERE, { url: `http://127.0.0.1:${cut.port}/dav/` })
    expect(await rejection(textOf(connector, "a.txt"))).toBeInstanceOf(AppError)
    cut.stop(true)
  })

  test("have 100 000 files in a folder: others are answered while they are listed", async () => {
    const files = Array.from({ length: 100_000 }, (_, i) => file(`/dav/Report%20number%20${i}.txt`))
    const body = await multistatus(folder("/dav/"), ...files).text()
    await using server = standIn(() => new Response(body, { status: 207 }))
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    expect((await entriesOf(server.connector)).size).toBe(files.length)
    clearInterval(timer)
    expect(turns).toBeGreaterThan(20)
  }, 60_000)
})

test("an etag is the fingerprint; without one, size and time are, and a file that may still change is read once more", async () => {
  let now = Date.parse("2026-01-01T00:00:00Z")
  await using server = standIn(() => {
    const answer = multistatus(
      folder("/dav/"),
      told(
        "/dav/a.txt",
        good(
          `<D:getcontentlength>3</D:getcontentlength><D:getlastmodified>${new Date("2026-01-01T00:00:00Z").toUTCString()}</D:getlastmodified>`,
        ),
      ),
    )
    answer.headers.set("date", new Date(now).toUTCString())
    return answer
  })
  const seen = async () => (await entriesOf(server.connector)).get("a.txt")!.fingerprint
  const first = await seen()
  now += 60_000
  const second = await seen()
  now += 60_000
  expect(second).not.toBe(first)
  expect(await seen()).toBe(second)
})

test("a key and its path lead to each other, whatever the name is", () => {
  for (const path of [
    "a.txt",
    "a%20b/%C3%BC%F0%9F%8E%89",
    "100%25",
    "%2541",
    "%E9t%E9",
    "%252F%2F",
    "a%5Cb",
    "%3Cx%3E%26%23%3F",
    "%ED%A0%80",
    "a%00b",
  ])
    expect(pathOf(keyOf(path))).toBe(path)
  expect(keyOf("/dav//a%2fb/100%/ü%20x/")).toBe("dav/a%2Fb/100%/ü x")
})

describe("a source of type webdav", () => {
  const refused = async (config: Record<string, unknown>, credentials?: Record<string, unknown>) => {
    const failure = await rejection((async () => opened(webdavSource, HERE, config, credentials))())
    return failure.message as string
  }

  test("takes the address of a folder, and a user name with a password", async () => {
    const url = "https://cloud.example/remote.php/dav/files/ann"
    expect(await refused({})).toContain("config.url")
    expect(await refused({ url: "ftp://cloud.example/" })).toContain("config.url")
    expect(await refused({ url: `${url}?a=b` })).toContain("config.url")
    expect(await refused({ url: "https://ann:secret@cloud.example/" })).toContain("config.url")
    expect(await refused({ url, path: "x" })).toContain("config.path")
    expect(await refused({ url }, { username: "ann" })).toContain("credentials.password")
    expect(await refused({ url }, { username: "a:b", password: "x" })).toContain("credentials.username")
  })

  test("is refused for an address that may not be reached", async () => {
    const parts = reaching()
    const failure = await rejection(webdavSource.admit!({ url: "http://127.0.0.1:8080/dav/" }, parts))
    expect(failure.code).toBe("forbidden")
    await webdavSource.admit!({ url: "https://8.8.8.8/dav/" }, parts)
  })
})

test("an answer that is nested too deeply is read no further, also where it comes in one piece", async () => {
  const body = `<D:multistatus xmlns:D="DAV:">${"<a>".repeat(100)}${"x".repeat(70_000)}`
  const read = Array.fromAsync(readMultistatus(Readable.from([Buffer.from(body)])))
  expect((await rejection(read)).message).toBe("the answer is nested too deeply")
})
