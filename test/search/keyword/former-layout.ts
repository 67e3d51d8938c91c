/** Takes from the file of a keyword index what later layouts added to it. */
import { Database as Sqlite } from "bun:sqlite"

/** As layout `version` wrote it: up to 3 ids had 32 bits, 1 had no languages. */
export function toLayout(path: string, version: 1 | 2 | 3): void {
  const database = new Sqlite(path)
  const rows = database.query("select number, stretches from segments").all()
  for (const { number, stretches } of rows as { number: number; stretches: Uint8Array }[]) {
    const narrow = Int32Array.from(new Float64Array(stretches.slice().buffer))
    database.query("update segments set stretches = ? where number = ?").run(new Uint8Array(narrow.buffer), number)
  }
  if (version < 2) database.exec("alter table segments drop column languages")
  database.exec(`pragma user_version = ${version}`)
  database.close()
}
