/** How far the indexing of the library is, and why files failed. */
import { api } from "../../api.ts"
import { count, inRow } from "../../format.ts"
import { type Text, t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"

export interface Summary {
  total: number
  by_status: Record<"queued" | "indexing" | "searchable" | "failed", number>
  by_error: Record<string, number>
}

export const loadSummary = (signal: AbortSignal): Promise<Summary> => api.get<Summary>("/libraries/summary", signal)

/** What so many failures are. */
const REASONS: Record<string, Text> = {
  corrupt_file: "{files} damaged",
  encrypted_file: "{files} locked by a password",
  no_text: "{files} without text",
  archive_rejected: "{files} refused as archives",
  extraction_timeout: "{files} took too long to read",
  internal_error: "{files} stopped by an error of Carrel",
}

function reasonOf(code: string, failed: number): string {
  const [known, files] = [REASONS[code], count(failed)]
  return known ? t(known, { files }) : `${files} ${code.replaceAll("_", " ")}`
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
    <section class="notice row between indexing-summary" aria-label={t("Indexing")}>
      <div class="grow">
        <p>
          {inRow([
            t("{searchable} of {total, plural, one {# file} other {# files}} searchable", {
              searchable: count(searchable),
              total,
            }),
            queued + indexing > 0 && t("{waiting} in progress", { waiting: count(queued + indexing) }),
            failed > 0 && t("{failed} failed", { failed: count(failed) }),
          ])}
        </p>
        {queued + indexing > 0 && (
          <progress max={total} value={searchable + failed} aria-label={t("Indexing of the library")} />
        )}
        {failed > 0 && <p class="small">{inRow(reasons.map(([code, files]) => reasonOf(code, files)))}</p>}
      </div>
      {failed > 0 && (
        <div class="row">
          <Button onClick={onShowFailed}>{t("Show failed")}</Button>
          <Button icon="refresh" onClick={onRetry}>
            {t("Retry failed")}
          </Button>
        </div>
      )}
    </section>
  )
}
