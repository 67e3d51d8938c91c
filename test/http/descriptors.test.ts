/** Connections that nobody works over: they end before they take what the daemon needs for those who do. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { AppError, asStorageError, lacksDescriptors } from "../../src/errors.ts"
import { Connections, type System } from "../../src/http/connections.ts"
import { setLogSink } from "../../src/log.ts"
import { peerKey } from "../../src/threads/sockets.ts"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { until } from "../support/until.ts"

const mayOpen = (files: number) => ["sh", "-c", `ulimit -n ${files}; "$@"; exit $?`, "sh"]

/** A process whose clients are these; those that it ends are gone at once. */
class FakeSystem implements System {
  readonly ended: string[] = []
  private next = 100
  private clients: { descriptor: number; address: string; peer: string }[] = []

  constructor(private readonly limit: number) {}

  add(address: string, count: number): string[] {
    return Array.from({ length: count }, () => {
      const descriptor = this.next++
      const peer = peerKey(address, 10_000 + descriptor)
      this.clients.push({ descriptor, address, peer })
      return peer
    })
  }

  join(peer: string, address: string): void {
    this.clients.push({ descriptor: 9_999, address, peer })
  }

  leave(peer: string): void {
    this.clients = this.clients.filter(client => client.peer !== peer)
  }

  keepSpare(): void {}
  descriptorLimit = () => this.limit
  leastOpen = () => 100 + this.clients.length
  clientSockets = () => ({ open: 100 + this.clients.length, sockets: [...this.clients] })
  shutDown(descriptor: number): void {
    this.ended.push(this.clients.find(client => client.descriptor === descriptor)!.peer)
    this.clients = this.clients.filter(client => client.descriptor !== descriptor)
  }
}

describe("connections", () => {
  const limits = { perAddress: 128, isExempt: (address: string) => address === "127.0.0.1" }
  const quiet = () => setLogSink(() => {})
  const loud = () => setLogSink(line => void process.stdout.write(`${line}\n`))
  beforeAll(quiet)
  afterAll(loud)

  test("of one stranger's address are bounded, the oldest going first; others keep theirs", () => {
    const system = new FakeSystem(20_000)
    const connections = new Connections(system, limits)
    const old = system.add("198.51.100.7", 100)
    const other = system.add("198.51.100.8", 100)
    expect(connections.look(2_000)).toBe(0)
    system.add("198.51.100.7", 60)
    expect(connections.look(4_000)).toBe(32)
    expect(system.ended).toEqual(old.slice(0, 32))
    expect(system.ended.some(peer => other.includes(peer))).toBe(false)
  })

  test("that have shown credentials, or come over the loopback or a proxy, are not counted", () => {
    const system = new FakeSystem(20_000)
    const connections = new Connections(system, limits)
    for (const peer of system.add("198.51.100.7", 300)) connections.know(peer, "key_a")
    system.add("127.0.0.1", 600)
    expect(connections.look(2_000)).toBe(0)
  })

  test("of strangers go when descriptors run short, and none that has shown credentials", () => {
    const system = new FakeSystem(512)
    const connections = new Connections(system, limits)
    const known = system.add("127.0.0.1", 200)
    for (const peer of known) connections.know(peer, "key_a")
    const idle = system.add("127.0.0.1", 250)
    expect(connections.look(2_000)).toBeGreaterThan(0)
    expect(system.leastOpen()).toBeLessThan(512 - 192)
    expect(system.ended).toEqual(idle.slice(0, system.ended.length))
  })

  test("of the key that holds the most go where those with credentials leave no room, answered ones first; the newest strangers stay", () => {
    const system = new FakeSystem(512)
    const connections = new Connections(system, limits)
    const few = system.add("127.0.0.1", 20)
    for (const peer of few) connections.know(peer, "key_few")
    const many = system.add("127.0.0.1", 380)
    for (const peer of many) connections.know(peer, "key_many")
    const answered = many.slice(-10)
    for (const peer of answered) connections.answeredEarly(peer)
    const asking = system.add("127.0.0.1", 4)
    expect(connections.look(2_000)).toBe(216)
    expect(system.ended.slice(0, 10).sort()).toEqual(answered.sort())
    expect(system.ended.filter(peer => few.includes(peer) || asking.includes(peer))).toEqual([])
  })

  test("of other nodes are not ended, however many they are and however few descriptors are left", () => {
    const system = new FakeSystem(512)
    const connections = new Connections(system, limits)
    const nodes = system.add("198.51.100.7", 300)
    for (const peer of nodes) connections.admit(peer)
    const strangers = system.add("198.51.100.8", 100)
    expect(connections.look(2_000)).toBeGreaterThan(0)
    expect(system.ended).toEqual(strangers.slice(0, system.ended.length))
    for (const peer of nodes) system.leave(peer)
    connections.look(4_000)
    system.join(nodes[0]!, "198.51.100.7") // another client from its port
    connections.look(6_000)
    system.add("198.51.100.7", 130)
    connections.look(8_000)
    expect(system.ended).toContain(nodes[0]!)
  })

  test("are forgotten when they leave: the next one from their port is a stranger", () => {
    const system = new FakeSystem(20_000)
    const connections = new Connections(system, { ...limits, perAddress: 1 })
    const [peer, other] = system.add("198.51.100.7", 2) as [string, string]
    connections.know(peer, "key_a")
    connections.know(other, "key_a")
    expect(connections.look(2_000)).toBe(0)
    system.leave(peer)
    connections.look(4_000)
    system.add("198.51.100.7", 1)
    system.join(peer, "198.51.100.7")
    expect(connections.look(6_000)).toBe(1)
    expect(system.ended).not.toContain(other)
  })

  test("answered amid their request may go on for ten seconds, or longer with credentials, unless they ask anew", () => {
    const system = new FakeSystem(20_000)
    const connections = new Connections(system, limits)
    const [slow, well, known] = system.add("198.51.100.7", 3) as [string, string, string]
    connections.know(known, "key_a")
    connections.answeredEarly(known)
    connections.answeredEarly(slow)
    connections.answeredEarly(well)
    connections.asks(well)
    expect(connections.look(performance.now() + 8_000)).toBe(0)
    expect(connections.look(performance.now() + 12_000)).toBe(1)
    expect(system.ended).toEqual([slow])
  })
})

test("an error for want of descriptors is told as overload, whoever had it, but for that of another server", () => {
  const system = Object.assign(new Error("open '/data/blobs/x'"), { code: "EMFILE" })
  const known = [
    system,
    new Error("not read", { cause: system }),
    new Error("no sockets for a child process (error 24)"),
  ]
  for (const error of known) expect(asStorageError(error)).toMatchObject({ code: "overloaded", retryAfter: 2 })
  const others = [new Error("line 24"), new AppError("model_error", { message: "too many open files" })]
  for (const error of others) expect(lacksDescriptors(error)).toBe(false)
})

test("an address has one key, however it is written", () => {
  expect(peerKey("::ffff:10.0.0.1", 5)).toBe("10.0.0.1 5")
  expect(peerKey("0:0:0:0:0:0:0:1", 5)).toBe(peerKey("::1", 5))
  expect(peerKey("2001:0db8:0000::0001", 5)).toBe(peerKey("2001:db8::1", 5))
})

/** A daemon that may open few files, for the tests of a group, which hold connections to it. */
function useFewFiles(files: number, held: Iterable<Socket>, ready: (daemon: Daemon) => void): void {
  let daemon: Daemon
  beforeAll(async () => {
    daemon = await startDaemon([], { under: mayOpen(files) })
    ready(daemon)
  }, 60_000)
  afterAll(async () => {
    for (const socket of held) socket.destroy()
    await daemon.remove()
  })
}

describe("a daemon that may open 512 files", () => {
  let daemon: Daemon
  const held: Socket[] = []
  useFewFiles(512, held, made => {
    daemon = made
  })

  function hold(first: string, drip: string): { isOpen(): boolean; received(): string; socket: Socket } {
    const { hostname, port } = new URL(daemon.url)
    let open = true
    let text = ""
    const socket = connect(Number(port), hostname, () => socket.write(first))
    held.push(socket)
    const timer = drip ? setInterval(() => socket.write(drip), 500) : undefined
    socket.on("error", () => {})
    socket.on("data", data => {
      text += data.toString("latin1")
    })
    socket.on("close", () => {
      open = false
      clearInterval(timer)
    })
    return { isOpen: () => open, received: () => text, socket }
  }
  const open = () => readdirSync(`/proc/${daemon.pid}/fd`).length

  test("has raised its own limit to what it may", () => {
    expect(readFileSync(`/proc/${daemon.pid}/limits`, "utf8")).toMatch(/Max open files\s+512\s+512/)
  })

  test("serves others beside 600 connections of every idle kind, and keeps one that has shown credentials", async () => {
    const headers = Object.entries(daemon.credentials).map(([name, value]) => `${name}: ${value}`)
    const ask = `GET /external/models HTTP/1.1\r\nHost: x\r\n${headers.join("\r\n")}\r\n\r\n`
    const known = hold(ask, "")
    await until(() => known.received().includes("builtin/extractive"))
    const body =
      "POST /external/keys/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{"
    const crowd = Array.from({ length: 600 }, (_, i) =>
      i % 3 === 0
        ? hold("", "")
        : i % 3 === 1
          ? hold("GET / HTTP/1.1\r\nHost: x\r\n", "X-More: a\r\n")
          : hold(body, " "),
    )
    for (let i = 0; i < 10; i++) {
      expect((await fetch(`${daemon.url}/healthz`, { headers: { connection: "close" } })).status).toBe(200)
      const file = await daemon.upload(`beside-${i}.txt`, `The ferry of line ${i} leaves at noon.`)
      expect(file.status).toBe("queued")
      await Bun.sleep(200)
    }
    await until(() => open() < 400)
    await until(() => crowd.filter(({ isOpen }) => !isOpen()).length > 200)
    expect(known.isOpen()).toBe(true)
    known.socket.write(ask)
    await until(() => known.received().split("builtin/extractive").length > 2)
    const found = async () => (await daemon.call("POST", "/search", { query: "ferry noon" })).hits.length
    await until(async () => (await found()) === 10, { everyMs: 200 })
  }, 60_000)
})

describe("a daemon that may open 512 files, under connections that come again as soon as they end", () => {
  let daemon: Daemon
  beforeAll(async () => {
    daemon = await startDaemon([], { under: mayOpen(512) })
  }, 60_000)
  afterAll(() => daemon.remove())

  test("takes uploads, indexes them and answers searches", async () => {
    await daemon.index("before.txt", "The ferry of yesterday.") // from source, the libraries are hundreds of files
    await daemon.call("POST", "/search", { query: "ferry" })
    const { hostname, port } = new URL(daemon.url)
    const sockets = new Set<Socket>()
    let ended = false
    let opened = 0
    const again = () => {
      if (ended) return
      const socket = connect(Number(port), hostname, () => {
        opened++
        socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n")
      })
      sockets.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => {
        sockets.delete(socket)
        setTimeout(again, 1)
      })
    }
    for (let i = 0; i < 800; i++) again()
    try {
      const ids: string[] = []
      for (let i = 0; i < 12; i++) {
        ids.push((await daemon.upload(`storm-${i}.txt`, `The ferry of line ${i} leaves at noon.`)).id)
        expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200)
        await Bun.sleep(150)
      }
      await until(() => opened > 1_500) // more than were ever open at once: they did come again
      ended = true
      await daemon.settled()
      const records = await Promise.all(ids.map(id => daemon.call("GET", `/libraries/${id}`)))
      expect(records.map(({ status }) => status)).toEqual(ids.map(() => "searchable"))
    } finally {
      ended = true
      for (const socket of sockets) socket.destroy()
    }
  }, 90_000)
})

describe("a daemon that may open 330 files, under 800 uploads of one key that never end", () => {
  let daemon: Daemon
  const held = new Set<Socket>()
  useFewFiles(330, held, made => {
    daemon = made
  })

  /** Half of them send a byte now and then; those that were ended do not come again. */
  function holdUploads(count: number): { closed(): number; answered(status: number): number } {
    const { hostname, port } = new URL(daemon.url)
    const head = [
      "POST /external/upload HTTP/1.1",
      "Host: x",
      ...Object.entries(daemon.credentials).map(([name, value]) => `${name}: ${value}`),
      "Content-Type: multipart/form-data; boundary=b",
      "Content-Length: 1000000",
    ]
    const part = '--b\r\nContent-Disposition: form-data; name="files"; filename="half.txt"\r\n\r\nThe ferry'
    const answers: string[] = []
    for (let i = 0; i < count; i++) {
      const socket = connect(Number(port), hostname, () => socket.write(`${head.join("\r\n")}\r\n\r\n${part}`))
      const drip = i % 2 === 0 ? setInterval(() => socket.write("."), 1_000) : undefined
      held.add(socket)
      socket.on("error", () => {})
      socket.on("data", data => answers.push(data.toString("latin1").slice(0, 12)))
      socket.on("close", () => {
        clearInterval(drip)
        held.delete(socket)
      })
    }
    return {
      closed: () => count - held.size,
      answered: status => answers.filter(answer => answer === `HTTP/1.1 ${status}`).length,
    }
  }

  test("answers health checks and other keys: uploads, searches, lists", async () => {
    const created = JSON.parse((await daemon.run("keys", "create", "--name", "other", "--json")).out)
    const other = { "client-id": created.client_id, "private-key": created.private_key, secret: created.secret }
    const crowd = holdUploads(800)
    const form = (name: string) => {
      const body = new FormData()
      body.append("files", new Blob(["The tram leaves at eleven."]), name)
      return body
    }
    for (let i = 0; i < 12; i++) {
      const health = await fetch(`${daemon.url}/healthz`, { headers: { connection: "close" } })
      expect(health.status).toBe(200)
      const [{ status }] = (await daemon.call("POST", "/upload", form(`tram-${i}.txt`), other)).files
      expect(status).toBe("queued")
      await daemon.call("GET", "/libraries", undefined, other)
      await Bun.sleep(250)
    }
    await until(() => readdirSync(`/proc/${daemon.pid}/fd`).length < 300)
    await until(() => crowd.answered(503) + crowd.closed() > 400)
    expect(held.size).toBeGreaterThan(40) // uploads under way are not ended for want of places
    const found = async () => (await daemon.call("POST", "/search", { query: "tram" }, other)).hits.length
    await until(async () => (await found()) === 10, { everyMs: 200 })
    // Silent ones give their places up as long as these are short; the slow ones may go on.
    // Of the crowd some were ended for want of descriptors: others come, so that places are short whoever these were.
    const late = holdUploads(60)
    await until(() => crowd.answered(408) + late.answered(408) > 0, { everyMs: 200 })
    expect(held.size).toBeGreaterThan(20)
  }, 120_000)
})

describe("a body that comes in drops", () => {
  let daemon: Daemon
  beforeAll(async () => {
    daemon = await startDaemon()
  }, 60_000)
  afterAll(() => daemon.remove())

  function dribble(head: string[]): Promise<{ answer: string; answeredMs: number; closedMs: number }> {
    const { hostname, port } = new URL(daemon.url)
    const began = Date.now()
    let answer = ""
    let answeredMs = 0
    return new Promise(resolve => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(`${[...head, "Host: x", "Content-Length: 100000"].join("\r\n")}\r\n\r\n`),
      )
      const timer = setInterval(() => socket.write(" "), 250)
      socket.on("data", data => {
        answeredMs ||= Date.now() - began
        answer += data.toString("latin1")
      })
      socket.on("error", () => {})
      socket.on("close", () => {
        clearInterval(timer)
        resolve({ answer, answeredMs, closedMs: Date.now() - began })
      })
    })
  }

  test("is given up after fifteen seconds where nobody has shown credentials, and refused at once where they are needed", async () => {
    const json = "Content-Type: application/json"
    const [open, refused, upload, unknown] = await Promise.all([
      dribble(["POST /external/keys/verify HTTP/1.1", json]),
      dribble(["POST /external/search HTTP/1.1", json]),
      dribble(["POST /external/upload HTTP/1.1", "Content-Type: multipart/form-data; boundary=b"]),
      dribble(["GET /healthz HTTP/1.1", json]),
    ])
    expect(open.answer).toStartWith("HTTP/1.1 408")
    expect(open.answer).toContain("must arrive within 15 s")
    expect([refused.answer.slice(0, 12), upload.answer.slice(0, 12), unknown.answer.slice(0, 12)]).toEqual([
      "HTTP/1.1 401",
      "HTTP/1.1 401",
      "HTTP/1.1 200",
    ])
    for (const { answeredMs, closedMs } of [refused, upload, unknown]) {
      expect(answeredMs).toBeLessThan(open.answeredMs / 2)
      expect(closedMs).toBeLessThan(open.answeredMs * 2)
    }
  }, 40_000)
})
