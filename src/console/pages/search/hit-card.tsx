import type { ComponentChildren } from "preact"
import { excerptOf, type Span } from "../../excerpt.ts"
import { placeOf } from "../../format.ts"
import type { Hit } from "../../wire.ts"

/** About four lines. */
const EXCERPT_LENGTH = 420

interface HitCardProps {
  hit: Hit
  explain: boolean
  onOpen: () => void
}

export const HitCard = ({ hit, explain, onOpen }: HitCardProps) => (
  <li class="hit">
    <div class="row between">
      <button type="button" class="file-name" onClick={onOpen}>
        <span class="type">{hit.file.type}</span>
        <span dir="auto">{hit.file.name}</span>
      </button>
      <Relevance value={hit.relevance} />
    </div>
    {placeOf(hit.position) && (
      <p class="soft small" dir="auto">
        {placeOf(hit.position)}
      </p>
    )}
    <p class="passage" dir="auto">
      <Excerpt text={hit.text} spans={hit.highlights} />
    </p>
    {explain && hit.scores && (
      <dl class="scores">
        <Leg name="Keyword" leg={hit.scores.keyword} />
        <Leg name="Semantic" leg={hit.scores.semantic} />
        {hit.scores.rerank !== undefined && <Leg name="Rerank" leg={hit.scores.rerank} />}
      </dl>
    )}
  </li>
)

/** A bar of ten steps beside the figure: comparing lengths is faster than reading numbers. */
const Relevance = ({ value }: { value: number }) => (
  <span class="score" title="How likely this passage answers the query: of those at 50 %, about half do">
    <meter min={0} max={1} value={value} aria-hidden="true" />
    <span class="unseen">Relevance </span>
    {value > 0 && value < 0.01 ? "under 1 %" : `${Math.round(value * 100)} %`}
  </span>
)

interface LegProps {
  name: string
  leg: { rank: number; score: number } | null
}

const Leg = ({ name, leg }: LegProps) => (
  <div>
    <dt>{name}</dt>
    <dd>{leg ? `rank ${leg.rank}, score ${leg.score.toFixed(3)}` : "no match"}</dd>
  </div>
)

interface ExcerptProps {
  text: string
  spans: Span[]
}

function Excerpt({ text, spans }: ExcerptProps) {
  const shown = excerptOf(text, spans, EXCERPT_LENGTH)
  const parts: ComponentChildren[] = [shown.start > 0 && "… "]
  let at = shown.start
  for (const { start, end } of spans) {
    if (start < at || end > shown.end) continue
    parts.push(text.slice(at, start), <mark key={start}>{text.slice(start, end)}</mark>)
    at = end
  }
  parts.push(text.slice(at, shown.end), shown.end < text.length && " …")
  return <>{parts}</>
}
