/**
 * How well and how fast redaction finds what it should.
 *
 *     bun scripts/bench/redaction.ts DEV.json [MODELS_DIR] [--misses KIND]
 *
 * DEV.json: labelled sentences in the form of presidio-research (`full_text`, `spans`). Two counts are printed: spans
 * (found when half of its characters are covered by the right kind; a find is right when it touches a label of its kind)
 * and characters. Labels of kinds that are not redacted count neither for nor against.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findEntityFolder, WorkerEntityModel } from "../../src/backends/entity-model.ts"
import { type Entity, parseRedaction, Redactor } from "../../src/redaction/redact.ts"

const KIND_OF_LABEL: Record<string, string> = {
  PERSON: "NAME",
  ADDRESS: "ADDRESS",
  STREET_ADDRESS: "ADDRESS",
  PHONE_NUMBER: "PHONE",
  EMAIL_ADDRESS: "EMAIL",
  CREDIT_CARD: "CREDIT_CARD",
  IBAN_CODE: "BANK_ACCOUNT",
}
const KINDS = ["EMAIL", "CREDIT_CARD", "BANK_ACCOUNT", "PHONE", "NAME", "ADDRESS"]

interface Sample {
  full_text: string
  spans: { entity_type: string; start_position: number; end_position: number }[]
}
interface Tally {
  right: number
  wrong: number
  found: number
  missed: number
}
type Span = { start: number; end: number; kind: string }

const args = process.argv.slice(2)
const missesOf = args.includes("--misses") ? args[args.indexOf("--misses") + 1] : undefined
const [file, modelsDirectory = new URL("../../models", import.meta.url).pathname] = args
if (!file) throw new Error("usage: bun scripts/bench/redaction.ts DEV.json [MODELS_DIR] [--misses KIND]")

const nativeDirectory = mkdtempSync(join(tmpdir(), "carrel-bench-"))
const folder = findEntityFolder([modelsDirectory])
if (!folder) throw new Error(`no entity model in ${modelsDirectory}`)
const model = new WorkerEntityModel(folder, { nativeDirectory })
await model.load()
const redactor = new Redactor({ entityModel: model })
const policy = parseRedaction(true, false)!

const samples = (await Bun.file(file).json()) as Sample[]
const spans = Object.fromEntries(KINDS.map(kind => [kind, emptyTally()]))
const characters = Object.fromEntries(KINDS.map(kind => [kind, emptyTally()]))
const began = performance.now()
for (const sample of samples) {
  const labels = sample.spans.map(span => ({
    start: span.start_position,
    end: span.end_position,
    kind: KIND_OF_LABEL[span.entity_type] ?? "OTHER",
  }))
  const { entities } = await redactor.redact(sample.full_text, policy)
  for (const kind of KINDS) {
    countSpans(kind, sample.full_text, labels, entities)
    countCharacters(kind, sample.full_text, labels, entities)
  }
}
const seconds = (performance.now() - began) / 1000
report("spans", spans)
report("characters", characters)
console.log(`\n${samples.length} texts in ${seconds.toFixed(1)} s with ${model.model}`)
await speed()
await model.close()
rmSync(nativeDirectory, { recursive: true, force: true })

function countSpans(kind: string, text: string, labels: Span[], entities: Entity[]): void {
  const tally = spans[kind]!
  const mine = entities.filter(entity => entity.kind === kind)
  for (const label of labels.filter(label => label.kind === kind)) {
    const covered = mine.reduce((sum, entity) => sum + shared(entity, label), 0)
    const found = covered * 2 >= label.end - label.start
    tally[found ? "found" : "missed"]++
    if (!found && kind === missesOf)
      console.log(
        "missed",
        JSON.stringify(text.slice(label.start, label.end)),
        "in",
        JSON.stringify(text.slice(0, 140)),
      )
  }
  for (const entity of mine) {
    const touched = labels.filter(label => shared(entity, label) > 0)
    if (touched.some(label => label.kind === kind)) tally.right++
    else if (!touched.some(label => label.kind === "OTHER")) {
      tally.wrong++
      if (kind === missesOf)
        console.log(
          "wrong ",
          JSON.stringify(text.slice(entity.start, entity.end)),
          "in",
          JSON.stringify(text.slice(0, 140)),
        )
    }
  }
}

function countCharacters(kind: string, text: string, labels: Span[], entities: Entity[]): void {
  const tally = characters[kind]!
  for (let at = 0; at < text.length; at++) {
    if (!/[\p{L}\p{N}]/u.test(text[at]!)) continue
    const label = labels.find(span => span.start <= at && at < span.end)?.kind
    const guess = entities.find(span => span.start <= at && at < span.end)?.kind
    if (label === "OTHER") continue
    if (label === kind) tally[guess === kind ? "found" : "missed"]++
    if (guess === kind) tally[label === kind ? "right" : "wrong"]++
  }
}

function report(title: string, tallies: Record<string, Tally>): void {
  console.log(`\n${title.padEnd(14)} precision  recall    F2`)
  const all = emptyTally()
  for (const [kind, tally] of Object.entries(tallies)) {
    for (const key of Object.keys(all) as (keyof Tally)[]) all[key] += tally[key]
    line(kind, tally)
  }
  line("all", all)
}

function line(name: string, { right, wrong, found, missed }: Tally): void {
  const precision = right / Math.max(1, right + wrong)
  const recall = found / Math.max(1, found + missed)
  const f2 = (5 * precision * recall) / Math.max(1e-9, 4 * precision + recall)
  console.log(`${name.padEnd(14)} ${[precision, recall, f2].map(value => value.toFixed(3).padStart(8)).join(" ")}`)
}

/** Whole texts of 100 KB; and how long a stream in which little is found holds each delta back. */
async function speed(): Promise<void> {
  const text = samples.map(sample => sample.full_text).join("\n")
  const part = text.slice(0, 100_000)
  const plain = "The quick fox jumps over the lazy dog while the committee reviews version 2.3.4 of the long report. "
  for (const [name, sample] of [
    ["labelled sentences", part],
    ["plain prose", plain.repeat(1000).slice(0, 100_000)],
  ] as const) {
    const start = performance.now()
    await redactor.redact(sample, policy)
    const took = performance.now() - start
    console.log(`100 KB of ${name}: ${took.toFixed(0)} ms, ${(sample.length / 1000 / took).toFixed(2)} MB/s`)
  }
  const stream = redactor.stream(policy)
  const times: number[] = []
  for (const delta of plain.repeat(10).match(/\s?\S+/g)!) {
    const start = performance.now()
    await stream.push(delta)
    times.push(performance.now() - start)
  }
  times.sort((a, b) => a - b)
  console.log(
    `push of one word: median ${times[times.length >> 1]!.toFixed(2)} ms, worst ${times.at(-1)!.toFixed(1)} ms`,
  )
}

function emptyTally(): Tally {
  return { right: 0, wrong: 0, found: 0, missed: 0 }
}

function shared(a: { start: number; end: number }, b: { start: number; end: number }): number {
  return Math.max(0, Math.min(a.end, b.end) - Math.max(a.start, b.start))
}
