/** Parts of pages that have addresses of their own: the pages show them as tabs, the palette leads to them. */
import { type Text, t } from "./text.ts"
import type { Tab } from "./ui/page.tsx"
import type { UserRole } from "./wire.ts"

interface TabEntry {
  /** Behind the page's own; empty for the one that the page opens with. */
  path: string
  title: Text
  /** Who may see it; everybody where it is left out. */
  role?: UserRole
}

const administrator = "administrator"

/** By page. Of another one the page itself says what it shows. */
export const TABS = {
  library: [
    { path: "", title: "Files" },
    { path: "sources", title: "Sources", role: administrator },
  ],
  agents: [
    { path: "", title: "Runs" },
    { path: "schedules", title: "Schedules" },
    { path: "batches", title: "Batches" },
  ],
  governance: [
    { path: "usage", title: "Usage", role: administrator },
    { path: "audit", title: "Audit", role: administrator },
    { path: "retention", title: "Retention", role: administrator },
    { path: "holds", title: "Holds", role: administrator },
    { path: "receipts", title: "Receipts", role: administrator },
  ],
  settings: [
    { path: "api", title: "API" },
    { path: "webhooks", title: "Webhooks" },
    { path: "account", title: "Account" },
    { path: "users", title: "Users", role: administrator },
    { path: "sign-in", title: "Sign-in", role: administrator },
    { path: "workspaces", title: "Workspaces", role: administrator },
    { path: "models", title: "Models", role: administrator },
    { path: "tools", title: "Tools", role: administrator },
    { path: "storage", title: "Storage", role: administrator },
    { path: "backups", title: "Backups", role: administrator },
    { path: "failures", title: "Failures", role: administrator },
    { path: "daemon", title: "Daemon", role: administrator },
  ],
} as const satisfies Record<string, readonly TabEntry[]>

export type TabbedPage = keyof typeof TABS

export function tabsOf(page: TabbedPage, role: UserRole): Tab[] {
  const entries: readonly TabEntry[] = TABS[page]
  return entries
    .filter(({ role: needed }) => needed === undefined || needed === role)
    .map(({ path, title }) => ({ to: `/${page}${path && `/${path}`}`, title: t(title) }))
}
