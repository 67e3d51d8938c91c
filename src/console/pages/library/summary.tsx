/** How far the indexing of the library is, and why files failed. */
import { api } from "../../api.ts"
import { count, plural } from "../../format.ts"
import { Button } from "../../ui/button.tsx"

export interface Summary {
  total: number
  by_status: Record<"queued" | "indexing" | "searchable" | "failed", number>
  by_error: Record<string, number>
}

export const loadSummary = (signal: AbortSignal): Promise<Summary> => api.get<Summary>("/libraries/summary", signal)

/** What a failure is, in words that follow a number of files. */
const REASONS: Record<string, string> = {
  corrupt_file: "damaged",
  encrypted_file: "locked by a password",
  no_text: "without text",
  archive_rejected: "refused as archives",
  extraction_timeout: "took too long to read",
  internal_error: "stopped by an error of Carrel",
}

interface IndexingProps {
  summary: Summary
  onShowFailed: () => void
  onRetry: () => void
}

/** Nothing where every file is searchable. */
export function Indexing({ summary: { total, by_status, by_error }, onShowFailed, onRetry }: IndexingProps) {
  const { searchable, failed, queued, indexing } = by_status
  if (searchable === total) return null
  const reasons = Object.entries(by_error).sort(([, one], [, other]) => other - one)
  return (
    <section class="notice row between indexing-summary" aria-label="Indexing">
      <div class="grow">
        <p>
          {count(searchable)} of {plural(total, "file")} searchable
          {queued + indexing > 0 && `, ${count(queued + indexing)} in progress`}
          {failed > 0 && `, ${count(failed)} failed`}
        </p>
        {queued + indexing > 0 && (
          <progress max={total} value={searchable + failed} aria-label="Indexing of the library" />
        )}
        {failed > 0 && (
          <p class="small">
            {reasons.map(([code, files]) => `${count(files)} ${REASONS[code] ?? code.replaceAll("_", " ")}`).join(", ")}
          </p>
        )}
      </div>
      {failed > 0 && (
        <div class="row">
          <Button onClick={onShowFailed}>Show failed</Button>
          <Button icon="refresh" onClick={onRetry}>
            Retry failed
          </Button>
        </div>
      )}
    </section>
  )
}
