import { count, placeOf } from "../../../format.ts"
import { rich, type Text, t } from "../../../text.ts"
import type { AnswerRecord, Source } from "../../../wire.ts"
import { Score } from "./passages.tsx"

type Difference = NonNullable<AnswerRecord["difference"]>

const REASONS: Record<Difference["gone"][number]["reason"], Text> = {
  file_gone: "its file is gone, or not yours to see",
  file_changed: "its file has changed",
  outranked: "others are found before it",
}

interface DifferenceViewProps {
  difference: Difference
  record: AnswerRecord
  onCite: (source: Source) => void
}

const Passage = ({ index, name }: { index: number; name: string }) => (
  <>
    <span class="cite">{index}</span> <bdi>{name}</bdi>
  </>
)

/** What the same search gives now. */
export function DifferenceView({ difference, record, onCite }: DifferenceViewProps) {
  const { unchanged, gone, added, rescored, library_changes: changes } = difference
  const nameOf = (index: number) => record.passages.find(passage => passage.index === index)?.name ?? t("a file")
  const changed = changes.now - changes.before
  return (
    <section class="stack" aria-label={t("What the same search finds now")}>
      <p class="soft" role="status">
        {unchanged ? t("The same passages would be found now.") : t("Other passages would be found now.")}{" "}
        {changed > 0 &&
          t("The library has changed {times, plural, one {# time} other {# times}} since.", { times: changed })}
      </p>
      <ul class="left-out">
        {gone.map(({ index, reason }) => (
          <li key={index}>
            {rich(
              "Gone: <passage/>: {reason}",
              { passage: <Passage index={index} name={nameOf(index)} /> },
              { reason: t(REASONS[reason]) },
            )}
          </li>
        ))}
        {added.map(source => (
          <li key={source.chunk_id}>
            {t("New:")}{" "}
            <button type="button" class="citation" onClick={() => onCite(source)}>
              <bdi>{[source.name, placeOf(source.position)].filter(Boolean).join(" · ")}</bdi>
            </button>{" "}
            <Score value={source.score} />
          </li>
        ))}
        {rescored.map(({ index, before, now }) => (
          <li key={index}>
            {rich(
              "Rated anew: <passage/>: {before} % then, {now} % now",
              { passage: <Passage index={index} name={nameOf(index)} /> },
              { before: count(Math.round(before * 100)), now: count(Math.round(now * 100)) },
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
