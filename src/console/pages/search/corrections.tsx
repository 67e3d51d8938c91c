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
        Words were searched for exactly as they are written.
        <Button onClick={() => onExact(false)}>Search for similar words too</Button>
      </p>
    )
  if (corrections.length === 0) return null
  const meant = corrected(query, corrections)
  return (
    <div class="notice corrections">
      {meant !== query && (
        <p>
          Did you mean{" "}
          <button type="button" class="link" dir="auto" onClick={() => onQuery(meant)}>
            {meant}
          </button>
          ?
        </p>
      )}
      <p class="small">
        No file holds <bdi>{corrections.map(({ word }) => word).join(", ")}</bdi>. Also searched for{" "}
        <bdi>{corrections.flatMap(({ tried }) => tried).join(", ")}</bdi>.{" "}
        <button type="button" class="link" onClick={() => onExact(true)}>
          Search only as written
        </button>
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
