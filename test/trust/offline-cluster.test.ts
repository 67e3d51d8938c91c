/** `--offline` on a node of several: its engines and the other nodes may be reached, and nobody else. */
import { afterEach, describe, expect, test } from "bun:test"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import http from "node:http"
import net from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openNetwork } from "../../src/app/network.ts"
import { readConfig } from "../../src/config.ts"
import { Peers } from "../../src/nodes/peers.ts"
import { Signatures } from "../../src/nodes/signature.ts"
import { rejection } from "../support/rejection.ts"

const SECRET = "0".repeat(32)
let guard: AsyncDisposableStack | undefined
const drop = async () => {
  await guard?.disposeAsync()
  guard = undefined
}
afterEach(drop)

/** The guard of a node with these engines, in place of the one before. */
async function offline(engines: Record<"database" | "blob" | "search", string>): Promise<void> {
  await drop()
  const folder = mkdtempSync(join(tmpdir(), "carrel-offline-"))
  const secret = join(folder, "secret")
  writeFileSync(secret, SECRET)
  chmodSync(secret, 0o600)
  const urls = Object.entries(engines).flatMap(([name, url]) => [`--${name}-url`, url])
  const own = ["--data", folder, "--offline", "--node-url", "http://10.0.0.5:4747", "--cluster-secret-file", secret]
  guard = new AsyncDisposableStack()
  guard.defer(() => rmSync(folder, { recursive: true }))
  await openNetwork(readConfig([...own, ...urls], {}).config, guard)
}

/** How a connection by that means ends: `refused` by the guard, or let through to where nobody is. */
async function ends(connect: () => Promise<unknown>): Promise<"refused" | "let through"> {
  const error = (await rejection(connect())) as Error & { code?: string }
  return error.message.startsWith("offline: ") ? "refused" : "let through"
}
const byFetch = (url: string) => () => fetch(url, { signal: AbortSignal.timeout(2_000) })
const byHttp = (host: string, port: number) => () =>
  new Promise((resolve, reject) => http.get({ host, port, timeout: 2_000 }, resolve).on("error", reject))
const bySocket = (host: string, port: number) => () =>
  new Promise((resolve, reject) => net.connect(port, host, () => resolve("there")).on("error", reject))

const ENGINES = {
  database: "postgres://carrel:x@127.0.0.1:1/records",
  blob: "s3://KEY:x@bucket?endpoint=http://127.0.0.1:2",
  search: "http://127.0.0.1:3",
}

describe("--offline on one node of several", () => {
  test("lets its engines through by all ways that drivers take, and nobody else", async () => {
    await offline(ENGINES)
    expect(await ends(bySocket("127.0.0.1", 1))).toBe("let through")
    expect(await ends(byHttp("127.0.0.1", 2))).toBe("let through")
    expect(await ends(byFetch("http://127.0.0.1:3/"))).toBe("let through")
    expect(await ends(bySocket("127.0.0.1", 4))).toBe("refused")
    expect(await ends(byHttp("127.0.0.1", 4))).toBe("refused")
    expect(await ends(byFetch("http://127.0.0.1:4/"))).toBe("refused")
  })

  test("knows the usual port of PostgreSQL, a host among its parameters, and addresses of IPv6", async () => {
    await offline({ ...ENGINES, database: "postgres://[::1]/records" })
    expect(await ends(bySocket("::1", 5432))).toBe("let through")
    expect(await ends(bySocket("127.0.0.1", 5432))).toBe("refused")
    await offline({ ...ENGINES, database: "postgres:///records?host=127.0.0.1&port=7" })
    expect(await ends(bySocket("127.0.0.1", 7))).toBe("let through")
    await offline({ ...ENGINES, database: "postgres:///records?host=/run/postgresql" })
    expect(await ends(bySocket("localhost", 5432))).toBe("refused")
  })

  test("lets a bucket through that stands in the name of its host", async () => {
    await offline({ ...ENGINES, blob: "s3://KEY:x@bucket?endpoint=http://localhost:2&path_style=false" })
    expect(await ends(byHttp("localhost", 2))).toBe("refused")
    expect(await ends(byHttp("bucket.localhost", 2))).toBe("let through")
  })

  test("lets the connections past a pooler through", async () => {
    await offline({ ...ENGINES, database: "postgres://127.0.0.1:6432/records?direct=127.0.0.1:8" })
    expect(await ends(bySocket("127.0.0.1", 8))).toBe("let through")
    expect(await ends(bySocket("127.0.0.1", 6432))).toBe("let through")
  })

  test("lets requests to other nodes through, and nobody else's to the same place", async () => {
    const node = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response('{"here":true}\n') })
    const url = `http://127.0.0.1:${node.port}`
    try {
      await offline(ENGINES)
      const peers = new Peers(new Signatures(SECRET, { id: "node_2" }))
      const [first] = await Array.fromAsync(peers.stream({ id: "node_1", url }, "/there", AbortSignal.timeout(5_000)))
      expect(first).toEqual({ here: true })
      expect(await ends(byFetch(url))).toBe("refused")
      expect(await ends(byHttp("127.0.0.1", node.port!))).toBe("refused")
    } finally {
      await node.stop(true)
    }
  })
})
