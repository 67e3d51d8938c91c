/** The executable of a later version: another number, and a migration that only adds, as a release has it. */
import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { runTool } from "../../scripts/cluster/tools.ts"

const PROJECT = resolve(import.meta.dir, "../..")
export const NEXT_VERSION = "0.99.0"
const TABLE = "of_the_next_version"

export interface NextVersion {
  command: string[]
  folder: string
}

/** Builds it, which takes as long as a build does. */
export async function nextVersion(): Promise<NextVersion> {
  const folder = mkdtempSync(join(tmpdir(), "carrel-next-"))
  for (const name of ["src", "scripts"]) cpSync(join(PROJECT, name), join(folder, name), { recursive: true })
  for (const name of ["node_modules", "models", "docs", "bunfig.toml", "tsconfig.json", "package-lock.json", "LICENSE"])
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
  await runTool([process.execPath, "scripts/build.ts"], { cwd: folder })
  return { command: [join(folder, "dist/carrel")], folder }
}
