/**
 * Reads a long file part by part with a stand-in for a model that writes 50 tokens a second: how long the answer takes, how
 * often the model is asked, how many requests go at once, and what the same question takes again.
 * `bun scripts/bench/reading.ts [--pages 300] [--window 8192] [--rate 50] [--note 150]`
 */
import { parseArgs } from "node:util"
import { startTestApp } from "../../test/support/app.ts"
import { dataOf, readEvents } from "../../test/support/events.ts"
import { LLAMA, startOllama } from "../../test/support/ollama.ts"

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "300" },
    /** Tokens. */
    window: { type: "string", default: "8192" },
    /** Tokens a second. */
    rate: { type: "string", default: "50" },
    /** Tokens of the notes on one part. */
    note: { type: "string", default: "150" },
  },
})

/** Of a printed page of prose. */
const PAGE_CHARACTERS = 2_500
const LINE = "The committee went through the papers of the week and noted what each of the offices had reported to it. "

const page = (number: number): string =>
  `Page ${number}: the office spent ${number * 17} crowns. ${LINE.repeat(Math.ceil(PAGE_CHARACTERS / LINE.length))}\n\n`

const ollama = await startOllama([{ ...LLAMA, contextLength: Number(values.window) }])
const { server } = ollama
const app = await startTestApp({ "ollama-host": server.url })
try {
  const delayMs = 1_000 / Number(values.rate)
  let calls = 0
  let most = 0
  server.scenes.add("bench", request => {
    calls++
    most = Math.max(most, server.open)
    const isNote = request.messages[0].content.startsWith("You take notes")
    return { text: `${"word ".repeat(isNote ? Number(values.note) : 300)}[1]`, delayMs }
  })
  const api = await app.client()
  const text = Array.from({ length: Number(values.pages) }, (_, at) => page(at + 1)).join("")
  const [file] = await api.index([{ name: "long.txt", data: text }])
  const ask = async (label: string) => {
    calls = most = 0
    const startedAt = performance.now()
    const body = { model: `ollama/${LLAMA.name}`, message: "case-bench Summarize the file.", file_ids: [file.id] }
    const events = await readEvents(await api.raw("POST", "/conversations", body))
    const total = (performance.now() - startedAt) / 1_000
    const { timings } = dataOf(events, "message_completed")
    const first = timings.first_token_ms / 1_000
    console.log(
      `${label}: ${total.toFixed(1)} s, first word after ${first.toFixed(1)} s; ${calls} requests, at most ${most} at once; ` +
        `${dataOf(events, "sources").sources.length} sources`,
    )
  }
  await ask(`${values.pages} pages (${text.length} characters)`)
  await ask("the same question again")
} finally {
  await app.stop()
  server.stop()
}
