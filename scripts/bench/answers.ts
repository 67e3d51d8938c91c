/**
 * How well chat answers from a library whose answers are known (`test/fixtures/answers`): a daemon of its own gets the
 * documents, and is asked every question.
 *
 *   bun scripts/bench/answers.ts [--set NAME] [--model VALUE] [--baseline CHECKOUT] [--every N] [--minutes N] [--json FILE]
 *
 * `--model` is `builtin/extractive` unless given; models of a server need its address, `OLLAMA_HOST` or
 * `CARREL_OPENAI_BASE_URL`. `--baseline` asks the daemon of another checkout the same questions in the same run. `--every N` asks every
 * N-th question; `--minutes` asks no more after so long, and tells what it has. `--set` is `dev` unless given. What is held out is
 * told in totals: nothing that chooses parameters reads it.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { type GivenAnswer, type Judgement, judge, type Scores, scoresOf } from "./answers/judge.ts"
import { type AnswerSet, fileOf, readAnswers } from "./answers/questions.ts"

const ROOT = join(import.meta.dir, "../..")
const PREFIX = "/external-docs/external"
/** Rows of the table: kinds of questions that are told together. */
const ROWS: Record<string, readonly string[]> = {
  "facts, in the document's words": ["own"],
  "facts, greeted": ["greeted"],
  "facts, in other words": ["other"],
  "no answer, near the subject": ["near"],
  "no answer, elsewhere": ["nothing"],
  "no answer, both": ["near", "nothing"],
  "small talk": ["talk"],
  counts: ["count"],
  sums: ["sum"],
  "whole files": ["whole"],
}

const { values } = parseArgs({
  options: {
    set: { type: "string", default: "dev" },
    model: { type: "string", default: "builtin/extractive" },
    baseline: { type: "string" },
    every: { type: "string", default: "1" },
    minutes: { type: "string", default: "60" },
    json: { type: "string" },
  },
})

interface Daemon {
  url: string
  headers: Record<string, string>
  stop(): Promise<void>
}

const set = readAnswers(values.set)
const questions = set.questions.filter((_, at) => at % Number(values.every) === 0)
const checkouts = { ...(values.baseline ? { before: resolve(values.baseline) } : {}), now: ROOT }
const results: Record<string, Record<string, Scores>> = {}
for (const [name, checkout] of Object.entries(checkouts)) {
  results[name] = await measure(checkout)
  print(name, results[name])
}
if (values.json)
  writeFileSync(values.json, `${JSON.stringify({ set: values.set, model: values.model, results }, null, 2)}\n`)

async function measure(checkout: string): Promise<Record<string, Scores>> {
  const daemon = await start(checkout)
  try {
    await upload(daemon, set)
    const judged: Judgement[] = []
    const end = performance.now() + Number(values.minutes) * 60_000
    for (const question of questions) {
      if (performance.now() > end) break
      judged.push(judge(question, await ask(daemon, question.text)))
    }
    return Object.fromEntries(
      Object.entries(ROWS).map(([row, kinds]) => [row, scoresOf(judged.filter(({ kind }) => kinds.includes(kind)))]),
    )
  } finally {
    await daemon.stop()
  }
}

async function start(checkout: string): Promise<Daemon> {
  const data = mkdtempSync(join(tmpdir(), "bench-answers-"))
  const main = join(checkout, "src/main.ts")
  const created = Bun.spawnSync([process.execPath, main, "keys", "create", "--name", "bench", "--json", "--data", data])
  const { token } = JSON.parse(created.stdout.toString()) as { token: string }
  const servers = process.env.OLLAMA_HOST ? [] : ["--ollama-host", "http://127.0.0.1:9"]
  const child = Bun.spawn(
    [
      process.execPath,
      main,
      "serve",
      "--data",
      data,
      "--port",
      "0",
      "--rate-limit-per-minute",
      "100000",
      "--log-level",
      "error",
      ...servers,
    ],
    { stdout: "ignore", stderr: "inherit" },
  )
  const url = await addressIn(join(data, "daemon.json"))
  return {
    url,
    headers: { authorization: `Bearer ${token}` },
    async stop() {
      child.kill()
      await child.exited
      rmSync(data, { recursive: true, force: true })
    },
  }
}

/** Where the daemon says that it listens; its file may be half written. */
async function addressIn(path: string): Promise<string> {
  for (;;) {
    const { url } = (await Bun.file(path)
      .json()
      .catch(() => ({}))) as { url?: string }
    if (url) return url
    await Bun.sleep(100)
  }
}

/** Returns when all of it can be searched, also by the better vectors. */
async function upload({ url, headers }: Daemon, { documents }: AnswerSet): Promise<void> {
  const form = new FormData()
  for (const { name, text } of documents.map(fileOf)) form.append("files", new File([text], name))
  const sent = await fetch(`${url}${PREFIX}/upload`, { method: "POST", headers, body: form })
  if (!sent.ok) throw new Error(`upload: ${sent.status} ${await sent.text()}`)
  for (;;) {
    const response = await post({ url, headers }, "/search", { query: "price", limit: 1 })
    const { index } = (await response.json()) as {
      index: { searchable_files: number; vectors: { done: number; total: number; tier: string } }
    }
    const { done, total, tier } = index.vectors
    if (index.searchable_files === documents.length && done === total && tier === "quality") return
    await Bun.sleep(200)
  }
}

function post({ url, headers }: Pick<Daemon, "url" | "headers">, path: string, body: object): Promise<Response> {
  return fetch(`${url}${PREFIX}${path}`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  })
}

interface Told {
  sources?: { index: number; name: string; text: string }[]
  content?: string
  citations?: { index: number }[]
}

async function ask(daemon: Daemon, message: string): Promise<GivenAnswer> {
  const since = performance.now()
  const response = await post(daemon, "/conversations", {
    message,
    model: values.model,
    options: { temperature: 0, max_tokens: 200 },
  })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  const stream = await response.text()
  const ms = performance.now() - since
  const told = (event: string) =>
    JSON.parse(new RegExp(`^event: ${event}\\n(?:id: .*\\n)?data: (.*)$`, "m").exec(stream)?.[1] ?? "{}") as Told
  const { sources = [] } = told("sources")
  const { content = "", citations = [] } = told("message_completed")
  const numbers = new Set(citations.map(({ index }) => index))
  const cited = sources
    .filter(({ index }) => numbers.has(index))
    .map(({ index, name, text }) => ({ index, document: name.replace(/\.\w+$/, ""), text }))
  return { text: content, cited, ms }
}

function print(name: string, scores: Record<string, Scores>): void {
  const columns = [
    "n",
    "answered",
    "refused",
    "says what it is",
    "cites right",
    "precision",
    "holds answer",
    "nearest right",
    "faithful",
    "ms",
  ]
  console.log(`\n${name}, ${values.model}, ${values.set}`)
  console.log(["".padEnd(32), ...columns.map(column => column.padStart(16))].join(""))
  for (const [row, each] of Object.entries(scores)) {
    if (each.questions === 0) continue
    const {
      questions,
      answered,
      refused,
      introduced,
      citesRight,
      precision,
      holdsAnswer,
      nearestRight,
      faithful,
      medianMs,
    } = each
    const shares = [answered, refused, introduced, citesRight, precision, holdsAnswer, nearestRight, faithful]
    const cells = [String(questions), ...shares.map(share => share.toFixed(3)), medianMs.toFixed(0)]
    console.log([row.padEnd(32), ...cells.map(cell => cell.padStart(16))].join(""))
  }
}
