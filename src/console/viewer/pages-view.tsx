/** Pages as pictures, one below the other: each is fetched when it comes into sight. */

import { useEffect, useRef } from "preact/hooks"
import { api, downloadUrl, query } from "../api.ts"
import { count } from "../format.ts"
import { useLoaded } from "../loading.ts"
import { t } from "../text.ts"
import type { PageBox, PageRecord } from "../wire.ts"
import type { Marking } from "./marked.tsx"
import type { Span } from "./spans.ts"

/** Twice what a panel is wide, for screens of fine pixels. */
const PICTURE_WIDTH = 1_400

interface PagesViewProps extends Marking {
  fileId: string
  name: string
  pages: readonly PageRecord[]
  /** Where the reader is, from 1. */
  page: number
  onPage: (page: number) => void
}

export function PagesView({ fileId, name, pages, page, onPage, current, spans }: PagesViewProps) {
  const box = useRef<HTMLElement>(null)
  const seen = useRef(1)
  useEffect(() => {
    if (page !== seen.current) box.current!.children[page - 1]?.scrollIntoView({ block: "start" })
    seen.current = page
  }, [page])
  const showWhereItIs = () => {
    const middle = box.current!.scrollTop + box.current!.clientHeight / 3
    const at = [...box.current!.children].findLastIndex(each => (each as HTMLElement).offsetTop <= middle)
    seen.current = Math.max(1, at + 1)
    if (seen.current !== page) onPage(seen.current)
  }
  const onPages = new Map<number, Span[]>()
  for (const span of spans)
    for (const near of pagesNear(pages, span)) onPages.set(near, [...(onPages.get(near) ?? []), span])
  return (
    <section
      ref={box}
      class="page-pictures"
      aria-label={t("Pages")}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={showWhereItIs}
    >
      {pages.map(({ page, width, height }) => (
        <figure key={page} data-page={page}>
          <img
            src={downloadUrl(`/libraries/${fileId}/pages/${page}.png${query({ width: PICTURE_WIDTH })}`)}
            alt={t("Page {page} of {name}", { page: count(page), name })}
            loading="lazy"
            width={Math.round(width)}
            height={Math.round(height)}
          />
          {(onPages.get(page) ?? []).map(span => (
            <PageMarks
              key={`${span.start} ${span.end}`}
              address={`/libraries/${fileId}/pages/${page}/marks${query({ start: span.start, end: span.end })}`}
              isCurrent={span === current}
            />
          ))}
        </figure>
      ))}
    </section>
  )
}

/** Boxes over the lines on which something stands; none where it stands on another page after all. */
function PageMarks({ address, isCurrent }: { address: string; isCurrent: boolean }) {
  const boxes = useLoaded(address, signal => api.get<PageBox[]>(address, signal)).data ?? []
  const first = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    if (isCurrent) first.current?.scrollIntoView({ block: "center" })
  }, [isCurrent, boxes.length])
  const share = (value: number) => `${value * 100}%`
  return (
    <>
      {boxes.map(({ x, y, width, height }, i) => (
        <span
          key={i}
          {...(i === 0 ? { ref: first } : {})}
          class={isCurrent ? "page-mark current" : "page-mark"}
          style={{ left: share(x), top: share(y), width: share(width), height: share(height) }}
        />
      ))}
    </>
  )
}

/** Line breaks between the texts of two pages, at most: where a page begins is known but for these. */
const BETWEEN = 2

/** The pages on which something may stand, so far as their lengths tell. */
function pagesNear(pages: readonly PageRecord[], { start, end }: Span): number[] {
  const near: number[] = []
  let shortest = 0
  for (const [i, { page, characters }] of pages.entries()) {
    const longest = shortest + i * BETWEEN
    if (shortest <= end && longest + characters >= start) near.push(page)
    shortest += characters
  }
  return near
}

/** The page on which something most likely begins. */
export const pageOfSpan = (pages: readonly PageRecord[], span: Span): number => {
  let at = 0
  for (const { page, characters } of pages) {
    if (characters > 0) at += characters + (at > 0 ? BETWEEN : 0)
    if (span.start < at) return page
  }
  return pages.length
}
