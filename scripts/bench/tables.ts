/**
 * How long statements over a table of 50 000 rows and 20 columns take: the first, which reads the file, and the next.
 *
 *     bun scripts/bench/tables.ts
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as XLSX from "@e965/xlsx"
import { TableProcesses } from "../../src/tools/table-reader.ts"

const ROWS = 50_000
const COLUMNS = 20
const STATEMENT = "select region, count(*), round(sum(amount), 2) from data group by region order by 1"
const folder = mkdtempSync(join(tmpdir(), "carrel-tables-"))
const header = ["order", "region", "amount", ...Array.from({ length: COLUMNS - 3 }, (_, at) => `note ${at + 1}`)]
const rows = Array.from({ length: ROWS }, (_, at) => [
  at + 1,
  ["North", "South", "East", "West"][at % 4]!,
  (at + 1) / 100,
  ...Array.from({ length: COLUMNS - 3 }, (_, column) => `value ${(at * 7 + column) % 1000}`),
])
writeFileSync(join(folder, "orders.csv"), [header, ...rows].map(row => row.join(",")).join("\n"))
const book = XLSX.utils.book_new()
XLSX.utils.book_append_sheet(book, XLSX.utils.aoa_to_sheet([header, ...rows]), "Orders")
writeFileSync(join(folder, "orders.xlsx"), XLSX.write(book, { type: "buffer", bookType: "xlsx", compression: true }))

/** Without mapped files, of all processes that keep a table. */
async function residentMb(pids: readonly number[]): Promise<number> {
  const texts = await Promise.all(pids.map(pid => readFile(`/proc/${pid}/status`, "latin1")))
  return Math.round(texts.reduce((sum, text) => sum + Number(/^RssAnon:\s+(\d+)/m.exec(text)?.[1] ?? 0), 0) / 1024)
}

const signal = new AbortController().signal
for (const type of ["csv", "xlsx"]) {
  const tables = new TableProcesses()
  const path = join(folder, `orders.${type}`)
  const file = {
    version: path,
    local: async () => ({ path, [Symbol.asyncDispose]: async () => {} }),
    listen: () => () => {},
  }
  const times: number[] = []
  for (let statement = 0; statement < 11; statement++) {
    const began = performance.now()
    await tables.read(file, { type, sql: STATEMENT, maxRows: 10, maxCharacters: 1_000 }, "ws", signal)
    times.push(performance.now() - began)
  }
  const [first, ...next] = times
  const median = next.sort((left, right) => left - right)[5]!
  const kept = await residentMb(tables.pids)
  console.log(`${type}: first ${(first! / 1000).toFixed(2)} s, next ${median.toFixed(0)} ms, kept ${kept} MB`)
  await tables.stop()
}
rmSync(folder, { recursive: true })
