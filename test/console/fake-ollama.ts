/** A model server that streams a fixed answer slowly enough to be watched and stopped. */
export const ANSWER =
  "Either party may end it with **six months** notice [1].\n\n1. Write to the landlord.\n2. Wait for the quarter to end.\n"

export interface FakeOllama {
  url: string
  /** Pause between words. */
  pauseMs: number
  /** Refuses the next requests with these words. */
  refusal: string | undefined
  /** What it says. */
  answer: string
  /** The bodies of the requests, as text. */
  asked: string[]
  stop(): void
}

export function startFakeOllama(): FakeOllama {
  const fake: FakeOllama = {
    url: "",
    pauseMs: 15,
    refusal: undefined,
    answer: ANSWER,
    asked: [],
    stop: () => void server.stop(true),
  }
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      switch (new URL(request.url).pathname) {
        case "/api/version":
          return Response.json({ version: "0.12.0" })
        case "/api/tags":
          return Response.json({ models: [{ name: "llama3.2:3b", model: "llama3.2:3b", size: 2e9, digest: "d1" }] })
        case "/api/ps":
          return Response.json({ models: [{ name: "llama3.2:3b", model: "llama3.2:3b" }] })
        case "/api/show":
          return Response.json({
            capabilities: ["completion", "thinking"],
            details: { family: "llama", parameter_size: "3.2B" },
            model_info: { "general.architecture": "llama", "llama.context_length": 8192 },
          })
        case "/api/chat":
          if (fake.refusal) return Response.json({ error: fake.refusal }, { status: 500 })
          return streamed(await noted(request, fake), fake)
        default:
          return new Response("not found", { status: 404 })
      }
    },
  })
  fake.url = `http://127.0.0.1:${server.port}`
  return fake
}

async function noted(request: Request, fake: FakeOllama): Promise<{ think?: boolean }> {
  const body = await request.text()
  fake.asked.push(body)
  return JSON.parse(body)
}

function streamed({ think }: { think?: boolean }, fake: FakeOllama): Response {
  const line = (fields: object) => `${JSON.stringify({ model: "llama3.2:3b", done: false, ...fields })}\n`
  const message = (fields: object) => line({ message: { role: "assistant", content: "", ...fields } })
  async function* lines() {
    if (think) yield message({ thinking: "The clause on termination says it." })
    for (const word of fake.answer.split(/(?<= )/)) {
      await Bun.sleep(fake.pauseMs)
      yield message({ content: word })
    }
    yield line({
      message: { role: "assistant", content: "" },
      done: true,
      done_reason: "stop",
      prompt_eval_count: 9,
      eval_count: 9,
    })
  }
  return new Response(lines() as unknown as ReadableStream, { headers: { "content-type": "application/x-ndjson" } })
}
