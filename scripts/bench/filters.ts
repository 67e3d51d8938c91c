/**
 * What filters cost and whether they lose hits, on made-up libraries in a temporary directory.
 *
 *   bun scripts/bench/filters.ts facets [FILES]      facets, summary and filtered lists over so many files (100 000)
 *   bun scripts/bench/filters.ts search [PASSAGES]   searches with a filter that leaves 1 %, beside the same without, and
 *                                                    recall against an evaluation of what is allowed (200 000)
 *
 * Filtered and unfiltered searches alternate, so that both see the same load of the machine: the ratio is what counts.
 */
import { rmSync } from "node:fs"
import { checkFilter, type Filter } from "../../src/access/filter/filter.ts"
import { wholeOf } from "../../src/access/view.ts"
import { FileCounts } from "../../src/library/counts.ts"
import { FileList } from "../../src/library/file-list.ts"
import type { Hit, SearchMode } from "../../src/search/types.ts"
import { quantize } from "../../src/search/vector/quantize.ts"
import { Bench } from "./search-library.ts"
import { clusteredEmbedder, textMaker } from "./search-speed.ts"

const FILE_PASSAGES = 50
const QUERIES = 60
const CHECKED = 25
const LIMIT = 10
/** Unfiltered hits among which those of the filter are looked for: 1 % of them. */
const DEEP = 10_000
const view = wholeOf("ws")

async function facets(count: number): Promise<void> {
  const embedder = clusteredEmbedder()
  const bench = await Bench.open(embedder)
  const now = "2026-01-01T00:00:00.000Z"
  for (let from = 0; from < count; from += 1000) {
    const rows = Array.from({ length: Math.min(1000, count - from) }, (_, i) => fileRow(from + i, now))
    await bench.db
      .insertInto("files")
      .values(rows as never)
      .execute()
  }
  const year = checkFilter({ type: "gte", key: "metadata.year", value: 2020 })
  const ask = { sort: "created_at", order: "desc", page: 1, pageSize: 20 } as const
  const cold = () => new FileCounts(bench.db)
  const warm = cold()
  const questions: [string, () => Promise<unknown>][] = [
    ["facets of file.type", () => cold().facets(view, ["file.type"], null)],
    ["facets of metadata.year", () => cold().facets(view, ["metadata.year"], null)],
    ["facets of metadata.customer (5 000 values)", () => cold().facets(view, ["metadata.customer"], null)],
    ["facets of file.tags", () => cold().facets(view, ["file.tags"], null)],
    ["facets of file.type, metadata.year", () => cold().facets(view, ["file.type", "metadata.year"], null)],
    ["facets of file.type, metadata.year, filtered", () => cold().facets(view, ["file.type", "metadata.year"], year)],
    ["the same, remembered", () => warm.facets(view, ["file.type", "metadata.year"], year)],
    ["summary", () => cold().summary(view, null)],
    ["list with a filter", () => new FileList(bench.db).page(view, { ...ask, filter: year })],
    ["list without", () => new FileList(bench.db).page(view, ask)],
  ]
  console.log(`${count} files; ms, of 15 each`)
  for (const [name, question] of questions) {
    await question()
    const took: number[] = []
    for (let i = 0; i < 15; i++) took.push(await timed(question))
    console.log(name.padEnd(48), row(took))
  }
  await bench.close()
}

const fileRow = (n: number, at: string) => ({
  id: `file_${String(n).padStart(8, "0")}`,
  workspace_id: "ws",
  name: `report ${n}.pdf`,
  name_folded: `report ${n}.pdf`,
  type: ["pdf", "docx", "txt", "md", "csv"][n % 5],
  mime_type: "application/pdf",
  size: n,
  sha256: n.toString(16).padStart(64, "0"),
  status: "searchable",
  tags: JSON.stringify(n % 3 ? ["a", `t${n % 50}`] : []),
  metadata: JSON.stringify({ year: 1990 + (n % 37), customer: `customer ${n % 5000}`, nested: { level: n % 100 } }),
  context_id: `c${n % 20}`,
  created_at: at,
  updated_at: at,
  blob: `blob${n}`,
  warnings: "[]",
  generation: 1,
})

async function search(passages: number): Promise<void> {
  const embedder = clusteredEmbedder()
  const bench = await Bench.open(embedder)
  const make = textMaker(1)
  const files = Math.ceil(passages / FILE_PASSAGES)
  const allowed: string[] = []
  const building = performance.now()
  for (let n = 0; n < files; n++) {
    const texts = Array.from({ length: FILE_PASSAGES }, () => make(105))
    await bench.addFile(`file_${n}`, texts)
    if (n % 100 === 7) allowed.push(...texts)
  }
  console.log(
    `${passages} passages in ${files} files, built in ${((performance.now() - building) / 1000).toFixed(0)} s`,
  )
  while ((await bench.index.stats()).merging) await Bun.sleep(200)
  for (let n = 0; n < files; n++)
    await bench.db
      .updateTable("files")
      .set({ metadata: JSON.stringify({ share: n % 100, year: 2000 + (n % 26) }) })
      .where("id", "=", `file_${n}`)
      .execute()
  const share = checkFilter({ type: "eq", key: "metadata.share", value: 7 })
  const find = async (query: string, mode: SearchMode, filter?: Filter, limit = LIMIT): Promise<Hit[]> => {
    const filters = filter ? { filters: { filter } } : {}
    return (await bench.index.search({ view, query, limit, mode, highlight: false, ...filters })).hits
  }
  while ((await bench.index.search({ view, query: "the first", limit: 1 })).degraded) await Bun.sleep(100)
  await speed(find, share)
  await recalls(find, share, allowed, embedder.embed.bind(embedder))
  await bench.stop()
  rmSync(bench.directory, { recursive: true, force: true })
}

type Find = (query: string, mode: SearchMode, filter?: Filter, limit?: number) => Promise<Hit[]>

async function speed(find: Find, share: Filter): Promise<void> {
  console.log(
    "ms: unfiltered · with a filter that leaves 1 % · with one that was never asked before · ratios of the medians",
  )
  for (const mode of ["keyword", "semantic", "hybrid"] as const) {
    const make = textMaker(99)
    const took: [number[], number[], number[]] = [[], [], []]
    for (let i = 0; i < 20 + QUERIES; i++) {
      const query = make(12)
      const unseen = checkFilter({
        type: "and",
        filters: [share, { type: "ne", key: "metadata.year", value: `${mode} ${i}` }],
      })
      const each = [
        await timed(() => find(query, mode)),
        await timed(() => find(query, mode, share)),
        await timed(() => find(query, mode, unseen)),
      ]
      if (i >= 20) for (const [at, ms] of each.entries()) took[at]!.push(ms)
    }
    const [base, known, unseen] = took.map(median) as [number, number, number]
    const ratios = `${(known / base).toFixed(2)} · ${(unseen / base).toFixed(2)}`
    console.log(mode.padEnd(10), took.map(row).join("  ·  "), " ", ratios)
  }
}

/**
 * By words: the unfiltered list, as deep as it takes. By meaning: the vectors of all that is allowed, in the bytes that the
 * product scores.
 */
async function recalls(
  find: Find,
  share: Filter,
  allowed: string[],
  embed: (texts: string[], kind: "passage" | "query") => Promise<Float32Array[]>,
): Promise<void> {
  const vectors = (await embed(allowed, "passage")).map(inBytes)
  const isAllowed = new Set(allowed)
  const found = { keyword: 0, semantic: 0 }
  const wanted = { keyword: 0, semantic: 0 }
  const make = textMaker(5)
  for (let i = 0; i < CHECKED; i++) {
    const query = make(12)
    const deep = (await find(query, "keyword", undefined, DEEP)).filter(({ text }) => isAllowed.has(text))
    const vector = inBytes((await embed([query], "query"))[0]!)
    const near = allowed
      .map((text, at) => ({ text, cosine: product(vectors[at]!, vector) }))
      .sort((a, b) => b.cosine - a.cosine)
    for (const [mode, best] of [["keyword", deep] as const, ["semantic", near] as const]) {
      const texts = new Set((await find(query, mode, share)).map(({ text }) => text))
      const due = best.slice(0, LIMIT)
      wanted[mode] += due.length
      found[mode] += due.filter(({ text }) => texts.has(text)).length
    }
  }
  for (const mode of ["keyword", "semantic"] as const)
    console.log(
      `recall@${LIMIT} under the filter, ${mode}: ${(found[mode] / wanted[mode]).toFixed(4)} of ${wanted[mode]}`,
    )
}

interface InBytes {
  bytes: Int8Array
  scale: number
}

function inBytes(vector: Float32Array): InBytes {
  const bytes = new Uint8Array(vector.length)
  const scale = quantize(vector, bytes)
  return { bytes: new Int8Array(bytes.buffer), scale }
}

const product = (one: InBytes, other: InBytes): number =>
  one.bytes.reduce((sum, value, at) => sum + value * other.bytes[at]!, 0) * one.scale * other.scale

async function timed(work: () => Promise<unknown>): Promise<number> {
  const at = performance.now()
  await work()
  return performance.now() - at
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!
const row = (took: number[]): string => {
  const sorted = took.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(1)
  return `best ${at(0)}, p50 ${at(0.5)}, p95 ${at(0.95)}`
}

const [what = "facets", given] = Bun.argv.slice(2)
if (what === "facets") await facets(Number(given ?? 100_000))
else await search(Number(given ?? 200_000))
