/**
 * What it costs to follow a reply on another node than the one that writes it: milliseconds from a model's writing a piece to
 * a reader's having it, through the node that writes the reply and through another, for many replies at once. Model server,
 * both nodes and the reader are processes of their own. `bun scripts/bench/live-events.ts --database postgres://…
 * [--streams 200] [--pieces 40] [--every 250]`, with a database of its own.
 */
import { get, request } from "node:http"
import { parseArgs } from "node:util"
import { ApiKeys, ensureWorkspace } from "../../src/access/keys.ts"
import { openPostgres } from "../../src/storage/postgres/open.ts"
import { spawnLiveNode } from "../../test/support/live-node.ts"

const { values } = parseArgs({
  options: {
    serve: { type: "boolean" },
    database: { type: "string", default: "" },
    streams: { type: "string", default: "200" },
    pieces: { type: "string", default: "40" },
    every: { type: "string", default: "250" },
  },
})
const [streams, pieces, every] = [values.streams, values.pieces, values.every].map(Number) as [number, number, number]
/** Alike in all processes of a machine. */
const now = (): number => performance.timeOrigin + performance.now()

/** A model server whose every piece says when it was written. */
function serve(): void {
  const line = (value: object) => new TextEncoder().encode(`${JSON.stringify(value)}\n`)
  const chat = () =>
    new Response(
      new ReadableStream({
        async start(controller) {
          await Bun.sleep(Math.random() * every) // not all in step
          for (let i = 0; i < pieces; i++) {
            controller.enqueue(line({ message: { role: "assistant", content: `${now()} ` }, done: false }))
            await Bun.sleep(every)
          }
          controller.enqueue(line({ message: { role: "assistant", content: "" }, done: true, done_reason: "stop" }))
          controller.close()
        },
      }),
      { headers: { "content-type": "application/x-ndjson" } },
    )
  const model = { name: "bench:1", model: "bench:1", size: 1, digest: "d", details: { family: "b" } }
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: ({ url }) => {
      const { pathname } = new URL(url)
      if (pathname === "/api/chat") return chat()
      if (pathname === "/api/show")
        return Response.json({ capabilities: ["completion"], model_info: { "b.context_length": 8192 }, details: {} })
      return Response.json({ models: pathname === "/api/tags" ? [model] : [], version: "0.12.0" })
    },
  })
  console.log(server.url.origin)
}

type Headers = Record<string, string>

/** Reads events as they come, each beside the time at which it came; `seen` is told the first conversation's id. */
function follow(
  url: string,
  headers: Headers,
  body: string | undefined,
  seen: (id: string) => void,
): Promise<number[]> {
  const late: number[] = []
  const { promise, resolve, reject } = Promise.withResolvers<number[]>()
  const ask = body === undefined ? get : request
  const options = { method: body === undefined ? "GET" : "POST", headers, agent: false }
  const asked = ask(url, options, answer => {
    if (answer.statusCode !== 200) reject(new Error(`answered ${answer.statusCode}`))
    let rest = ""
    answer.on("data", (chunk: Buffer) => {
      const at = now()
      const blocks = (rest + chunk).split("\n\n")
      rest = blocks.pop()!
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1]
        if (!data) continue
        if (block.includes("event: conversation_created")) seen(JSON.parse(data).conversation_id)
        if (block.includes("event: error")) console.error(data)
        if (block.includes("event: message_delta"))
          for (const word of JSON.parse(data).text.split(" ")) if (word) late.push(at - Number(word))
      }
    })
    answer.on("end", () => resolve(late))
  })
  asked.on("error", error => reject(new Error(`${url.slice(0, 70)}: ${error}`)))
  asked.end(body)
  return promise
}

async function measure(): Promise<void> {
  const url = values.database
  const model = Bun.spawn([process.execPath, import.meta.path, "--serve", ...process.argv.slice(2)], { stdout: "pipe" })
  const ollama = new TextDecoder().decode((await model.stdout.getReader().read()).value).trim()
  const nodes = await Promise.all([0, 1].map(() => spawnLiveNode({ database: url, ollama })))
  const database = await openPostgres(url, { poolSize: 1 })
  try {
    const key = await new ApiKeys(database).create(await ensureWorkspace(database, "default"), { name: "bench" })
    const headers = { "client-id": key.client_id, "private-key": key.private_key, secret: key.secret }
    const path = "/external/conversations"
    const body = JSON.stringify({ message: "count", model: "ollama/bench:1", use_library: false })
    const posted = { ...headers, "content-type": "application/json" }
    const there: Promise<number[]>[] = []
    const here = Array.from({ length: streams }, () =>
      follow(nodes[0]!.url + path, posted, body, id =>
        there.push(follow(`${nodes[1]!.url}${path}/${id}/events`, headers, undefined, () => {})),
      ),
    )
    const own = (await Promise.all(here)).flat()
    const others = (await Promise.all(there)).flat()
    say("through the node that writes", own)
    say("through another node", others)
  } finally {
    for (const node of nodes) await node.stop()
    model.kill()
    await database.destroy()
  }
}

function say(what: string, times: number[]): void {
  times.sort((left, right) => left - right)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!.toFixed(2)
  console.log(`${what.padEnd(30)} ${times.length} pieces: median ${at(0.5)} ms, p90 ${at(0.9)} ms, p99 ${at(0.99)} ms`)
}

if (values.serve) serve()
else await measure()
