/** Requests by `Egress` against real servers on the loopback; public addresses are led there by the test's own connector. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import net, { type Socket } from "node:net"
import { join } from "node:path"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { allowListOf } from "../../src/egress/allow-list.ts"
import { Egress, type EgressOptions } from "../../src/egress/egress.ts"
import { fetchPolicy } from "../../src/egress/policy.ts"
import { VERSION } from "../../src/native/version.ts"
import { refuseOutbound } from "../../src/outbound.ts"
import { rejection } from "../support/rejection.ts"
import { selfSigned } from "../support/self-signed.ts"
import { until } from "../support/until.ts"

const open: { stop(): unknown }[] = []
afterAll(async () => {
  for (const each of open) await each.stop()
})

type Answer = (request: Request) => Response | Promise<Response>

/** A site of the name `site.example`, which has a public address, that is led to a server on the loopback. */
function siteOf(answer: Answer, options: Partial<EgressOptions> = {}) {
  const came: { path: string; method: string; headers: Record<string, string>; body: string }[] = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    async fetch(request) {
      const headers = Object.fromEntries(request.headers)
      came.push({ path: new URL(request.url).pathname, method: request.method, headers, body: await request.text() })
      return answer(request)
    },
  })
  open.push({ stop: () => server.stop(true) })
  return { came, ...ledTo(server.port!, options) }
}

function ledTo(port: number, options: Partial<EgressOptions> = {}) {
  const opened: string[] = []
  const egress = new Egress({
    policy: fetchPolicy(allowListOf([]), false),
    resolve: async host => ({ "in.example": ["10.0.0.1"], "gone.example": [] })[host] ?? ["8.8.8.8"],
    open: (ip, to): Socket => {
      opened.push(`${ip} ${to}`)
      return net.connect(port, "127.0.0.1")
    },
    ...options,
  })
  return { egress, opened }
}

/** A server that writes what it is told, as bytes. */
async function rawSite(serve: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = net.createServer(socket => {
    sockets.add(socket)
    socket
      .on("error", () => {})
      .on("close", () => sockets.delete(socket))
      .resume()
    serve(socket)
  })
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", () => resolve()))
  open.push({
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  })
  return { sockets, ...ledTo((server.address() as net.AddressInfo).port) }
}

/** Writes for as long as it is read. */
function endless(socket: Socket, part: Buffer): void {
  const write = () => {
    while (!socket.destroyed && socket.write(part));
    socket.once("drain", write)
  }
  write()
}

describe("a request", () => {
  test("names the host as it was written, and tells of itself no more than the product and its version", async () => {
    const { egress, came, opened } = siteOf(() => new Response("hello"))
    const answer = await egress.fetch("http://Site.example:8080/a?b=c")
    expect([answer.status, answer.url, await answer.text()]).toEqual([200, "http://site.example:8080/a?b=c", "hello"])
    expect(opened).toEqual(["8.8.8.8 8080"])
    expect(came[0]!.headers).toEqual({
      accept: "*/*",
      "accept-encoding": "gzip, deflate, br",
      connection: "close",
      host: "site.example:8080",
      "user-agent": `Carrel/${VERSION}`,
    })
  })

  test("takes its body and headers along", async () => {
    const { egress, came } = siteOf(() => new Response(null, { status: 204 }))
    const headers = { "Content-Type": "text/plain", "If-None-Match": '"1"' }
    const answer = await egress.fetch("http://site.example/", { method: "PUT", body: "grüße", headers })
    expect([answer.status, answer.body]).toEqual([204, null])
    expect(came[0]).toMatchObject({ method: "PUT", body: "grüße" })
    expect(came[0]!.headers).toMatchObject({
      "content-type": "text/plain",
      "content-length": "7",
      "if-none-match": '"1"',
    })
  })

  test("reads what is encoded, and leaves out the headers that no longer fit", async () => {
    const encoded = { gzip: gzipSync("plain"), br: brotliCompressSync("plain") }
    const { egress } = siteOf(request => {
      const encoding = new URL(request.url).pathname.slice(1) as keyof typeof encoded
      return new Response(encoded[encoding], { headers: { "content-encoding": encoding } })
    })
    for (const encoding of ["gzip", "br"]) {
      const answer = await egress.fetch(`http://site.example/${encoding}`)
      expect(await answer.text()).toBe("plain")
      expect([answer.headers.get("content-encoding"), answer.headers.get("content-length")]).toEqual([null, null])
    }
  })
})

describe("TLS", () => {
  const { cert, key } = selfSigned("site.example")
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: { cert, key },
    fetch: ({ url }) => new Response(url),
  })
  open.push({ stop: () => server.stop(true) })

  test("the certificate is checked against the name, though the connection goes to an address", async () => {
    const { egress } = ledTo(server.port!, { ca: cert })
    expect(await (await egress.fetch("https://site.example/x")).text()).toBe("https://site.example/x")
    expect(await rejection(egress.fetch("https://other.example/"))).toMatchObject({
      code: "fetch_failed",
      message: "no connection to other.example: its certificate: ERR_TLS_CERT_ALTNAME_INVALID",
    })
    expect((await rejection(egress.fetch("https://8.8.8.8/"))).message).toContain("ERR_TLS_CERT_ALTNAME_INVALID")
  })

  test("a certificate of nobody known is refused", async () => {
    const { egress } = ledTo(server.port!)
    expect((await rejection(egress.fetch("https://site.example/"))).message).toContain("SELF_SIGNED")
  })
})

describe("redirects", () => {
  const to = (location: string, status = 302) => new Response(null, { status, headers: { location } })

  test("none is followed unless the caller asks for it", async () => {
    const { egress, came } = siteOf(() => to("/elsewhere"))
    const answer = await egress.fetch("http://site.example/")
    expect([answer.status, answer.headers.get("location"), came.length]).toEqual([302, "/elsewhere", 1])
  })

  test.each([
    "http://in.example/",
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://[::ffff:127.0.0.1]/",
    "http://169.254.169.254/latest/",
    "http://localhost:9200/",
  ])("one to %s is forbidden, and nobody is connected to", async target => {
    const { egress, opened } = siteOf(() => to(target))
    expect(await rejection(egress.fetch("http://site.example/", { redirects: 5 }))).toMatchObject({ code: "forbidden" })
    expect(opened).toEqual(["8.8.8.8 80"])
  })

  test.each(["file:///etc/passwd", "http://user:secret@site.example/"])("one to %s is not followed", async target => {
    const { egress, opened } = siteOf(() => to(target))
    expect(await rejection(egress.fetch("http://site.example/", { redirects: 5 }))).toMatchObject({
      code: "invalid_request",
    })
    expect(opened).toHaveLength(1)
  })

  test("five are followed and six are not", async () => {
    const { egress } = siteOf(request => {
      const left = Number(new URL(request.url).pathname.slice(1))
      return left === 0 ? new Response("there") : to(`/${left - 1}`)
    })
    const five = await egress.fetch("http://site.example/5", { redirects: 5 })
    expect([await five.text(), five.url]).toEqual(["there", "http://site.example/0"])
    expect(await rejection(egress.fetch("http://site.example/6", { redirects: 5 }))).toMatchObject({
      code: "fetch_failed",
    })
  })

  test("credentials stay with the origin that they were meant for", async () => {
    const { egress, came } = siteOf(request =>
      request.headers.get("host") === "site.example"
        ? to(new URL(request.url).pathname === "/" ? "/own" : "http://other.example/far", 307)
        : new Response("ok"),
    )
    const headers = { Authorization: "Basic eDp5", Cookie: "a=b", "X-Other": "kept" }
    await (await egress.fetch("http://site.example/", { method: "POST", body: "b", headers, redirects: 5 })).text()
    expect(came.map(({ path, body, headers }) => [path, body, headers.authorization, headers["x-other"]])).toEqual([
      ["/", "b", "Basic eDp5", "kept"],
      ["/own", "b", "Basic eDp5", "kept"],
      ["/far", "b", undefined, "kept"],
    ])
    expect(came[2]!.headers.cookie).toBeUndefined()
  })

  test("303 turns a POST into a GET without a body", async () => {
    const { egress, came } = siteOf(request =>
      new URL(request.url).pathname === "/" ? to("/done", 303) : new Response("ok"),
    )
    const headers = { "content-type": "text/plain" }
    await egress.fetch("http://site.example/", { method: "POST", body: "b", headers, redirects: 1 })
    expect(came[1]).toMatchObject({ path: "/done", method: "GET", body: "" })
    expect(came[1]!.headers["content-type"]).toBeUndefined()
  })
})

describe("bounds", () => {
  const HEAD = "HTTP/1.1 200 OK\r\n"

  test("an endless body ends at the limit, and the connection is closed", async () => {
    const { egress, sockets } = await rawSite(socket => {
      socket.write(`${HEAD}\r\n`)
      endless(socket, Buffer.alloc(65_536))
    })
    const answer = await egress.fetch("http://site.example/", { maxBytes: 1_000_000 })
    expect(await rejection(answer.arrayBuffer())).toMatchObject({ code: "file_too_large" })
    await until(() => sockets.size === 0)
  })

  test("a body that says it is too large is not read", async () => {
    const { egress } = await rawSite(socket => void socket.write(`${HEAD}content-length: 1000001\r\n\r\n`))
    expect(await rejection(egress.fetch("http://site.example/", { maxBytes: 1_000_000 }))).toMatchObject({
      code: "file_too_large",
    })
  })

  test("a gzip bomb ends at the limit of what it unpacks to", async () => {
    const bomb = gzipSync(Buffer.alloc(200_000_000))
    const { egress } = siteOf(() => new Response(bomb, { headers: { "content-encoding": "gzip" } }))
    const before = process.memoryUsage().rss
    const answer = await egress.fetch("http://site.example/", { maxBytes: 1_000_000 })
    expect(await rejection(answer.arrayBuffer())).toMatchObject({ code: "file_too_large" })
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
  })

  test("a body of just the limit is read", async () => {
    const { egress } = siteOf(() => new Response(Buffer.alloc(1_000_000)))
    const answer = await egress.fetch("http://site.example/", { maxBytes: 1_000_000 })
    expect((await answer.arrayBuffer()).byteLength).toBe(1_000_000)
  })

  test("a body that trickles ends when the time is over", async () => {
    const { egress } = await rawSite(socket => {
      socket.write(`${HEAD}\r\n`)
      const timer = setInterval(() => socket.write("x"), 20)
      socket.on("close", () => clearInterval(timer))
    })
    const answer = await egress.fetch("http://site.example/", { timeoutMs: 300 })
    expect(await rejection(answer.text())).toMatchObject({
      code: "fetch_failed",
      message: "the server gave no complete answer within 0.3 s",
    })
  })

  test("a server that is silent is given up, before its answer and within it", async () => {
    for (const begin of ["", `${HEAD}content-length: 10\r\n\r\nabc`]) {
      const { egress } = await rawSite(socket => void socket.write(begin))
      const read = async () => (await egress.fetch("http://site.example/", { silenceMs: 100 })).text()
      expect(await rejection(read())).toMatchObject({ code: "fetch_failed" })
    }
  })

  test("a caller that leaves ends the connection, with its own reason", async () => {
    const { egress, sockets } = await rawSite(() => {})
    const abort = new AbortController()
    const fetching = egress.fetch("http://site.example/", { signal: abort.signal })
    await until(() => sockets.size > 0)
    abort.abort(new Error("left"))
    expect(await rejection(fetching)).toMatchObject({ message: "left" })
    await until(() => sockets.size === 0)
  })

  test("endless headers end the request", async () => {
    const { egress } = await rawSite(socket => {
      socket.write(HEAD)
      endless(socket, Buffer.from(`x-a: ${"y".repeat(1000)}\r\n`))
    })
    expect(await rejection(egress.fetch("http://site.example/"))).toMatchObject({ code: "fetch_failed" })
  })

  test.each([
    ["no HTTP", "SSH-2.0-OpenSSH\r\n"],
    ["nothing", ""],
    ["another protocol", `HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n`],
    ["a status of its own", "HTTP/1.1 999 No\r\ncontent-length: 0\r\n\r\n"],
    ["half a body", `${HEAD}content-length: 10\r\n\r\nabc`],
    ["half a chunk", `${HEAD}transfer-encoding: chunked\r\n\r\n9\r\nabc`],
    ["an unknown encoding", `${HEAD}content-encoding: rot13\r\ncontent-length: 1\r\n\r\nx`],
    ["what is no gzip", `${HEAD}content-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc`],
  ])("an answer of %s is fetch_failed", async (_, text) => {
    const { egress } = await rawSite(socket => void socket.end(text))
    const read = async () => (await egress.fetch("http://site.example/", { redirects: 5 })).text()
    expect(await rejection(read())).toMatchObject({ code: "fetch_failed" })
  })

  test("a name without an address, and a host that nobody answers at", async () => {
    const { egress } = siteOf(() => new Response(""))
    expect((await rejection(egress.fetch("http://gone.example/"))).message).toBe("the name gone.example has no address")
    const closed = await rawSite(() => {})
    const nobody = ledTo(1)
    expect((await rejection(nobody.egress.fetch("http://site.example/"))).message).toBe(
      "no connection to site.example: it was refused",
    )
    expect(closed.opened).toEqual([])
  })

  test("where the first address does not answer, the next one is tried", async () => {
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("second") })
    open.push({ stop: () => server.stop(true) })
    const egress = new Egress({
      policy: fetchPolicy(allowListOf([]), false),
      resolve: async () => ["8.8.8.8", "8.8.4.4"],
      open: ip => net.connect(ip === "8.8.8.8" ? 1 : server.port!, "127.0.0.1"),
    })
    expect(await (await egress.fetch("http://site.example/")).text()).toBe("second")
  })
})

describe("the guard of --offline", () => {
  let undo: () => void
  beforeAll(() => {
    undo = refuseOutbound([])
  })
  afterAll(() => undo())

  test("lets through what is listed, and that alone", async () => {
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("listed") })
    open.push({ stop: () => server.stop(true) })
    const url = `http://127.0.0.1:${server.port}/`
    const offline = (...entries: string[]) => new Egress({ policy: fetchPolicy(allowListOf(entries), true) })
    expect(await (await offline("127.0.0.1").fetch(url)).text()).toBe("listed")
    expect(await (await offline("localhost").fetch(`http://localhost:${server.port}/`)).text()).toBe("listed")
    expect(await rejection(offline().fetch(url))).toMatchObject({ code: "forbidden" })
    expect(await rejection(fetch(url))).toMatchObject({ code: "forbidden" })
  })
})

test("a proxy that the environment names is not used", async () => {
  const proxied: string[] = []
  const proxy = net.createServer(socket => {
    proxied.push("asked")
    socket.on("error", () => {}).end("HTTP/1.1 502 no\r\ncontent-length: 0\r\n\r\n")
  })
  await new Promise<void>(resolve => proxy.listen(0, "127.0.0.1", () => resolve()))
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("direct") })
  const address = `http://127.0.0.1:${(proxy.address() as net.AddressInfo).port}`
  const script = `
    import { allowListOf } from "./src/egress/allow-list.ts"
    import { Egress } from "./src/egress/egress.ts"
    import { fetchPolicy } from "./src/egress/policy.ts"
    const egress = new Egress({ policy: fetchPolicy(allowListOf(["127.0.0.1"]), false) })
    console.log(await (await egress.fetch("http://127.0.0.1:${server.port}/")).text())`
  try {
    const child = Bun.spawn([process.execPath, "-e", script], {
      cwd: join(import.meta.dir, "../.."),
      env: { ...process.env, HTTP_PROXY: address, http_proxy: address, HTTPS_PROXY: address, ALL_PROXY: address },
    })
    expect(await new Response(child.stdout).text()).toBe("direct\n")
    expect(proxied).toEqual([])
  } finally {
    proxy.close()
    await server.stop(true)
  }
})
