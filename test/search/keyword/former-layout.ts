/** Makes the file of a keyword index one that a former version wrote, with terms that are not looked up any more. */
import { Database as Sqlite } from "bun:sqlite"

export function toFormerLayout(path: string): void {
  const database = new Sqlite(path)
  database.exec("alter table segments drop column languages")
  database.exec("update postings set term = term || '-former'")
  database.exec("pragma user_version = 1")
  database.close()
}
