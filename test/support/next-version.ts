/** The product of a later version, from source: another number, and a migration that only adds, as a release has it. */
import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

const PROJECT = resolve(import.meta.dir, "../..")
export const NEXT_VERSION = "0.99.0"
const TABLE = "of_the_next_version"

export interface NextVersion {
  command: string[]
  folder: string
}

export function nextVersion(): NextVersion {
  const folder = mkdtempSync(join(tmpdir(), "carrel-next-"))
  cpSync(join(PROJECT, "src"), join(folder, "src"), { recursive: true })
  for (const name of ["node_modules", "models", "scripts", "bunfig.toml", "tsconfig.json"])
    symlinkSync(join(PROJECT, name), join(folder, name))
  const manifest = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8"))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...manifest, version: NEXT_VERSION }))
  const index = join(folder, "src/storage/migrations/index.ts")
  const added = `  { name: "9998-next", sqlite: add, postgres: add },\n]`
  const add = `\nasync function add(executor: never): Promise<void> {
  const { sql } = await import("kysely")
  await sql.raw("create table ${TABLE} (id text primary key)").execute(executor)
}\n`
  const text = readFileSync(index, "utf8")
  if (!text.trimEnd().endsWith("]")) throw new Error("the table of migrations does not end the file any more")
  writeFileSync(index, `${text.trimEnd().replace(/\]$/, added)}${add}`)
  return { command: [process.execPath, join(folder, "src/main.ts")], folder }
}
