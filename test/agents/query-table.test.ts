import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as XLSX from "@e965/xlsx"
import iconv from "iconv-lite"
import { wholeOf } from "../../src/access/view.ts"
import { Passages } from "../../src/grounding/passages.ts"
import { TOOLS } from "../../src/tools/index.ts"
import { answer } from "../../src/tools/table-process.ts"
import { type TableFile, TableProcesses } from "../../src/tools/table-reader.ts"
import { callTool, type Tool, type ToolContext } from "../../src/tools/tool.ts"
import { biff5 } from "../ingest/formats/office-writer.ts"
import { rejection } from "../support/rejection.ts"
import { until } from "../support/until.ts"
import { memoryLibrary } from "./support.ts"

const folder = mkdtempSync(join(tmpdir(), "carrel-tables-"))
const path = (name: string): string => join(folder, name)

beforeAll(() => {
  writeFileSync(
    path("sales.csv"),
    'region;amount;"unit price";code;day\nNorth;3;"1,200.50";007;2024-01-31\nSouth;4;0.1;008;2024-02-29\nSouth;;0.2;009;\n',
  )
  writeFileSync(path("latin.csv"), Buffer.from("name,city\nJosé,Málaga\n", "latin1"))
  writeFileSync(
    path("postal.csv"),
    iconv.encode(
      '郵便番号,カナ,都道府県,市区町村\n"0600000","ｻｯﾎﾟﾛｼﾁｭｳｵｳｸ",北海道,札幌市中央区\n"0400000","ﾊｺﾀﾞﾃｼ",北海道,函館市\n',
      "shift_jis",
    ),
  )
  writeFileSync(path("rent.xls"), biff5("windows-1251", 1252, ["Компания", "Аренда помещения", "Лист"]))
  copyFileSync(join(import.meta.dir, "../fixtures/documents/protected.xlsx"), path("protected.xlsx"))
  writeFileSync(path("empty.csv"), "\n\n")
  const book = XLSX.utils.book_new()
  const first = XLSX.utils.aoa_to_sheet([
    ["Report 2024"],
    [],
    ["item", "count", "price", "sold on"],
    ["pen", 3, 1.25, new Date(Date.UTC(2024, 0, 31))],
    ["ink", 4, 2.5, null],
  ])
  XLSX.utils.book_append_sheet(book, first, "Stock")
  XLSX.utils.book_append_sheet(book, XLSX.utils.aoa_to_sheet([["a"], [1]]), "Other")
  writeFileSync(path("stock.xlsx"), XLSX.write(book, { type: "buffer", bookType: "xlsx" }))
  writeFileSync(path("stock.xls"), XLSX.write(book, { type: "buffer", bookType: "biff8" }))
  writeFileSync(path("broken.xlsx"), "PK\u0003\u0004 this is no workbook")
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const ask = (name: string, sql: string, more: { sheet?: string; maxRows?: number } = {}) =>
  answer({ type: name.split(".")[1]!, sql, maxRows: 100, maxCharacters: 10_000, ...more }, readFileSync(path(name)))

test("letters are those of the index: old code pages of csv and xls, and what everyone may unlock", async () => {
  const { rows: postal } = (await ask("postal.csv", 'select "市区町村", "カナ" from data order by 1')) as {
    rows: unknown[]
  }
  expect(postal).toEqual([
    ["函館市", "ﾊｺﾀﾞﾃｼ"],
    ["札幌市中央区", "ｻｯﾎﾟﾛｼﾁｭｳｵｳｸ"],
  ])
  expect(await ask("rent.xls", "select * from data", { sheet: "Лист" })).toMatchObject({
    columns: ["Компания", "1"],
    rows: [["Аренда помещения", 310]],
    table: { sheets: ["Лист"] },
  })
  expect(await ask("protected.xlsx", "select * from data")).toMatchObject({ rows: [["Attic", 310]] })
})

test("types are inferred per column, blanks are null, codes keep their zeros", async () => {
  expect(await ask("sales.csv", "select * from data")).toMatchObject({
    ok: true,
    columns: ["region", "amount", "unit price", "code", "day"],
    rows: [
      ["North", 3, 1200.5, "007", "2024-01-31"],
      ["South", 4, 0.1, "008", "2024-02-29"],
      ["South", null, 0.2, "009", null],
    ],
    table: {
      rowCount: 3,
      columns: [{ type: "TEXT" }, { type: "INTEGER" }, { type: "REAL" }, { type: "TEXT" }, { type: "TEXT" }],
    },
  })
  expect(await ask("sales.csv", 'select region, sum("unit price") from data group by region order by 1')).toMatchObject(
    {
      rows: [
        ["North", 1200.5],
        ["South", 0.3],
      ],
    },
  )
  expect(await ask("latin.csv", "select name from data")).toMatchObject({ rows: [["José"]] })
})

test.each(["stock.xlsx", "stock.xls"])(
  "%s: the header is found under a title, dates read as dates, sheets are chosen by name",
  async name => {
    const reply = await ask(name, "select * from data")
    expect(reply).toMatchObject({
      ok: true,
      columns: ["item", "count", "price", "sold on"],
      rows: [
        ["pen", 3, 1.25, "2024-01-31"],
        ["ink", 4, 2.5, null],
      ],
      table: { sheets: ["Stock", "Other"] },
    })
    expect(await ask(name, "select * from data", { sheet: "other" })).toMatchObject({ columns: ["a"], rows: [[1]] })
    expect(await ask(name, "select * from data", { sheet: "None" })).toMatchObject({
      ok: false,
      problem: 'There is no sheet "None"; the sheets are "Stock", "Other".',
    })
  },
)

test.each([
  "delete from data",
  "insert into data values (1,2,3,4,5) returning *",
  "update data set region = 'x'",
  "drop table data",
  "create table x (a)",
  "create temp table x as select 1",
  "create virtual table x using fts5(a)",
  "attach '/tmp/x.db' as x",
  "pragma table_info(data)",
  "select * from pragma_table_info('data')",
  "vacuum into '/tmp/copy.db'",
  "select load_extension('x')",
  "select writefile('/tmp/x', 'y')",
  "select readfile('/etc/passwd')",
  "begin",
  "select 1; select 2",
  "select 1; drop table data",
  "with x as (select 1) delete from data",
  "reindex",
  "analyze",
  "",
  " -- nothing",
  "detach main",
  "select randomblob(1000000000)",
])("refused: %s", async sql => {
  expect(await ask("sales.csv", sql)).toMatchObject({ ok: false, problem: expect.any(String) })
})

test.each([
  "select count(*) from data;",
  "select 1 -- and no more",
  "/* why */ select 1",
  "with recursive n(x) as (select 1 union all select x + 1 from n where x < 3) select count(*) from n",
  "select upper(region) from data",
  "values (1)",
  "select ';'",
])("allowed: %s", async sql => {
  expect(await ask("sales.csv", sql)).toMatchObject({ ok: true })
})

test("what is not a table and what is not SQL is said in words, with the columns where they help", async () => {
  expect(await ask("empty.csv", "select 1")).toMatchObject({ ok: false, problem: "The file holds no table." })
  expect(await ask("broken.xlsx", "select 1")).toMatchObject({ ok: false })
  expect(await ask("sales.csv", "select nope from data")).toMatchObject({
    ok: false,
    problem: "SQLite says: no such column: nope",
    table: { rowCount: 3 },
  })
})

const ENDLESS = "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n"
const tableOf = (name: string, version = name, changes: Set<() => void> = new Set()): TableFile => ({
  version,
  local: async () => ({ path: path(name), [Symbol.asyncDispose]: async () => {} }),
  listen: listener => {
    changes.add(listener)
    return () => changes.delete(listener)
  },
})
const reading = (tables: TableProcesses, sql: string, signal = new AbortController().signal) =>
  tables.read(tableOf("sales.csv"), { type: "csv", sql, maxRows: 10, maxCharacters: 10_000 }, "ws_1", signal)

test("a query that never ends is killed at its time, and on abort", async () => {
  const tables = new TableProcesses({ timeoutMs: 1_500 })
  await expect(reading(tables, ENDLESS)).rejects.toThrow("longer than 1.5 s")
  const patient = new TableProcesses({ timeoutMs: 600_000 })
  const abort = new AbortController()
  setTimeout(() => abort.abort(), 300)
  await expect(reading(patient, ENDLESS, abort.signal)).rejects.toThrow("stopped")
  expect(await reading(tables, "select count(*) from data")).toMatchObject({
    rows: [[3]],
  })
})

test("a query that eats memory is killed", async () => {
  const tables = new TableProcesses({ maxMemoryBytes: 200_000_000 })
  const hungry =
    "with recursive n(x) as (select 1 union all select x + 1 from n where x < 5000000) select group_concat(hex(x) || 'padding padding padding padding padding') from n"
  await expect(reading(tables, hungry)).rejects.toThrow("memory")
})

describe("a table is kept for the next statement", () => {
  const signal = new AbortController().signal
  /** Where the file is asked for, the table is read anew. */
  function counted(version: string, changes = new Set<() => void>()) {
    const file = tableOf("sales.csv", version, changes)
    let reads = 0
    const local: TableFile["local"] = given => {
      reads++
      return file.local(given)
    }
    return { ...file, local, reads: () => reads }
  }
  const ask = (tables: TableProcesses, file: TableFile, sql: string, more: object = {}, key = "ws_1") =>
    tables.read(file, { type: "csv", sql, maxRows: 10, maxCharacters: 10_000, ...more }, key, signal)

  test("which reads nothing, also behind one that is wrong", async () => {
    await using tables = disposed(new TableProcesses())
    const file = counted("ws_1 a 1")
    expect(await ask(tables, file, "select nope from data")).toMatchObject({ ok: false })
    for (const sum of [7, 14])
      expect(await ask(tables, file, `select ${sum / 7} * sum(amount) from data`)).toMatchObject({ rows: [[sum]] })
    expect(file.reads()).toBe(1)
    expect(tables.pids).toHaveLength(1)
  })

  test("never for other bytes, another file or another workspace, each in a process of its own", async () => {
    await using tables = disposed(new TableProcesses())
    const files = ["ws_1 a 1", "ws_1 a 2", "ws_2 a 1"].map(version => counted(version))
    for (const file of files) await ask(tables, file, "select 1", {}, file.version.split(" ")[0])
    expect(files.map(file => file.reads())).toEqual([1, 1, 1])
    expect(new Set(tables.pids).size).toBe(3)
    await ask(tables, counted("ws_3 a 1"), "select 1", {}, "ws_3")
    expect(tables.pids).toHaveLength(3) // the one unused for longest has gone
    await ask(tables, files[0]!, "select 1")
    expect(files[0]!.reads()).toBe(2)
  })

  test("until its file changes or goes: the process ends", async () => {
    await using tables = disposed(new TableProcesses())
    const changes = new Set<() => void>()
    const file = counted("ws_1 a 1", changes)
    await ask(tables, file, "select 1")
    for (const tell of changes) tell()
    await until(() => tables.pids.length === 0)
    expect(changes.size).toBe(0)
    await ask(tables, file, "select 1")
    expect(file.reads()).toBe(2)
  })

  test("and is lost with a statement that has to be killed, alone", async () => {
    await using tables = disposed(new TableProcesses({ timeoutMs: 3_000 }))
    const [hit, other] = [counted("ws_1 a 1"), counted("ws_1 b 1")]
    for (const file of [hit, other]) await ask(tables, file, "select 1")
    expect((await rejection(ask(tables, hit, ENDLESS))).message).toContain("longer than 3 s")
    for (const file of [hit, other])
      expect(await ask(tables, file, "select count(*) from data")).toMatchObject({ rows: [[3]] })
    expect([hit.reads(), other.reads()]).toEqual([2, 1])
  })

  test("and cannot be changed by a statement", async () => {
    await using tables = disposed(new TableProcesses())
    const file = counted("ws_1 a 1")
    for (const sql of [
      "delete from data",
      "create temp table t(a)",
      "attach ':memory:' as m",
      "begin",
      "pragma writable_schema = 1",
    ])
      expect(await ask(tables, file, sql)).toMatchObject({ ok: false })
    expect(await ask(tables, file, "select count(*) from data")).toMatchObject({ rows: [[3]] })
  })

  const disposed = (tables: TableProcesses) => Object.assign(tables, { [Symbol.asyncDispose]: () => tables.stop() })
})

test("the tool gives header, rows and shape as text, only for tables in scope", async () => {
  const { library, search } = memoryLibrary([
    { id: "file_csv", type: "csv", name: "sales.csv", path: path("sales.csv"), text: "x" },
    { id: "file_txt", name: "note.txt", text: "x" },
    { id: "file_other", type: "csv", path: path("sales.csv"), text: "x", workspaceId: "ws_2" },
  ])
  const context: ToolContext = {
    view: wholeOf("ws_1"),
    scope: { fileIds: null, contextId: null, filter: null },
    library,
    search,
    tables: new TableProcesses(),
    evaluator: { calculate: async () => "", check: async () => [] },
    passages: new Passages(),
    now: () => new Date(),
    signal: new AbortController().signal,
  }
  const run = (args: object) => callTool(TOOLS.query_table as unknown as Tool, args, context)
  const good = await run({ file_id: "file_csv", sql: "select region, amount from data limit 1" })
  expect(good).toEqual({
    isError: false,
    fileIds: ["file_csv"],
    result:
      '[1] sales.csv: data has 3 rows and the columns "region" TEXT, "amount" INTEGER, "unit price" REAL, "code" TEXT, "day" TEXT.\nResult: 1 rows\nregion,amount\nNorth,3',
  })
  expect(await run({ file_id: "file_txt", sql: "select 1" })).toMatchObject({
    isError: true,
    result: expect.stringContaining("csv, xls and xlsx"),
  })
  expect(await run({ file_id: "file_other", sql: "select 1" })).toMatchObject({
    isError: true,
    result: expect.stringContaining("There is no file"),
  })
})
