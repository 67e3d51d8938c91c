/**
 * What a chat back end adds to its server's stream: a server in another process sends 2 000 pieces as fast as they are read.
 * Prints milliseconds until the first piece and for all of them, beside a bare `fetch` of the same bytes; medians of
 * 15 answers. `bun scripts/bench/chat-stream.ts`
 */
import { parseArgs } from "node:util"
import type { ChatBackend, ChatRequest } from "../../src/backends/backend.ts"
import { ModelQueue } from "../../src/backends/model-queue.ts"
import { OllamaChat } from "../../src/backends/ollama.ts"
import { OpenAiChat } from "../../src/backends/openai.ts"
import { fromStore } from "../../src/guarded.ts"

const PIECES = 2_000
const RUNS = 15

function serve(): void {
  const word = (text: string) => `${JSON.stringify({ message: { content: text }, done: false })}\n`
  const ollama = Array.from({ length: PIECES }, (_, i) => word(` word${i}`))
  ollama.push(`${JSON.stringify({ message: {}, done: true, done_reason: "stop" })}\n`)
  const chunk = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  const openai = Array.from({ length: PIECES }, (_, i) => chunk({ content: ` word${i}` }, null))
  openai.push(chunk({}, "stop"), "data: [DONE]\n\n")
  const streamed = (lines: string[], type: string) => {
    let at = 0
    const encoder = new TextEncoder()
    const body = new ReadableStream({
      pull(controller) {
        if (at === lines.length) return controller.close()
        controller.enqueue(encoder.encode(lines[at++]))
      },
    })
    return new Response(body, { headers: { "content-type": type } })
  }
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    fetch: request => {
      const { pathname } = new URL(request.url)
      if (pathname === "/api/chat") return streamed(ollama, "application/x-ndjson")
      if (pathname === "/v1/chat/completions") return streamed(openai, "text/event-stream")
      return Response.json({ models: [], data: [{ id: "bench" }] })
    },
  })
  console.log(server.url.origin)
}

async function measure(): Promise<void> {
  const child = Bun.spawn([process.execPath, import.meta.path, "--serve"], { stdout: "pipe" })
  try {
    const reader = child.stdout.getReader()
    const url = new TextDecoder().decode((await reader.read()).value).trim()
    const common = { silenceMs: 60_000, queue: new ModelQueue({ parallel: 4, waiting: 0 }), allowRemoteModels: true }
    const backends: [string, ChatBackend][] = [
      ["/api/chat", new OllamaChat({ host: url, keepAlive: "", ...common })],
      ["/v1/chat/completions", new OpenAiChat({ baseUrl: `${url}/v1`, apiKey: "", contextTokens: 8_192, ...common })],
    ]
    for (const [path, backend] of backends) {
      const bare = await median(() => throughFetch(url + path))
      const own = await median(() => through(backend))
      console.log(
        `${backend.provider.padEnd(7)} first ${own.first.toFixed(2)} ms (fetch ${bare.first.toFixed(2)}), ` +
          `${PIECES} pieces ${own.all.toFixed(1)} ms (fetch ${bare.all.toFixed(1)})`,
      )
    }
  } finally {
    child.kill()
  }
}

interface Times {
  first: number
  all: number
}

async function median(run: () => Promise<Times>): Promise<Times> {
  const times: Times[] = []
  for (let i = 0; i < RUNS + 2; i++) times.push(await run())
  const middle = (name: keyof Times) =>
    times
      .slice(2) // the first ones warm up
      .map(each => each[name])
      .sort((left, right) => left - right)[RUNS >> 1]!
  return { first: middle("first"), all: middle("all") }
}

async function throughFetch(url: string): Promise<Times> {
  const started = performance.now()
  const response = await fetch(url, { method: "POST", body: "{}" })
  let first = 0
  for await (const _ of response.body!) first ||= performance.now() - started
  return { first, all: performance.now() - started }
}

async function through(backend: ChatBackend): Promise<Times> {
  const request: ChatRequest = {
    model: "bench",
    turns: [{ role: "user", content: "Count." }],
    options: {},
    signal: new AbortController().signal,
  }
  const started = performance.now()
  let first = 0
  let count = 0
  for await (const piece of backend.chat(fromStore(request)))
    if (piece.type === "text") {
      first ||= performance.now() - started
      count++
    }
  if (count !== PIECES) throw new Error(`${count} pieces instead of ${PIECES}`)
  return { first, all: performance.now() - started }
}

if (parseArgs({ options: { serve: { type: "boolean" } } }).values.serve) serve()
else await measure()
