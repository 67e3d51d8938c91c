/** What the doctor says of reading pictures: in which languages, and which files had writing in others. */
import type { Config } from "../config.ts"
import { ocrLanguagesOf } from "../configured.ts"
import { findLanguages } from "../ingest/formats/ocr/languages.ts"
import type { WarningCode } from "../ingest/formats/warnings.ts"
import type { Database } from "../storage/database.ts"
import { withWarning } from "../storage/files.ts"
import { damagedFiles, installedPacks } from "../storage/packs/installed.ts"
import { counted } from "./command.ts"
import type { Finding } from "./finding.ts"

const WHAT = "OCR languages"
const MISSING: WarningCode = "ocr_language_missing"

export async function describeOcr(config: Config, database: Database): Promise<Finding[]> {
  const sources = ocrLanguagesOf(config)
  const findings: Finding[] = []
  for (const pack of (sources.packs ?? []).flatMap(installedPacks)) {
    const damaged = await damagedFiles(pack)
    if (damaged.length === 0) continue
    findings.push({
      what: WHAT,
      state: "problem",
      text: `the pack ${pack.manifest.name} is damaged: ${damaged.join(", ")}`,
      remedy: "add its file again: `carrel packs add FILE`",
    })
  }
  const text = [...findLanguages(sources).keys()].join(", ")
  const { count } = await database
    .selectFrom("files")
    .select(eb => eb.fn.countAll<number>().as("count"))
    .where("warnings", "like", withWarning(MISSING))
    .executeTakeFirstOrThrow()
  if (Number(count) === 0) return [...findings, { what: WHAT, state: "ok", text }]
  findings.push({
    what: WHAT,
    state: "note",
    text: `${text}; ${counted(Number(count), "file")} with writing that none of them read at the time`,
    remedy: `their warnings name it: add a pack with it (\`carrel packs add FILE\`); then \`carrel reindex --warning ${MISSING}\` has them read again`,
  })
  return findings
}
