import { placeOf, plural } from "../../../format.ts"
import type { AnswerRecord, Source } from "../../../wire.ts"
import { Score } from "./passages.tsx"

type Difference = NonNullable<AnswerRecord["difference"]>

const REASONS: Record<Difference["gone"][number]["reason"], string> = {
  file_gone: "its file is gone, or not yours to see",
  file_changed: "its file has changed",
  outranked: "others are found before it",
}

interface DifferenceViewProps {
  difference: Difference
  record: AnswerRecord
  onCite: (source: Source) => void
}

/** What the same search gives now. */
export function DifferenceView({ difference, record, onCite }: DifferenceViewProps) {
  const { unchanged, gone, added, rescored, library_changes: changes } = difference
  const nameOf = (index: number) => record.passages.find(passage => passage.index === index)?.name ?? "a file"
  const changed = changes.now - changes.before
  return (
    <section class="stack" aria-label="What the same search finds now">
      <p class="soft" role="status">
        {unchanged ? "The same passages would be found now." : "Other passages would be found now."}{" "}
        {changed > 0 && `The library has changed ${plural(changed, "time")} since.`}
      </p>
      <ul class="left-out">
        {gone.map(({ index, reason }) => (
          <li key={index}>
            Gone: <span class="cite">{index}</span> <bdi>{nameOf(index)}</bdi>: {REASONS[reason]}
          </li>
        ))}
        {added.map(source => (
          <li key={source.chunk_id}>
            New:{" "}
            <button type="button" class="citation" onClick={() => onCite(source)}>
              <bdi>{[source.name, placeOf(source.position)].filter(Boolean).join(" · ")}</bdi>
            </button>{" "}
            <Score value={source.score} />
          </li>
        ))}
        {rescored.map(({ index, before, now }) => (
          <li key={index}>
            Rated anew: <span class="cite">{index}</span> <bdi>{nameOf(index)}</bdi>: {Math.round(before * 100)} % then,{" "}
            {Math.round(now * 100)} % now
          </li>
        ))}
      </ul>
    </section>
  )
}
