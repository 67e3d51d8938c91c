import { plural } from "../../format.ts"
import type { FileRecord } from "../../wire.ts"

const STAGES: Record<string, string> = {
  extracting: "Reading",
  ocr: "Reading images",
  chunking: "Splitting",
  embedding: "Embedding",
  committing: "Storing",
}

/** What a person can do about a failure. */
const ADVICE: Record<string, string> = {
  corrupt_file: "Open it in its own program and save it again.",
  encrypted_file: "Remove the password and upload it again.",
  no_text: "It contains no text to search.",
  archive_rejected: "Unpack it and upload the files themselves.",
  extraction_timeout: "Split it into smaller files.",
  internal_error: "Index it again; the log has the details.",
}

export function FileStatus({ file }: { file: FileRecord }) {
  if (file.status === "failed")
    return (
      <div class="file-status">
        <span class="badge bad">Failed</span>
        <span class="small block">{file.error?.message}</span>
        <span class="soft small block">{ADVICE[file.error?.code ?? ""]}</span>
      </div>
    )
  if (file.status === "searchable")
    return (
      <div class="file-status">
        <span class="badge good">Searchable</span>
        <span class="soft small">{facts(file)}</span>
      </div>
    )
  if (file.status === "queued") return <span class="badge">Queued</span>
  return (
    <div class="indexing">
      <span class="badge busy">{STAGES[file.stage ?? ""] ?? "Indexing"}</span>
      <progress max={1} value={file.progress} aria-label={`Indexing of ${file.name}`} />
    </div>
  )
}

function facts(file: FileRecord): string {
  return [
    file.page_count !== null && plural(file.page_count, "page"),
    file.chunk_count !== null && plural(file.chunk_count, "passage"),
    file.warnings.length > 0 && plural(file.warnings.length, "warning"),
  ]
    .filter(Boolean)
    .join(" · ")
}
