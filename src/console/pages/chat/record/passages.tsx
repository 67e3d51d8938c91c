import { count, placeOf } from "../../../format.ts"
import { Replaced } from "../../../markdown.tsx"
import { t } from "../../../text.ts"
import type { AnswerRecord, Source } from "../../../wire.ts"

type Given = AnswerRecord["passages"][number]

interface PassageListProps {
  passages: readonly Given[]
  onCite: (source: Source) => void
}

/** What the model was given, each with its score, its text and the way to its file. */
export const PassageList = ({ passages, onCite }: PassageListProps) => (
  <section>
    <h3>
      {passages.length === 0
        ? t("No passages were given")
        : t("{passages, plural, one {# passage} other {# passages}} given", { passages: passages.length })}
    </h3>
    <ul class="given">
      {passages.map(passage => (
        <li key={passage.index}>
          <details class="fold">
            <summary>
              <span class="cite">{passage.index}</span>
              <span class="name" dir="auto">
                <Replaced text={titleOf(passage)} />
              </span>
              {passage.whole ? <span class="soft small">{t("read in full")}</span> : <Score value={passage.score} />}
            </summary>
            <Passage passage={passage} onCite={onCite} />
          </details>
        </li>
      ))}
    </ul>
  </section>
)

const titleOf = ({ name, position }: Given): string =>
  name === null
    ? t("A file that is gone, or not yours to see")
    : [name, position && placeOf(position)].filter(Boolean).join(" · ")

/** 0..1 */
export const Score = ({ value }: { value: number }) => (
  <span class="score" title={t("How well it fits the question")}>
    <meter min={0} max={1} value={value} aria-hidden="true" />
    <span class="unseen">{t("Score")} </span>
    {t("{value} %", { value: count(Math.round(value * 100)) })}
  </span>
)

function Passage({ passage, onCite }: { passage: Given; onCite: (source: Source) => void }) {
  const { name, position, text } = passage
  if (name === null || position === null || text === null) return <p class="soft">{t("Its text is no longer kept.")}</p>
  return (
    <div class="stack">
      <div class="row between">
        <span class="soft small" dir="auto">
          {placeOf(position)}
        </span>
        <button type="button" class="button" onClick={() => onCite({ ...passage, name, position })}>
          {t("Open the file here")}
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <pre class="code wrap" dir="auto" tabIndex={0}>
        {text}
      </pre>
    </div>
  )
}
