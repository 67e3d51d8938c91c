import { rich, t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import type { SearchResult } from "../../wire.ts"

interface CorrectionsProps {
  found: SearchResult
  query: string
  exact: boolean
  onExact: (exact: boolean) => void
  onQuery: (query: string) => void
}

/** What was looked up in the place of words that no file holds, and how to have it otherwise. */
export function Corrections({ found: { corrections }, query, exact, onExact, onQuery }: CorrectionsProps) {
  if (exact)
    return (
      <p class="soft small row">
        {t("Words were searched for exactly as they are written.")}
        <Button onClick={() => onExact(false)}>{t("Search for similar words too")}</Button>
      </p>
    )
  if (corrections.length === 0) return null
  const meant = corrected(query, corrections)
  return (
    <div class="notice corrections">
      {meant !== query && (
        <p>
          {rich("Did you mean <meant/>?", {
            meant: (
              <button type="button" class="link" dir="auto" onClick={() => onQuery(meant)}>
                {meant}
              </button>
            ),
          })}
        </p>
      )}
      <p class="small">
        {rich("No file holds <words/>. Also searched for <tried/>. <only>Search only as written</only>", {
          words: <bdi>{corrections.map(({ word }) => word).join(", ")}</bdi>,
          tried: <bdi>{corrections.flatMap(({ tried }) => tried).join(", ")}</bdi>,
          only: words => (
            <button type="button" class="link" onClick={() => onExact(true)}>
              {words}
            </button>
          ),
        })}
      </p>
    </div>
  )
}

/** As `corrections` spells words. */
const folded = (word: string): string => word.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase()

/** The query with the commonest word in the place of each that no file holds. */
const corrected = (query: string, corrections: SearchResult["corrections"]): string =>
  query.replaceAll(
    /[\p{L}\p{M}]+/gu,
    written => corrections.find(({ word }) => word === folded(written))?.tried[0] ?? written,
  )
