/** What a search found: sure matches, then weak ones, by file or passage by passage. */
import { count, plural } from "../../format.ts"
import { Link } from "../../router.tsx"
import { Button } from "../../ui/button.tsx"
import { Icon } from "../../ui/icons.tsx"
import { Empty } from "../../ui/page.tsx"
import type { Hit, SearchResult } from "../../wire.ts"
import { Corrections } from "./corrections.tsx"
import { type FoundFile, HitCard } from "./hit-card.tsx"

/** Of questions that no file answers, all but 2 % of the hits lie below it. */
const WEAK = 0.3

interface ResultsProps {
  /** Nothing before anything was asked, and until the first answer. */
  found: SearchResult | null | undefined
  /** As it stands in the field. */
  query: string
  request: object
  exact: boolean
  onExact: (exact: boolean) => void
  onQuery: (query: string) => void
  /** Takes the filters off; undefined where there are none. */
  onWiden: (() => void) | undefined
  /** Undefined where no more can be asked for. */
  onMore: (() => void) | undefined
  onOpen: (hit: Hit) => void
}

export function Results({ found, query, request, onOpen, onMore, ...rest }: ResultsProps) {
  if (!found) return <p class="soft small" role="status" />
  const files = filesOf(found)
  const sure = files.filter(({ relevance }) => relevance >= WEAK)
  const weak = files.filter(({ relevance }) => relevance < WEAK)
  const list = (of: FoundFile[]) => (
    <ol class="hits">
      {of.map(file => (
        <HitCard key={file.hits[0]!.id} file={file} request={found.groups && request} onOpen={onOpen} />
      ))}
    </ol>
  )
  const hasMore = found.total > (found.groups?.length ?? found.hits.length)
  return (
    <>
      <Said found={found} hasMore={hasMore} />
      <Corrections found={found} query={query} exact={rest.exact} onExact={rest.onExact} onQuery={rest.onQuery} />
      {sure.length > 0 && list(sure)}
      {weak.length > 0 && (
        <section class="stack weak" aria-label="Weak matches">
          <div>
            <h2>Weak matches</h2>
            <p class="soft small">Near the query, but unlikely to answer it.</p>
          </div>
          {list(weak)}
        </section>
      )}
      {hasMore && onMore && (
        <div class="row">
          <Button onClick={onMore}>Show more</Button>
        </div>
      )}
      {found.hits.length === 0 && <Nothing found={found} {...rest} />}
    </>
  )
}

/** Hits by file where they were asked for so, otherwise each by itself. */
function filesOf({ hits, groups }: SearchResult): FoundFile[] {
  if (!groups) return hits.map(hit => ({ relevance: hit.relevance, hits: [hit] }))
  let at = 0
  return groups.map(({ hits: size, relevance }) => {
    at += size
    return { relevance, hits: hits.slice(at - size, at) }
  })
}

function Said({ found, hasMore }: { found: SearchResult; hasMore: boolean }) {
  const { hits, groups, took_ms, index, degraded } = found
  const { done, total } = index.vectors
  const what = plural(hits.length, "passage") + (groups ? ` in ${plural(groups.length, "file")}` : "")
  return (
    <>
      <p class="soft small" role="status">
        {`${hasMore ? "The best " : ""}${what}, ${took_ms.toFixed(0)} ms`}
        {index.pending_files > 0 && ` · ${plural(index.pending_files, "file")} still being indexed`}
      </p>
      {degraded === "keyword_only" && (
        <p class="notice">
          <Icon name="warning" /> The embedding model is not available or does not know the words of the query: these
          results come from keywords only.
        </p>
      )}
      {degraded === "not_reranked" && (
        <p class="soft small">Not reranked: there was no time for it, or the model is off.</p>
      )}
      {done < total && (
        <p class="soft small">
          Meaning is known in full of {count(done)} of {count(total)} passages: more of it is being worked out, and the
          order may still change.
        </p>
      )}
    </>
  )
}

type NothingProps = Pick<ResultsProps, "exact" | "onExact" | "onWiden"> & { found: SearchResult }

function Nothing({ found: { index }, exact, onExact, onWiden }: NothingProps) {
  if (index.searchable_files === 0)
    return (
      <Empty icon="search" title="Nothing to search yet">
        <p>
          {index.pending_files > 0
            ? `${plural(index.pending_files, "file")} are being indexed: search again in a moment.`
            : "The library is empty."}
        </p>
        <Link class="button" to="/library">
          Go to the library
        </Link>
      </Empty>
    )
  return (
    <Empty icon="search" title="Nothing found">
      <p>{plural(index.searchable_files, "file")} can be searched. Try other words, or fewer of them.</p>
      <div class="row">
        {onWiden && <Button onClick={onWiden}>Search without the filters</Button>}
        {exact && <Button onClick={() => onExact(false)}>Search for similar words too</Button>}
      </div>
    </Empty>
  )
}
