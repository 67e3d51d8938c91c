import { type Text, t } from "../../text.ts"
import type { FileRecord } from "../../wire.ts"

const STAGES: Record<string, Text> = {
  extracting: "Reading",
  ocr: "Reading images",
  chunking: "Splitting",
  embedding: "Embedding",
  committing: "Storing",
}

/** What a person can do about a failure. */
const ADVICE: Record<string, Text> = {
  corrupt_file: "Open it in its own program and save it again.",
  encrypted_file: "Remove the password and upload it again.",
  no_text: "It contains no text to search.",
  archive_rejected: "Unpack it and upload the files themselves.",
  extraction_timeout: "Split it into smaller files.",
  internal_error: "Index it again; the log has the details.",
}

export function FileStatus({ file }: { file: FileRecord }) {
  const advice = ADVICE[file.error?.code ?? ""]
  if (file.status === "failed")
    return (
      <div class="file-status">
        <span class="badge bad">{t("Failed")}</span>
        <span class="small block">{file.error?.message}</span>
        {advice && <span class="soft small block">{t(advice)}</span>}
      </div>
    )
  if (file.status === "searchable")
    return (
      <div class="file-status">
        <span class="badge good">{t("Searchable")}</span>
        <span class="soft small">{facts(file)}</span>
      </div>
    )
  if (file.status === "queued") return <span class="badge">{t("Queued")}</span>
  return (
    <div class="indexing">
      <span class="badge busy">{t(STAGES[file.stage ?? ""] ?? "Indexing")}</span>
      <progress max={1} value={file.progress} aria-label={t("Indexing of {name}", { name: file.name })} />
    </div>
  )
}

function facts(file: FileRecord): string {
  return [
    file.page_count !== null && t("{pages, plural, one {# page} other {# pages}}", { pages: file.page_count }),
    file.chunk_count !== null &&
      t("{passages, plural, one {# passage} other {# passages}}", { passages: file.chunk_count }),
    file.warnings.length > 0 &&
      t("{warnings, plural, one {# warning} other {# warnings}}", { warnings: file.warnings.length }),
  ]
    .filter(Boolean)
    .join(" · ")
}
