/**
 * What `/v1/chat/completions` adds to its model's server. Server, daemon and client are processes of their own. Prints
 * milliseconds until the first piece of an answer whose others follow later, and for all of 2 000 pieces that come as fast
 * as they are read: through the daemon and directly, in turns, and their ratio; medians of 40 answers.
 * `bun scripts/bench/compatible.ts`
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { ApiKeys, ensureWorkspace } from "../../src/access/keys.ts"
import { startApp } from "../../src/app.ts"
import { readConfig } from "../../src/config.ts"
import { setLogLevel } from "../../src/log.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"

const PIECES = 2_000
const RUNS = 40
const MODEL = "bench"
/** Between the first piece and the others. */
const PAUSE_MS = 30

function serve(): void {
  const chunk = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  const encoder = new TextEncoder()
  const words = Array.from({ length: PIECES }, (_, i) => encoder.encode(chunk({ content: ` word${i}` }, null)))
  const end = encoder.encode(`${chunk({}, "stop")}data: [DONE]\n\n`)
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    fetch: async request => {
      if (!request.url.endsWith("/chat/completions")) return Response.json({ data: [{ id: MODEL }] })
      let at = 0
      const waits = (await request.text()).includes("Wait.")
      const body = new ReadableStream({
        async pull(controller) {
          if (waits && at === 1) await Bun.sleep(PAUSE_MS)
          controller.enqueue(words[at++] ?? end)
          if (at > PIECES) controller.close()
        },
      })
      return new Response(body, { headers: { "content-type": "text/event-stream" } })
    },
  })
  console.log(server.url.origin)
}

interface Times {
  first: number
  all: number
}

async function ask({ url, model, token }: Asked, message: string): Promise<Times> {
  const started = performance.now()
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ model, stream: true, messages: [{ role: "user", content: message }] }),
  })
  let first = 0
  const parts: Uint8Array[] = []
  for await (const part of response.body!) {
    parts.push(part)
    if (first === 0 && Buffer.concat(parts).includes("word0")) first = performance.now() - started
  }
  const all = performance.now() - started
  const pieces = Buffer.concat(parts).toString().split(" word").length - 1
  if (pieces !== PIECES) throw new Error(`${pieces} pieces instead of ${PIECES}`)
  return { first, all }
}

const median = (values: number[]): number => values.toSorted((left, right) => left - right)[values.length >> 1]!

interface Asked {
  url: string
  model: string
  token: string
}

/** A daemon before that server, with a key. Prints its address and the key's token. */
async function daemon(server: string): Promise<void> {
  setLogLevel("error")
  const data = mkdtempSync(join(tmpdir(), "carrel-bench-"))
  const flags = [
    "--data",
    data,
    "--port",
    "0",
    "--openai-base-url",
    `${server}/v1`,
    "--ollama-host",
    "http://127.0.0.1:9",
  ]
  const limits = ["--embedding-tier", "fast", "--rerank", "off", "--rate-limit-per-minute", "100000"]
  const app = await startApp(readConfig([...flags, ...limits], {}).config)
  const database = await openSqlite(data)
  const { token } = await new ApiKeys(database).create(await ensureWorkspace(database, "default"), { name: "bench" })
  await database.destroy()
  console.log(JSON.stringify({ url: app.url, token }))
  process.on("SIGTERM", async () => {
    await app.stop()
    rmSync(data, { recursive: true, force: true })
    process.exit(0)
  })
}

/** This script as another process, and the first line that it prints. */
async function started(...given: string[]) {
  const child = Bun.spawn([process.execPath, import.meta.path, ...given], { stdout: "pipe", stderr: "inherit" })
  const { value } = await child.stdout.getReader().read()
  return { child, line: new TextDecoder().decode(value).trim() }
}

async function measure(): Promise<void> {
  const server = await started("--serve")
  const carrel = await started("--daemon", server.line)
  try {
    const through = { ...JSON.parse(carrel.line), model: `openai/${MODEL}` }
    const directly = { url: server.line, model: MODEL, token: "" }
    for (const [name, message] of [
      ["first", "Wait."],
      ["all", "Count."],
    ] as const) {
      const times: [number, number][] = []
      for (let run = -5; run < RUNS; run++) {
        const pair: [number, number] = [(await ask(through, message))[name], (await ask(directly, message))[name]]
        if (run >= 0) times.push(pair) // the first ones warm up
      }
      const [own, bare] = [median(times.map(([each]) => each)), median(times.map(([, each]) => each))]
      const added = median(times.map(([through, directly]) => through - directly))
      console.log(
        `${(name === "first" ? "first piece" : `${PIECES} pieces`).padEnd(12)} ${own.toFixed(2)} ms, directly ` +
          `${bare.toFixed(2)} ms: ${added.toFixed(2)} ms more, ratio ${(own / bare).toFixed(2)}`,
      )
    }
  } finally {
    carrel.child.kill()
    await carrel.child.exited
    server.child.kill()
  }
}

const { serve: serves, daemon: server } = parseArgs({
  options: { serve: { type: "boolean" }, daemon: { type: "string" } },
}).values
if (serves) serve()
else if (server) await daemon(server)
else await measure()
