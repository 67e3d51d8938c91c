import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { count } from "../format.ts"
import { Link } from "../router.tsx"
import { t } from "../text.ts"
import type { Page as ListPage } from "../wire.ts"
import { Button } from "./button.tsx"
import { Icon, type IconName } from "./icons.tsx"

interface PageProps {
  title: string
  actions?: ComponentChildren
  children: ComponentChildren
}

export function Page({ title, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Carrel`
  }, [title])
  return (
    <div class="page">
      <header class="page-head">
        <h1>{title}</h1>
        <div class="row">{actions}</div>
      </header>
      {children}
    </div>
  )
}

export interface Tab {
  /** Its address. */
  to: string
  title: string
}

/** Parts of a page, each with an address; nothing where there is one. */
export function Tabs({ label, tabs, current }: { label: string; tabs: readonly Tab[]; current: string }) {
  const bar = useRef<HTMLElement>(null)
  // On a phone the one that is shown may lie beside the window.
  useEffect(() => {
    bar.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" })
  }, [current])
  return tabs.length < 2 ? null : (
    <nav class="tabs" aria-label={label} ref={bar}>
      {tabs.map(({ to, title }) => (
        <Link key={to} to={to} current={to === current}>
          {title}
        </Link>
      ))}
    </nav>
  )
}

interface EmptyProps {
  icon: IconName
  title: string
  children?: ComponentChildren
}

export const Empty = ({ icon, title, children }: EmptyProps) => (
  <div class="empty">
    <Icon name={icon} />
    <h2>{title}</h2>
    {children}
  </div>
)

interface PagesProps {
  of: ListPage<unknown>["pagination"]
  onPage: (page: number) => void
}

/** Back and forth through a list; nothing where one page holds it all. */
export function Pages({ of, onPage }: PagesProps) {
  if (of.total_pages <= 1) return null
  return (
    <nav class="pages" aria-label={t("Pages")}>
      <Button
        kind="quiet"
        icon="back"
        label={t("Previous page")}
        disabled={of.page <= 1}
        onClick={() => onPage(of.page - 1)}
      />
      <span>{t("Page {page} of {totalPages}", { page: count(of.page), totalPages: count(of.total_pages) })}</span>
      <Button
        kind="quiet"
        icon="forward"
        label={t("Next page")}
        disabled={!of.has_next}
        onClick={() => onPage(of.page + 1)}
      />
    </nav>
  )
}
