/** A document as it is read: its pages, sheets, slides, mail or text, with what the reader was led to marked. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { api, isGone } from "../api.ts"
import { type Loaded, useLoaded } from "../loading.ts"
import { t } from "../text.ts"
import { Problem } from "../ui/form.tsx"
import type { FileRecord, PageRecord, Position } from "../wire.ts"
import { Finder } from "./finder.tsx"
import { GridView } from "./grid-view.tsx"
import { MailHead, mailBodyOf } from "./mail-head.tsx"
import { PagesView, pageOfSpan } from "./pages-view.tsx"
import { PartTabs, Stepper } from "./part-bar.tsx"
import { loadParts, type Part, partAt } from "./places.ts"
import { matchesOf, type Span, supportOf } from "./spans.ts"
import { TextView } from "./text-view.tsx"

const SHEETS = new Set(["xlsx", "xls", "ods", "csv", "tsv"])
const SLIDES = new Set(["pptx", "ppt", "odp"])
const MAILS = new Set(["eml", "msg"])

export interface DocumentViewProps {
  file: FileRecord
  /** The place that it opens at. */
  passage?: (Partial<Position> & Span) | undefined
  /** What an answer says by that passage. */
  claim?: string
}

export function DocumentView({ file, passage, claim }: DocumentViewProps) {
  const text = useLoaded(file.id, signal => api.text(`/libraries/${file.id}/text`, signal))
  const pages = usePages(file)
  const parts = useLoaded(`${file.id} ${text.data?.length}`, async signal =>
    text.data === undefined
      ? undefined
      : hasParts(file.type)
        ? await loadParts(file.id, text.data.length, signal)
        : wholeOf(text.data),
  )
  if (text.error) return <Problem error={text.error} />
  if (text.data === undefined || !parts.data || pages.loading) {
    if (parts.error) return <Problem error={parts.error} />
    return <p class="soft">{t("Loading the document …")}</p>
  }
  return (
    <Reader
      file={file}
      text={text.data}
      pages={pages.data ?? []}
      parts={parts.data}
      {...(passage ? { passage } : {})}
      {...(claim ? { claim } : {})}
    />
  )
}

const hasParts = (type: string): boolean => SLIDES.has(type) || MAILS.has(type) || ["xlsx", "xls", "ods"].includes(type)
const wholeOf = ({ length }: string): Part[] => [{ name: "", kind: "rest", slide: null, start: 0, end: length }]

/** None of files that have none to show: their text is read in their place. */
const usePages = (file: FileRecord): Loaded<PageRecord[]> =>
  useLoaded(file.id, async signal => {
    if (file.type !== "pdf" && !file.mime_type.startsWith("image/")) return []
    return api.get<PageRecord[]>(`/libraries/${file.id}/pages`, signal).catch(error => {
      if (isGone(error) || error.status === 409) return []
      throw error
    })
  })

interface ReaderProps extends DocumentViewProps {
  text: string
  pages: readonly PageRecord[]
  parts: readonly Part[]
}

function Reader({ file, text, pages, parts, passage, claim }: ReaderProps) {
  const { words, look, step, setStep, support, spans, current } = useMarks(text, passage, claim)
  const [asText, setAsText] = useState(false)
  const [page, setPage] = useState(passage?.page ?? (current ? pageOfSpan(pages, current) : 1))
  const [partNumber, setPart] = useState(partAt(parts, current?.start ?? 0))
  useEffect(() => {
    if (!current) return
    setPart(partAt(parts, current.start))
    if (pages.length > 0 && words.trim()) setPage(pageOfSpan(pages, current))
  }, [current])
  const part = parts[partNumber]!
  const marking = { spans, current }
  const paged = pages.length > 0 && !asText
  const slides = SLIDES.has(file.type)
  const unit = paged
    ? { unit: "page" as const, at: page, of: pages.length }
    : { unit: "slide" as const, at: partNumber + 1, of: parts.length }
  const go = (to: number) => (paged ? setPage(to) : setPart(to - 1))
  const hasSteps = paged || (slides && parts.length > 1)
  const host = useRef<HTMLDivElement>(null)
  useArrows(host, hasSteps ? by => go(Math.min(unit.of, Math.max(1, unit.at + by))) : undefined)
  return (
    <div class="viewer" ref={host}>
      <div class="viewer-bar">
        {hasSteps && <Stepper {...unit} onGo={go} />}
        {pages.length > 0 && !isPicture(file) && (
          <button type="button" class="button quiet" aria-pressed={asText} onClick={() => setAsText(!asText)}>
            {t("Text")}
          </button>
        )}
        <Finder words={words} onWords={look} at={step} of={spans.length} onGo={setStep} />
      </div>
      {!slides && parts.length > 1 && <PartTabs parts={parts} current={partNumber} onChoose={setPart} />}
      <div class={paged && isPicture(file) ? "viewer-body with-text" : "viewer-body"}>
        {paged && (
          <PagesView
            fileId={file.id}
            name={file.name}
            pages={pages}
            page={page}
            onPage={setPage}
            spans={[...support, ...(current && words.trim() ? [current] : [])]}
            current={current}
          />
        )}
        {(!paged || isPicture(file)) && <PartView {...{ file, text, part, marking, isFirst: partNumber === 0 }} />}
      </div>
    </div>
  )
}

/** What is marked: the words that are searched for, else what supports the answer; and which of it the reader is led to. */
function useMarks(text: string, passage: Span | undefined, claim: string | undefined) {
  const [words, setWords] = useState("")
  const support = useMemo(
    () => (passage ? supportOf(text, passage, claim) : []),
    [text, passage?.start, passage?.end, claim],
  )
  const found = useMemo(() => matchesOf(text, words), [text, words])
  const spans = words.trim() ? found : support
  const [step, setStep] = useState(0)
  const look = (next: string) => {
    setWords(next)
    setStep(0)
  }
  const current = spans[Math.min(step, spans.length - 1)]
  return { words, look, step, setStep, support, spans, current }
}

const isPicture = ({ mime_type }: FileRecord): boolean => mime_type.startsWith("image/")

interface PartViewProps {
  file: FileRecord
  text: string
  part: Part
  marking: { spans: readonly Span[]; current: Span | undefined }
  isFirst: boolean
}

function PartView({ file, text, part, marking, isFirst }: PartViewProps) {
  if (SHEETS.has(file.type) && part.kind !== "member")
    return <GridView key={part.start} text={text} part={part} name={part.name} {...marking} />
  const isMail = MAILS.has(file.type) && isFirst
  const shown = isMail ? { start: mailBodyOf(text, part), end: part.end } : part
  return (
    <>
      {isMail && <MailHead text={text.slice(part.start, shown.start)} from={part.start} {...marking} />}
      <TextView key={part.start} text={text} part={shown} {...marking} />
    </>
  )
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches("input, select, textarea")

/** Of the dialog or panel in which the document lies. */
function useArrows(host: { current: HTMLElement | null }, onStep: ((by: number) => void) | undefined): void {
  const latest = useRef(onStep)
  latest.current = onStep
  useEffect(() => {
    const frame = host.current!.closest<HTMLElement>("dialog, aside") ?? host.current!
    const listen = (event: KeyboardEvent) => {
      const isFind = event.key === "f" && (event.ctrlKey || event.metaKey)
      if (isFind || (event.key === "/" && !isField(event.target))) {
        const field = host.current!.querySelector<HTMLInputElement>("input[type=search]")!
        field.focus()
        field.select()
      } else if (event.key.startsWith("Arrow") && !isField(event.target) && latest.current && !inGrid(event)) {
        if (event.key === "ArrowLeft") latest.current(-1)
        else if (event.key === "ArrowRight") latest.current(1)
        else return
      } else return
      event.preventDefault()
    }
    frame.addEventListener("keydown", listen)
    return () => frame.removeEventListener("keydown", listen)
  }, [])
}

/** Where the arrows scroll sideways. */
const inGrid = ({ target }: Event): boolean => target instanceof Element && target.closest(".sheet") !== null
