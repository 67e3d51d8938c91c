import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { api, query } from "../api.ts"
import { count, DAY_MS, placeOf, plural } from "../format.ts"
import { useLoaded, useSettled } from "../loading.ts"
import { go, usePlace } from "../router.tsx"
import { Button } from "../ui/button.tsx"
import { focusOnce, Problem, Segments, Select, Switch, TextField } from "../ui/form.tsx"
import { Icon } from "../ui/icons.tsx"
import { Empty, Page } from "../ui/page.tsx"
import { useUploadRules } from "../uploads.ts"
import type { Hit, SearchFilters, SearchMode, SearchResult } from "../wire.ts"
import { FileView } from "./library/file-view.tsx"
import { typeOptions } from "./library/filters.tsx"
import { HitCard } from "./search/hit-card.tsx"

const MODES = [
  ["hybrid", "Hybrid"],
  ["keyword", "Keyword"],
  ["semantic", "Semantic"],
] as const

const PAGE_SIZE = 20
/** Of one answer. */
const MAX_HITS = 100

const AGES = [
  ["", "Any time"],
  ["1", "Last day"],
  ["7", "Last week"],
  ["30", "Last month"],
  ["365", "Last year"],
] as const

interface Narrowing {
  types: string
  tags: string
  context: string
  age: string
}

const narrowingIn = (address: URLSearchParams): Narrowing => ({
  types: address.get("types") ?? "",
  tags: address.get("tags") ?? "",
  context: address.get("context") ?? "",
  age: address.get("age") ?? "",
})

export function SearchPage() {
  const { query: address } = usePlace()
  const [text, setText] = useState(address.get("q") ?? "")
  const [mode, setMode] = useState<SearchMode>((address.get("mode") as SearchMode) || "hybrid")
  const [narrowing, setNarrowing] = useState<Narrowing>(() => narrowingIn(address))
  const [explain, setExplain] = useState(address.has("explain"))
  const [rerank, setRerank] = useState(address.has("rerank"))
  const [limit, setLimit] = useState(PAGE_SIZE)
  const [opened, setOpened] = useState<Hit | null>(null)
  const asked = useSettled(text.trim(), 150)
  const settled = useSettled(narrowing, 150)
  const request = { query: asked, mode, limit, explain, rerank, filters: filtersOf(settled) }
  const key = JSON.stringify(request)
  const result = useLoaded(key, async signal =>
    asked ? await api.post<SearchResult>("/search", request, { signal }) : null,
  )
  useEffect(() => {
    const switches = { rerank: rerank ? 1 : null, explain: explain ? 1 : null }
    go(`/search${query({ q: asked, mode: mode === "hybrid" ? "" : mode, ...settled, ...switches })}`, true)
    setLimit(PAGE_SIZE)
  }, [asked, mode, settled, rerank, explain])
  return (
    <Page title="Search">
      <SearchBar text={text} onText={setText} mode={mode} onMode={setMode} />
      <NarrowingBar narrowing={narrowing} onChange={setNarrowing}>
        <Switch label="Rerank" checked={rerank} onChange={setRerank} />
        <Switch label="Explain" checked={explain} onChange={setExplain} />
      </NarrowingBar>
      <Problem error={result.error} />
      <Results
        found={asked ? result.data : null}
        limit={limit}
        explain={explain}
        onMore={() => setLimit(Math.min(MAX_HITS, limit + PAGE_SIZE))}
        onOpen={setOpened}
      />
      {!asked && (
        <Empty icon="search" title="Search the library">
          <p>Keyword search matches words as written, semantic search what they mean. Hybrid uses both.</p>
        </Empty>
      )}
      {opened && (
        <FileView
          fileId={opened.file.id}
          passage={opened.position}
          place={placeOf(opened.position)}
          onClose={() => setOpened(null)}
        />
      )}
    </Page>
  )
}

interface SearchBarProps {
  text: string
  onText: (text: string) => void
  mode: SearchMode
  onMode: (mode: SearchMode) => void
}

const SearchBar = ({ text, onText, mode, onMode }: SearchBarProps) => (
  <search class="search-bar">
    <label class="unseen" for="search-text">
      Search the library
    </label>
    <Icon name="search" />
    <input
      id="search-text"
      class="input"
      type="search"
      dir="auto"
      placeholder="What are you looking for?"
      autocomplete="off"
      maxLength={2000}
      ref={focusOnce}
      value={text}
      onInput={event => onText(event.currentTarget.value)}
    />
    <Segments label="Mode" value={mode} options={MODES} onChange={onMode} />
  </search>
)

interface ResultsProps {
  /** Nothing before anything was asked, and until the first answer. */
  found: SearchResult | null | undefined
  limit: number
  explain: boolean
  onMore: () => void
  onOpen: (hit: Hit) => void
}

const Results = ({ found, limit, explain, onMore, onOpen }: ResultsProps) => (
  <>
    <p class="soft small" role="status">
      {found &&
        `${found.total >= limit ? "The best " : ""}${plural(found.hits.length, "passage")} in ${found.took_ms.toFixed(0)} ms`}
      {found && found.index.pending_files > 0 && ` · ${plural(found.index.pending_files, "file")} still being indexed`}
    </p>
    {found?.degraded === "keyword_only" && (
      <p class="notice">
        <Icon name="warning" /> The embedding model is not available or does not know the words of the query: these
        results come from keywords only.
      </p>
    )}
    {found?.degraded === "not_reranked" && (
      <p class="soft small">Not reranked: there was no time for it, or the model is off.</p>
    )}
    {found && found.index.vectors.done < found.index.vectors.total && (
      <p class="soft small">
        Meaning is known in full of {count(found.index.vectors.done)} of {count(found.index.vectors.total)} passages:
        more of it is being worked out, and the order may still change.
      </p>
    )}
    {found && found.corrections.length > 0 && <Corrections of={found.corrections} />}
    {found && found.hits.length > 0 && (
      <ol class="hits">
        {found.hits.map(hit => (
          <HitCard key={hit.id} hit={hit} explain={explain} onOpen={() => onOpen(hit)} />
        ))}
      </ol>
    )}
    {found && found.total > found.hits.length && limit < MAX_HITS && (
      <div class="row">
        <Button onClick={onMore}>Show more</Button>
      </div>
    )}
    {found && found.hits.length === 0 && (
      <Empty icon="search" title="Nothing found">
        <p>
          {found.index.searchable_files === 0
            ? "The library is empty."
            : `${count(found.index.searchable_files)} files were searched. Try other words, or fewer filters.`}
        </p>
      </Empty>
    )}
  </>
)

const Corrections = ({ of }: { of: SearchResult["corrections"] }) => (
  <p class="soft small">
    Also searched for {of.flatMap(({ tried }) => tried).join(", ")}: no file holds{" "}
    {of.map(({ word }) => word).join(", ")}.
  </p>
)

interface NarrowingBarProps {
  narrowing: Narrowing
  onChange: (narrowing: Narrowing) => void
  /** Switches of what else the search is to do. */
  children: ComponentChildren
}

function NarrowingBar({ narrowing, onChange, children }: NarrowingBarProps) {
  const set = (change: Partial<Narrowing>) => onChange({ ...narrowing, ...change })
  return (
    <div class="filters">
      <Select
        label="Type"
        value={narrowing.types}
        options={typeOptions(useUploadRules())}
        onChange={types => set({ types })}
      />
      <Select label="Added" value={narrowing.age} options={AGES} onChange={age => set({ age })} />
      <TextField label="Tags" value={narrowing.tags} onInput={tags => set({ tags })} />
      <TextField label="Context" value={narrowing.context} onInput={context => set({ context })} />
      {children}
    </div>
  )
}

function filtersOf({ types, tags, context, age }: Narrowing): SearchFilters {
  const list = (value: string) =>
    value
      .split(",")
      .map(item => item.trim())
      .filter(Boolean)
  const midnight = new Date().setHours(0, 0, 0, 0) // a boundary that stays, so that the request does not change by itself
  return {
    ...(types ? { types: list(types) } : {}),
    ...(tags.trim() ? { tags: list(tags) } : {}),
    ...(context.trim() ? { context_id: context.trim() } : {}),
    ...(age ? { created_after: new Date(midnight - (Number(age) - 1) * DAY_MS).toISOString() } : {}),
  }
}
