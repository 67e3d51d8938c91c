/**
 * What a batch of 10 000 lines costs those who do not wait for it: clients search, or chat with a model that takes two at a
 * time and 200 ms for each, alone and while the batch does the same. Daemon, model and client are processes of their own.
 * Prints milliseconds of clients' requests, median and 95th of a hundred, and lines a second of the batch meanwhile and alone.
 * `bun scripts/bench/batches.ts [--seconds 15] [--clients 2]`
 */
import { parseArgs } from "node:util"
import { type Daemon, startDaemon } from "../../test/support/daemon.ts"
import { startOllama } from "../../test/support/ollama.ts"

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "15" },
    clients: { type: "string", default: "2" },
    model: { type: "boolean" },
  },
})
const FILES = 2_000
const LINES = 10_000
/** Between two requests of a client. */
const THINKS_MS = 50
const MODEL = "ollama/llama3.2:3b"
const WORDS = ["harbor", "heron", "lease", "winter", "bridge", "archive", "notice", "garden", "signal", "copper"]
const words = (i: number) => `${WORDS[i % 10]} ${WORDS[(i * 7 + 3) % 10]} ${WORDS[(i * 3 + 1) % 10]}`

const KINDS = {
  search: { path: "/search", line: (i: number) => ({ url: "/external/search", body: { query: words(i) } }) },
  chat: {
    path: "/start-conversation",
    line: (i: number) => ({
      url: "/v1/chat/completions",
      body: { model: MODEL, messages: [{ role: "user", content: `case-slow ${words(i)}` }] },
    }),
  },
}

async function measure(): Promise<void> {
  const model = Bun.spawn([process.execPath, import.meta.path, "--model"], { stdout: "pipe", stderr: "inherit" })
  const url = new TextDecoder().decode((await model.stdout.getReader().read()).value).trim()
  const daemon = await startDaemon(["--ollama-host", url, "--model-parallel", "2"])
  try {
    await fill(daemon)
    for (const kind of ["search", "chat"] as const) await compare(daemon, kind)
  } finally {
    await daemon.remove()
    model.kill()
  }
}

async function fill(daemon: Daemon): Promise<void> {
  for (let at = 0; at < FILES; at += 250) {
    const form = new FormData()
    for (let i = at; i < at + 250; i++) form.append("files", new Blob([`${words(i)} ${words(i + 1)} ${i}`]), `${i}.txt`)
    await daemon.call("POST", "/upload", form)
  }
  await daemon.settled()
}

async function compare(daemon: Daemon, kind: keyof typeof KINDS): Promise<void> {
  const alone = await live(daemon, kind)
  const { line } = KINDS[kind]
  const requests = Array.from({ length: LINES }, (_, i) => ({ custom_id: `l${i}`, ...line(i) }))
  const { id } = await daemon.call("POST", "/batches", { requests })
  const done = async () => (await daemon.call("GET", `/batches/${id}`)).request_counts.completed as number
  while ((await done()) === 0) await Bun.sleep(20)
  const [before, began] = [await done(), performance.now()]
  const beside = await live(daemon, kind)
  const meanwhile = ((await done()) - before) / ((performance.now() - began) / 1000)
  const [from, since] = [await done(), performance.now()]
  await Bun.sleep(Number(values.seconds) * 500)
  const rate = ((await done()) - from) / ((performance.now() - since) / 1000)
  await daemon.call("POST", `/batches/${id}/cancel`)
  const told = (each: number[]) => `${percentile(each, 50)} / ${percentile(each, 95)} (${each.length})`
  console.log(`${kind}: alone ${told(alone)}, beside the batch ${told(beside)} ms`)
  console.log(`${kind}: lines a second ${meanwhile.toFixed(1)} beside clients, ${rate.toFixed(1)} alone`)
}

/** Times of the requests of some clients. */
async function live(daemon: Daemon, kind: keyof typeof KINDS): Promise<number[]> {
  const times: number[] = []
  const until = performance.now() + Number(values.seconds) * 1000
  const client = async (number: number) => {
    for (let i = number; performance.now() < until; i += 17) {
      const started = performance.now()
      const body = kind === "search" ? { query: words(i) } : { model: MODEL, message: `case-slow ${words(i)}` }
      await daemon.call("POST", KINDS[kind].path, body)
      times.push(performance.now() - started)
      await Bun.sleep(THINKS_MS)
    }
  }
  await Promise.all(Array.from({ length: Number(values.clients) }, (_, i) => client(i)))
  return times
}

const percentile = (times: number[], share: number): string =>
  times.toSorted((left, right) => left - right)[Math.floor(((times.length - 1) * share) / 100)]!.toFixed(1)

if (values.model) {
  const { server } = await startOllama()
  server.scenes.add("slow", { pieces: ["Yes."], firstDelayMs: 200 })
  console.log(server.url)
} else await measure()
