/**
 * Character accuracy of OCR by language, on pages that are drawn here: as they are, askew, on their head, on their side, at 110
 * dots per inch, in two languages, and as a PDF of scans. All languages of a pack are installed for every page, and none is
 * named: choosing them is part of what is measured. Each page is a file of its own; the PDF shows what following pages cost.
 *
 *   npm run packs && bun scripts/bench/ocr.ts [--pack dist/carrel-ocr-all.pack] [--only rus,jpn] [--json FILE]
 *
 * Accuracy: 1 less the edits (insertions, deletions, replacements of a character) for each character of the text, blanks
 * counted as one, those between signs of Chinese and Japanese left out. Needs Debian's chromium, fonts-noto-core, fonts-noto-cjk.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { extractDocument } from "../../src/ingest/formats/extract.ts"
import { Ocr } from "../../src/ingest/formats/ocr/ocr.ts"
import { addPack } from "../../src/storage/packs/add.ts"
import { openBrowser, type RenderedPage, renderPage, renderPdf, type Spoiling } from "./ocr/render.ts"
import { MIXED, TEXTS } from "./ocr/texts.ts"

const KINDS: Record<string, Spoiling> = {
  straight: {},
  askew: { turned: 5 },
  head: { turned: 180 },
  low: { dpi: 110 },
}

const { values } = parseArgs({
  options: {
    pack: { type: "string", default: "dist/carrel-ocr-all.pack" },
    only: { type: "string" },
    json: { type: "string" },
  },
})
const folder = mkdtempSync(join(tmpdir(), "carrel-ocr-bench-"))
await addPack(resolve(values.pack), folder)
const ocr = new Ocr({ packs: [folder] })
const browser = await openBrowser()
const wanted = (page: string) => !values.only || values.only.split(",").includes(page)
const results: Record<string, Record<string, { accuracy: number; cpuSeconds: number }>> = {}

async function measure(page: string, kind: string, read: () => Promise<string>, text: string): Promise<void> {
  ocr.beginFile()
  const before = process.cpuUsage()
  const found = await read().catch(() => "")
  const { user, system } = process.cpuUsage(before)
  results[page] ??= {}
  results[page][kind] = { accuracy: accuracyOf(text, found), cpuSeconds: (user + system) / 1e6 }
}

const readPage = ({ png }: RenderedPage) => ocr.recognize(png).then(({ text }) => text)

async function readPdf(pdf: Uint8Array): Promise<string> {
  const { text } = await extractDocument({ name: "scans.pdf", bytes: pdf }, "pdf", {
    onProgress() {},
    onOcrExpected() {},
    pause: async () => {},
    recognize: image => ocr.recognize(image),
  })
  return text
}

for (const page of Object.keys(TEXTS).filter(wanted)) {
  for (const [kind, spoiling] of Object.entries(KINDS)) {
    const rendered = await renderPage(browser, page, spoiling)
    await measure(page, kind, () => readPage(rendered), rendered.text)
  }
  // Three pages that show the same would be read once.
  const pages = await Promise.all([200, 190, 210].map(dpi => renderPage(browser, page, { dpi })))
  const text = pages.map(rendered => rendered.text).join("\n")
  const pdf = await renderPdf(browser, pages)
  await measure(page, "pdf of 3", () => readPdf(pdf), text)
  print(page)
}
for (const page of Object.keys(MIXED).filter(wanted)) {
  const rendered = await renderPage(browser, page)
  await measure(page, "straight", () => readPage(rendered), rendered.text)
  print(page)
}
await browser.close()
rmSync(folder, { recursive: true, force: true })
if (values.json) writeFileSync(values.json, JSON.stringify(results, null, 2))

function print(page: string): void {
  const cells = Object.entries(results[page]!).map(
    ([kind, { accuracy, cpuSeconds }]) => `${kind} ${accuracy.toFixed(3)} (${cpuSeconds.toFixed(1)} s)`,
  )
  console.log(`${page.padEnd(8)} ${cells.join("  ")}`)
}

function accuracyOf(text: string, found: string): number {
  const [wanted, read] = [[...plain(text)], [...plain(found)]]
  let row = Array.from({ length: read.length + 1 }, (_, i) => i)
  for (const [i, character] of wanted.entries()) {
    const next = [i + 1]
    for (let j = 1; j <= read.length; j++)
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (character === read[j - 1] ? 0 : 1))
    row = next
  }
  return Math.max(0, 1 - row[read.length]! / wanted.length)
}

function plain(text: string): string {
  const sign = "[\\p{sc=Han}\\p{scx=Hiragana}\\p{scx=Katakana},.]"
  return text
    .normalize("NFKC")
    .replace(/[\u200e\u200f]/g, "")
    .replace(/\s+/g, " ")
    .replace(new RegExp(`(?<=${sign.replace(",.", "")}[,.]?) (?=${sign.replace(",.", "")})`, "gu"), "")
    .trim()
}
