/** The balancers of `deploy/cluster`, as they are given there: requests go to all nodes, and events pass as they are written. */
import { afterAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { freePorts } from "../../scripts/cluster/engine.ts"
import { until } from "../support/until.ts"

const BALANCER = resolve(import.meta.dir, "../../deploy/cluster/balancer")
const PATH = `${process.env.PATH}:/usr/sbin`
const folder = mkdtempSync(join(tmpdir(), "balancers-"))
const NODES = 3
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Stream {
  write(text: string): void
  end(): void
}

/** Stand-ins for nodes: each says its number, is ready or not, and streams what the test writes. */
function startNodes() {
  const down = new Set<number>()
  const streams: Stream[] = []
  const servers = Array.from({ length: NODES }, (_, at) =>
    Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 0,
      async fetch(request) {
        if (new URL(request.url).pathname === "/readyz") return new Response("", { status: down.has(at) ? 503 : 200 })
        if (request.method === "POST") return new Response(String((await request.arrayBuffer()).byteLength))
        if (new URL(request.url).pathname !== "/events") return new Response(String(at))
        const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
        const writer = writable.getWriter()
        streams.push({
          write: text => void writer.write(Buffer.from(text)),
          end: () => void writer.close(),
        })
        return new Response(readable, { headers: { "content-type": "text/event-stream" } })
      },
    }),
  )
  return { down, streams, servers, ports: servers.map(({ port }) => port!) }
}

const COMMANDS = {
  haproxy: (config: string) => ["haproxy", "-db", "-f", config],
  nginx: (config: string) => ["nginx", "-p", folder, "-c", config, "-g", `pid ${folder}/nginx.pid; daemon off;`],
} as const

const CONFIGS = {
  haproxy: (port: number, nodes: number[]) =>
    read("haproxy.cfg")
      .replace("maxconn 20000", "maxconn 200")
      .replace("bind :8080", `bind 127.0.0.1:${port}`)
      .replace(/node(\d):4747/g, (_, n) => `127.0.0.1:${nodes[n - 1]}`),
  nginx(port: number, nodes: number[]) {
    const included = read("nginx.conf")
      .replace("listen 8080", `listen 127.0.0.1:${port}`)
      .replace(/10\.0\.0\.1(\d):4747/g, (_, n) => `127.0.0.1:${nodes[n - 1]}`)
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      name => `${name}_temp_path ${folder}/${name};`,
    )
    return `error_log ${folder}/error.log; events {} http { access_log off; ${paths.join(" ")}\n${included}\n}`
  },
} as const

const read = (name: string): string => readFileSync(join(BALANCER, name), "utf8")

for (const name of ["haproxy", "nginx"] as const) {
  const program = Bun.which(name, { PATH })
  if (!program) console.log(`${name} is not installed: not tested`)

  describe.skipIf(!program)(name, () => {
    test("spreads requests, leaves a node that is not ready, and passes uploads and events as they come", async () => {
      const nodes = startNodes()
      const [port] = (await freePorts(1)) as [number]
      const config = join(folder, `${name}.conf`)
      mkdirSync(folder, { recursive: true })
      writeFileSync(config, CONFIGS[name](port, nodes.ports))
      const [, ...args] = COMMANDS[name](config)
      const child = Bun.spawn([program!, ...args], { stdout: "ignore", stderr: "pipe" })
      const url = `http://127.0.0.1:${port}`
      const ask = () => fetch(`${url}/`, { keepalive: false }).then(answer => answer.text())
      try {
        await until(async () => {
          if (child.exitCode !== null) throw new Error(await new Response(child.stderr).text())
          return ask().then(
            answer => /^\d$/.test(answer),
            () => false,
          )
        })
        const seen = new Set<string>()
        await until(async () => seen.add(await ask()).size === NODES)
        if (name === "haproxy") {
          // The free edition of the other has no checks of its own: it leaves a node that refuses connections.
          nodes.down.add(0)
          await until(async () => {
            // What is under way at the node when it is marked down is cut (`on-marked-down shutdown-sessions`).
            const answers = await Promise.all(Array.from({ length: 12 }, () => ask().catch(() => "0")))
            return !answers.includes("0")
          })
        }
        const body = Buffer.alloc(30_000_000)
        expect(await (await fetch(url, { method: "POST", body })).text()).toBe(String(body.length))
        const asked = fetch(`${url}/events`)
        await until(() => nodes.streams.length === 1)
        nodes.streams[0]!.write("data: one\n\n")
        const reader = (await asked).body!.getReader()
        const read = async () => Buffer.from((await reader.read()).value!).toString()
        expect(await read()).toBe("data: one\n\n")
        nodes.streams[0]!.write("data: two\n\n")
        expect(await read()).toBe("data: two\n\n")
        nodes.streams[0]!.end()
      } finally {
        child.kill("SIGKILL")
        await child.exited
        for (const server of nodes.servers) await server.stop(true)
      }
    })
  })
}
