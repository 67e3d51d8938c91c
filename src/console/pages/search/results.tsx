/** What a search found: sure matches, then weak ones, by file or passage by passage. */
import { count, duration } from "../../format.ts"
import { Link } from "../../router.tsx"
import { t } from "../../text.ts"
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
        <section class="stack weak" aria-label={t("Weak matches")}>
          <div>
            <h2>{t("Weak matches")}</h2>
            <p class="soft small">{t("Near the query, but unlikely to answer it.")}</p>
          </div>
          {list(weak)}
        </section>
      )}
      {hasMore && onMore && (
        <div class="row">
          <Button onClick={onMore}>{t("Show more")}</Button>
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
  const values = { passages: hits.length, files: groups?.length ?? null, time: duration(took_ms) }
  const alone = hasMore
    ? "The best {passages, plural, one {# passage} other {# passages}}, {time}"
    : "{passages, plural, one {# passage} other {# passages}}, {time}"
  const byFile = hasMore
    ? "The best {passages, plural, one {# passage} other {# passages}} in {files, plural, one {# file} other {# files}}, {time}"
    : "{passages, plural, one {# passage} other {# passages}} in {files, plural, one {# file} other {# files}}, {time}"
  return (
    <>
      <p class="soft small" role="status">
        {t(groups ? byFile : alone, values)}
        {index.pending_files > 0 &&
          ` · ${t("{files, plural, one {# file} other {# files}} still being indexed", { files: index.pending_files })}`}
      </p>
      {degraded === "keyword_only" && (
        <p class="notice">
          <Icon name="warning" />{" "}
          {t(
            "The embedding model is not available or does not know the words of the query: these results come from keywords only.",
          )}
        </p>
      )}
      {degraded === "not_reranked" && (
        <p class="soft small">{t("Not reranked: there was no time for it, or the model is off.")}</p>
      )}
      {done < total && (
        <p class="soft small">
          {t(
            "Meaning is known in full of {done} of {total} passages: more of it is being worked out, and the order may still change.",
            { done: count(done), total: count(total) },
          )}
        </p>
      )}
    </>
  )
}

type NothingProps = Pick<ResultsProps, "exact" | "onExact" | "onWiden"> & { found: SearchResult }

function Nothing({ found: { index }, exact, onExact, onWiden }: NothingProps) {
  if (index.searchable_files === 0)
    return (
      <Empty icon="search" title={t("Nothing to search yet")}>
        <p>
          {index.pending_files > 0
            ? t("{files, plural, one {# file is} other {# files are}} being indexed: search again in a moment.", {
                files: index.pending_files,
              })
            : t("The library is empty.")}
        </p>
        <Link class="button" to="/library">
          {t("Go to the library")}
        </Link>
      </Empty>
    )
  return (
    <Empty icon="search" title={t("Nothing found")}>
      <p>
        {t("{files, plural, one {# file} other {# files}} can be searched. Try other words, or fewer of them.", {
          files: index.searchable_files,
        })}
      </p>
      <div class="row">
        {onWiden && <Button onClick={onWiden}>{t("Search without the filters")}</Button>}
        {exact && <Button onClick={() => onExact(false)}>{t("Search for similar words too")}</Button>}
      </div>
    </Empty>
  )
}
