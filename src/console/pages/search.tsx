import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { api, query } from "../api.ts"
import { placeOf } from "../format.ts"
import { Lazy } from "../lazy.tsx"
import { useLoaded, useSettled } from "../loading.ts"
import { go, usePlace } from "../router.tsx"
import { rich, spoken, t } from "../text.ts"
import { Button } from "../ui/button.tsx"
import { focusOnce, Problem, Segments, Switch } from "../ui/form.tsx"
import { Icon } from "../ui/icons.tsx"
import { Empty, Page } from "../ui/page.tsx"
import type { Hit, SearchMode, SearchResult } from "../wire.ts"
import { stepThroughHits } from "./search/keys.ts"
import { filtersOf, isNarrow, NarrowingBar, narrowingIn, wide } from "./search/narrowing.tsx"
import { Results } from "./search/results.tsx"

const loadFile = async () => (await import("./library/file-view.tsx")).FileView

const MODES = [
  ["hybrid", "Hybrid"],
  ["keyword", "Keyword"],
  ["semantic", "Semantic"],
] as const

const PAGE_SIZE = 20
/** Of one answer. */
const MAX_LIMIT = 100

interface Opened {
  fileId: string
  /** Offsets into its text. */
  start: number
  end: number
}

/** The passage that an address opens, written as `file=ID&at=START-END`. */
function openedIn(address: URLSearchParams): Opened | null {
  const [, start, end] = /^(\d+)-(\d+)$/.exec(address.get("at") ?? "") ?? []
  const fileId = address.get("file")
  return fileId && start && end ? { fileId, start: Number(start), end: Number(end) } : null
}

const SWITCHES = ["explain", "rerank", "exact", "flat"] as const
type Switches = Record<(typeof SWITCHES)[number], boolean>

const switchesIn = (address: URLSearchParams) =>
  Object.fromEntries(SWITCHES.map(name => [name, address.has(name)])) as Switches

/** All that is asked, which the address holds. */
function useQuestion() {
  const { query: address } = usePlace()
  const [text, setText] = useState(address.get("q") ?? "")
  const [mode, setMode] = useState<SearchMode>((address.get("mode") as SearchMode) || "hybrid")
  const [narrowing, setNarrowing] = useState(() => narrowingIn(address))
  const [switches, setSwitches] = useState(() => switchesIn(address))
  const [limit, setLimit] = useState(PAGE_SIZE)
  const [opened, setOpened] = useState(() => openedIn(address))
  const asked = useSettled(text.trim(), 150)
  const settled = useSettled(narrowing, 150)
  const on = SWITCHES.filter(name => switches[name])
  const question = query({
    q: asked,
    mode: mode === "hybrid" ? "" : mode,
    ...settled,
    ...Object.fromEntries(on.map(name => [name, 1])),
  })
  useEffect(() => setLimit(PAGE_SIZE), [question])
  const place = opened ? { file: opened.fileId, at: `${opened.start}-${opened.end}` } : {}
  const whole = question + (question ? query(place).replace("?", "&") : query(place))
  // At once with what is shown: whoever reloads then sees the same.
  useLayoutEffect(() => go(`/search${whole}`, true), [whole])
  const { explain, rerank, exact, flat } = switches
  const request = {
    query: asked,
    mode,
    limit,
    explain,
    rerank,
    exact,
    filters: filtersOf(settled),
    ...(flat ? {} : { group_by: "file" as const }),
  }
  const turn = (name: keyof Switches, value: boolean) => setSwitches(before => ({ ...before, [name]: value }))
  return {
    ...{ text, setText, mode, setMode, narrowing, setNarrowing, switches, turn, opened, setOpened, asked, request },
    more: limit < MAX_LIMIT ? () => setLimit(Math.min(MAX_LIMIT, limit + PAGE_SIZE)) : undefined,
  }
}

export function SearchPage() {
  const { asked, request, opened, setOpened, narrowing, setNarrowing, switches, turn, ...question } = useQuestion()
  const result = useLoaded(JSON.stringify(request), async signal =>
    asked ? await api.post<SearchResult>("/search", request, { signal }) : null,
  )
  // Hits of another question would look like the answer to this one.
  const found = asked && !result.error ? result.data : null
  const frame = useRef<HTMLDivElement>(null)
  const open = ({ file, position: { start, end } }: Hit) => setOpened({ fileId: file.id, start, end })
  const shownHit =
    opened && found?.hits.find(hit => hit.file.id === opened.fileId && hit.position.start === opened.start)
  return (
    <Page title={t("Search")}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: hears the arrows of the field and the buttons inside */}
      <div class="stack" ref={frame} onKeyDown={event => stepThroughHits(event, frame.current!)}>
        <SearchBar text={question.text} onText={question.setText} mode={question.mode} onMode={question.setMode} />
        <NarrowingBar narrowing={narrowing} onChange={setNarrowing}>
          <Switch label={t("By file")} checked={!switches.flat} onChange={on => turn("flat", !on)} />
          <Switch label={t("Rerank")} checked={switches.rerank} onChange={on => turn("rerank", on)} />
          <Switch label={t("Explain")} checked={switches.explain} onChange={on => turn("explain", on)} />
        </NarrowingBar>
        <Failed error={result.error} onAgain={result.reload} />
        <Results
          found={found}
          query={asked}
          request={request}
          exact={switches.exact}
          onExact={exact => turn("exact", exact)}
          onQuery={question.setText}
          onWiden={isNarrow(narrowing) ? () => setNarrowing(wide) : undefined}
          onMore={question.more}
          onOpen={open}
        />
        {!asked && <Asking />}
      </div>
      {opened && (
        <Lazy
          load={loadFile}
          props={{
            fileId: opened.fileId,
            passage: shownHit ? shownHit.position : opened,
            ...(shownHit ? { place: placeOf(shownHit.position) } : {}),
            onClose: () => setOpened(null),
          }}
        />
      )}
    </Page>
  )
}

function Failed({ error, onAgain }: { error: Error | undefined; onAgain: () => void }) {
  if (!error) return null
  return (
    <>
      <Problem error={error} />
      <div class="row">
        <Button icon="refresh" onClick={onAgain}>
          {t("Search again")}
        </Button>
      </div>
    </>
  )
}

const Asking = () => (
  <Empty icon="search" title={t("Search the library")}>
    <p>{t("Keyword search matches words as written, semantic search what they mean. Hybrid uses both.")}</p>
    <p class="soft">
      {rich("<slash/> comes back here, <down/> and <up/> go through what was found, <enter/> opens it.", {
        slash: <kbd>/</kbd>,
        down: <kbd>↓</kbd>,
        up: <kbd>↑</kbd>,
        enter: <kbd>Enter</kbd>,
      })}
    </p>
  </Empty>
)

interface SearchBarProps {
  text: string
  onText: (text: string) => void
  mode: SearchMode
  onMode: (mode: SearchMode) => void
}

const SearchBar = ({ text, onText, mode, onMode }: SearchBarProps) => (
  <search class="search-bar">
    <label class="unseen" for="search-text">
      {t("Search the library")}
    </label>
    <Icon name="search" />
    <input
      id="search-text"
      class="input"
      type="search"
      dir="auto"
      placeholder={t("What are you looking for?")}
      autocomplete="off"
      maxLength={2000}
      ref={focusOnce}
      value={text}
      onInput={event => onText(event.currentTarget.value)}
    />
    <Segments label={t("Mode")} value={mode} options={spoken(MODES)} onChange={onMode} />
  </search>
)
