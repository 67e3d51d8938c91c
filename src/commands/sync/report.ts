/** What `carrel sync` prints: its answer on standard output, for people or as JSON. */
import { visible } from "../../log.ts"
import { counted, print, printJson } from "../command.ts"
import type { Checked } from "./check.ts"
import type { Comparison, Outcome } from "./pass.ts"
import type { RemoteSource } from "./remote.ts"

/** Lines of failures; `--check` prints all. */
const SHOWN = 20

export const isComplete = ({ failed }: Outcome): boolean => failed.length === 0

export function reportPass(source: RemoteSource, outcome: Outcome, asJson: boolean): void {
  const { failed, ...counts } = outcome
  if (asJson) {
    printJson({ source: named(source), complete: isComplete(outcome), ...counts, failed })
    return
  }
  const { entries, uploaded, unchanged, deleted, gone } = counts
  const parts = [
    `${uploaded} uploaded`,
    `${unchanged} unchanged`,
    ...(deleted > 0 ? [`${deleted} deleted`] : []),
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
    ...(gone > 0 ? [`${gone} gone meanwhile`] : []),
  ]
  print(`${source.name}: ${counted(entries, "file")}: ${parts.join(", ")}`)
  if (failed.length > 0) printRows(failed.slice(0, SHOWN).map(({ key, error }) => [key, error.message]))
  if (failed.length > SHOWN) print(`  and ${failed.length - SHOWN} more: --check lists all`)
}

/** @param source undefined where there is none yet */
export function reportCheck(name: string, source: RemoteSource | undefined, checked: Checked, asJson: boolean): void {
  const { entries, missing, stale } = checked
  const complete = missing.length === 0
  if (asJson) {
    printJson({ source: source ? named(source) : null, complete, entries, stale, missing })
    return
  }
  const found = entries - missing.length
  print(`${name}: ${found} of ${counted(entries, "file")} can be found${complete ? "" : `, ${missing.length} cannot`}`)
  if (stale > 0)
    print(`  ${counted(stale, "file")} of it ${stale === 1 ? "is" : "are"} no longer there: --delete removes`)
  printRows(
    missing.map(({ key, status, error }) => [status.padEnd(LONGEST), key, error?.message ?? MEANING[status] ?? ""]),
  )
}

/** `unsupported` */
const LONGEST = 11

const MEANING: Partial<Record<string, string>> = {
  missing: "not uploaded, or changed since",
  pending: "not indexed yet",
}

/** What a pass would do. @param compared undefined where there is no source yet */
export function reportDryRun(name: string, entries: number, compared: Comparison | undefined, asJson: boolean): void {
  const { upload, unchanged = 0, deleted = 0, failed = [], guarded = false } = compared ?? {}
  const toUpload = upload?.length ?? entries
  if (asJson) {
    printJson({ dry_run: true, entries, upload: toUpload, unchanged, deleted, guarded, failed })
    return
  }
  if (!compared) print(`there is no source ${name} yet: it would be made`)
  print(`${name}: ${counted(entries, "file")}: ${toUpload} to upload, ${unchanged} unchanged, ${deleted} to delete`)
  if (guarded) print("  so many would be deleted that --force is needed")
  printRows(failed.map(({ key, error }) => [key, error.message]))
}

const named = ({ id, name }: RemoteSource) => ({ id, name })

/** Under the line that they belong to. */
function printRows(rows: string[][]): void {
  if (rows.length > 0) print(rows.map(row => `  ${row.map(visible).join("  ")}`.trimEnd()).join("\n"))
}
