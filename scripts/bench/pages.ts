/**
 * How long people wait for a page: first and later looks at pages of PDF files with text, scans and pictures, with a passage
 * marked and without, alone and while books of scans are read; and what the words of scanned pages take on disk.
 *
 *   bun scripts/bench/pages.ts [--documents ../shared/data/documents] [--scans 40] [--callers 20]
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { Glob } from "bun"
import { scans } from "../../test/ingest/formats/pdf-writer.ts"
import { startTestApp } from "../../test/support/app.ts"
import { until } from "../../test/support/until.ts"

const { values } = parseArgs({
  options: {
    documents: { type: "string", default: "../shared/data/documents" },
    scans: { type: "string", default: "40" },
    callers: { type: "string", default: "20" },
  },
})
const CALLERS = Math.min(100, Number(values.callers))
const SCANS = Math.min(200, Number(values.scans))
const MAX_PAGES = 15
const MOST_MS = 600_000

interface Page {
  file: string
  page: number
  ocr: boolean
  start: number
  end: number
}

const app = await startTestApp({ "index-workers": "1" })
const client = await app.client()
/** Recognition takes minutes on a busy machine. */
const settled = (id: string) =>
  until(
    async () => {
      const { body: record } = await client.get(`/libraries/${id}`)
      return (record.status === "searchable" || record.status === "failed") && record
    },
    { within: MOST_MS, everyMs: 250 },
  )
const folder = resolve(values.documents)
const names = [...new Glob("**/*.{pdf,png,jpg,jpeg,webp}").scanSync(folder)].sort()
const uploaded = await client.upload(
  names.map(name => ({ name: name.replaceAll("/", "-"), data: readFileSync(join(folder, name)) })),
)
const pages: Page[] = []
for (const { id } of uploaded.body.files) {
  if ((await settled(id)).status !== "searchable") continue
  const { body } = await client.get(`/libraries/${id}/pages`)
  let start = 0
  for (const { page, characters, ocr } of body.slice(0, MAX_PAGES)) {
    pages.push({ file: id, page, ocr, start, end: start + characters })
    start += characters + 2
  }
}

/** Milliseconds of each, sorted. */
async function looks(all: readonly Page[], path: (page: Page) => string, callers = 1): Promise<number[]> {
  const left = all.values()
  const times: number[] = []
  const look = async () => {
    for (const page of left) {
      const began = performance.now()
      const response = await client.raw("GET", `/libraries/${page.file}/pages/${path(page)}`)
      await response.bytes()
      if (response.status === 200) times.push(performance.now() - began)
      else console.log(`  ${response.status} for ${path(page)}`)
    }
  }
  await Promise.all(Array.from({ length: callers }, look))
  return times.sort((a, b) => a - b)
}

function tell(what: string, times: readonly number[]): void {
  const at = (share: number) => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0)
  console.log(
    `${what.padEnd(58)} ${String(times.length).padStart(4)}  p50 ${at(0.5)} ms  p95 ${at(0.95)} ms  most ${at(1)} ms`,
  )
}

const marked = ({ page, start, end }: Page, width: number) => {
  const middle = Math.floor((start + end) / 2)
  return `${page}.png?width=${width}&start=${middle}&end=${middle + 200}`
}
const texts = pages.filter(({ ocr }) => !ocr)
const recognized = pages.filter(({ ocr }) => ocr)
tell("text pages, 1200 px", await looks(texts, ({ page }) => `${page}.png?width=1200`))
tell("the same again", await looks(texts, ({ page }) => `${page}.png?width=1200`))
tell("text pages, 1200 px, marked", await looks(texts, page => marked(page, 1200)))
tell("text pages, 2400 px, marked", await looks(texts, page => marked(page, 2400)))
tell("marks of text pages", await looks(texts, ({ page, start, end }) => `${page}/marks?start=${start}&end=${end - 1}`))
tell("scans and pictures, 1200 px, marked", await looks(recognized, page => marked(page, 1200)))
tell(
  "marks of scans and pictures",
  await looks(recognized, ({ page, start, end }) => `${page}/marks?start=${start}&end=${end - 1}`),
)
tell(`text pages, 1000 px, ${CALLERS} callers`, await looks(texts, ({ page }) => `${page}.png?width=1000`, CALLERS))

const { body } = await client.upload([{ name: "book.pdf", data: scans(SCANS, page => 100 + page) }])
await Bun.sleep(3_000)
tell("text pages, 1100 px, marked, while a book is recognized", await looks(texts, page => marked(page, 1100)))
tell(`the same, 900 px, ${CALLERS} callers`, await looks(texts, page => marked(page, 900), CALLERS))
const book = await settled(body.files[0].id)
const layout = sizeOf(`${book.id}.`, ".pages")
console.log(
  `${book.ocr_page_count} scanned pages with ${book.character_count} characters: layout of ${layout} bytes, text of ${sizeOf(`${book.id}.`, ".txt")}`,
)
await app.stop()

function sizeOf(begins: string, ends: string): number {
  for (const fan of readdirSync(join(app.data, "texts")))
    for (const name of readdirSync(join(app.data, "texts", fan)))
      if (name.startsWith(begins) && name.endsWith(ends)) return statSync(join(app.data, "texts", fan, name)).size
  return 0
}
