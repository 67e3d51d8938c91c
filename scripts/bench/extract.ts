/**
 * Recall and speed of the readers, per format, over a folder of documents that have a reference text beside them
 * (`report.pdf` and `report.pdf.ref.txt`; an empty reference means that an error is expected). Files below a folder
 * `hard` are counted apart. Word recall: the share of the reference's words, counted with repetition, that was found.
 *
 *   bun scripts/bench/extract.ts ../shared/data/documents [--files] [--only pdf,docx]
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { findExtension } from "../../src/ingest/formats/formats.ts"
import { ReaderPool } from "../../src/ingest/process/reader-pool.ts"
import { scratchFile } from "../../src/storage/blobs/scratch.ts"
import { ExtractionError } from "../../src/storage/document.ts"

interface Outcome {
  path: string
  group: string
  bytes: number
  ms: number
  /** Undefined where the reference is empty or nothing was read. */
  recall: number | undefined
  expectsText: boolean
  error: string | undefined
}

const [folder = ".", ...flags] = process.argv.slice(2)
const only = flags.includes("--only") ? flags[flags.indexOf("--only") + 1]!.split(",") : undefined
const pool = new ReaderPool({
  size: 1,
  memoryLimitBytes: 1_000_000_000,
  makeFile: () => scratchFile(tmpdir()),
})

function* documents(directory: string): Generator<string> {
  for (const entry of readdirSync(directory, { withFileTypes: true }).sort((a, b) => a.name.localeCompare(b.name))) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) yield* documents(path)
    else if (!entry.name.endsWith(".ref.txt") && findExtension(entry.name)) yield path
  }
}

const words = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? []

function recallOf(reference: string, text: string): number {
  const found = new Map<string, number>()
  for (const word of words(text)) found.set(word, (found.get(word) ?? 0) + 1)
  const wanted = words(reference)
  let hits = 0
  for (const word of wanted) {
    const left = found.get(word) ?? 0
    if (left > 0) hits++
    found.set(word, left - 1)
  }
  return hits / wanted.length
}

async function measure(path: string): Promise<Outcome | undefined> {
  const type = findExtension(path)!
  if (only && !only.includes(type)) return undefined
  let reference: string
  try {
    reference = readFileSync(`${path}.ref.txt`, "utf8")
  } catch {
    return undefined
  }
  const { size } = statSync(path)
  const expectsText = words(reference).length > 0
  const hard = path.split("/").includes("hard")
  const base = { path: relative(folder, path), group: `${hard ? "hard/" : ""}${type}`, bytes: size, expectsText }
  const start = performance.now()
  try {
    const document = await pool.read({ path, name: path, type, size }, () => {}, new AbortController().signal)
    const ms = performance.now() - start
    const recall = expectsText ? recallOf(reference, await Bun.file(document.textPath).text()) : undefined
    await document.close()
    return { ...base, ms, recall, error: undefined }
  } catch (error) {
    const code = error instanceof ExtractionError ? error.code : String(error)
    return { ...base, ms: performance.now() - start, recall: expectsText ? 0 : undefined, error: code }
  }
}

const quantile = (sorted: number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
const shown = (value: number | undefined) => (value === undefined ? "–" : value.toFixed(3))

const groups = new Map<string, Outcome[]>()
for (const path of documents(folder)) {
  const outcome = await measure(path)
  if (!outcome) continue
  const { group, recall, error, ms } = outcome
  groups.set(group, [...(groups.get(group) ?? []), outcome])
  if (flags.includes("--files")) console.log(`${outcome.path}\t${shown(recall)}\t${error ?? "ok"}\t${ms.toFixed(0)} ms`)
}
await pool.stop()

console.log("format\tfiles\tread %\trecall median\tp10\tworst\tms median\tMB/s\terrors")
for (const [group, outcomes] of [...groups].sort(
  ([a], [b]) => Number(a.startsWith("hard")) - Number(b.startsWith("hard")) || a.localeCompare(b),
)) {
  const recalls = outcomes.flatMap(({ recall }) => (recall === undefined ? [] : [recall])).sort((a, b) => a - b)
  const times = outcomes.map(({ ms }) => ms).sort((a, b) => a - b)
  const read = outcomes.filter(({ error, expectsText }) => !error || !expectsText).length / outcomes.length
  const speed = outcomes.reduce((sum, { bytes }) => sum + bytes, 0) / 1000 / times.reduce((sum, ms) => sum + ms, 0)
  const errors = outcomes.flatMap(({ error }) => (error ? [error] : [])).join(" ")
  const cells = [
    group,
    outcomes.length,
    (read * 100).toFixed(0),
    shown(quantile(recalls, 0.5)),
    shown(quantile(recalls, 0.1)),
    shown(recalls[0]),
  ]
  console.log([...cells, quantile(times, 0.5)!.toFixed(0), speed.toFixed(1), errors].join("\t"))
}
