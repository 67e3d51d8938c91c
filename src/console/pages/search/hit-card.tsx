import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { excerptOf, type Span } from "../../excerpt.ts"
import { count, placeOf, score } from "../../format.ts"
import { useAction } from "../../loading.ts"
import { type Text, t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Problem } from "../../ui/form.tsx"
import type { Hit, SearchResult } from "../../wire.ts"
import { HIT } from "./keys.ts"

/** About four lines. */
const EXCERPT_LENGTH = 420
/** Passages that an answer by file holds of each, unless it has fewer. */
const OF_A_FILE = 3
/** Passages of one file on demand. */
const ALL = 50

/** Passages of one file, the best first. */
export interface FoundFile {
  relevance: number
  hits: Hit[]
}

interface HitCardProps {
  file: FoundFile
  /** What was asked, where hits come by file: there may be more of this one. */
  request: object | undefined
  onOpen: (hit: Hit) => void
}

export function HitCard({ file: { hits, relevance }, request, onOpen }: HitCardProps) {
  const [best] = hits
  const [more, setMore] = useState<Hit[]>()
  const all = useAction(async () => {
    const { filters } = request as { filters: object }
    const only = { ...request, group_by: undefined, filters: { ...filters, file_ids: [best!.file.id] }, limit: ALL }
    setMore((await api.post<SearchResult>("/search", only)).hits)
  })
  return (
    <li class="hit">
      <div class="row between">
        <button type="button" class="file-name" onClick={() => onOpen(best!)}>
          <span class="type">{best!.file.type}</span>
          <span dir="auto">{best!.file.name}</span>
        </button>
        <Relevance value={relevance} />
      </div>
      <ul class="passages">
        {(more ?? hits).map(hit => (
          <Passage key={hit.id} hit={hit} onOpen={() => onOpen(hit)} />
        ))}
      </ul>
      {request && !more && hits.length >= OF_A_FILE && (
        <div class="row">
          <Button busy={all.busy} onClick={() => void all.run()}>
            {t("More of this file")}
          </Button>
        </div>
      )}
      <Problem error={all.error} />
    </li>
  )
}

const Passage = ({ hit, onOpen }: { hit: Hit; onOpen: () => void }) => (
  <li>
    <button type="button" class="link small" dir="auto" {...HIT} onClick={onOpen}>
      {placeOf(hit.position) || t("Open the passage")}
    </button>
    <p class="passage" dir="auto">
      <Excerpt text={hit.text} spans={hit.highlights} />
    </p>
    {hit.scores && (
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
  <span class="score" title={t("How likely this passage answers the query: of those at 50 %, about half do")}>
    <meter min={0} max={1} value={value} aria-hidden="true" />
    <span class="unseen">{t("Relevance")} </span>
    {value > 0 && value < 0.01
      ? t("under {value} %", { value: count(1) })
      : t("{value} %", { value: count(Math.round(value * 100)) })}
  </span>
)

interface LegProps {
  name: Text
  leg: { rank: number; score: number } | null
}

const Leg = ({ name, leg }: LegProps) => (
  <div>
    <dt>{t(name)}</dt>
    <dd>{leg ? t("rank {rank}, score {score}", { rank: count(leg.rank), score: score(leg.score) }) : t("no match")}</dd>
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
