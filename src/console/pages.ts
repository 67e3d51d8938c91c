/**
 * Every page of the console. Another one is a file in `pages/` and a line here: the router, the navigation and the
 * addresses that the web server answers all read this table.
 */
import type { Load } from "./lazy.tsx"
import type { DoorProps, PageProps } from "./page-props.ts"
import type { Text } from "./text.ts"
import type { IconName } from "./ui/icons.tsx"
import type { UserRole } from "./wire.ts"

export interface PageEntry {
  /** First part of its address. */
  path: string
  title: Text
  icon: IconName
  /** Who may see it; everybody who is signed in where it is left out. */
  role?: UserRole
  load: Load<PageProps>
}

/** In the order of the navigation. */
export const PAGES: readonly PageEntry[] = [
  {
    path: "",
    title: "Overview",
    icon: "overview",
    load: async () => (await import("./pages/overview.tsx")).OverviewPage,
  },
  {
    path: "library",
    title: "Library",
    icon: "library",
    load: async () => (await import("./pages/library.tsx")).LibraryPage,
  },
  {
    path: "search",
    title: "Search",
    icon: "search",
    load: async () => (await import("./pages/search.tsx")).SearchPage,
  },
  { path: "chat", title: "Chat", icon: "chat", load: async () => (await import("./pages/chat.tsx")).ChatPage },
  {
    path: "agents",
    title: "Agents",
    icon: "agents",
    load: async () => (await import("./pages/agents.tsx")).AgentsPage,
  },
  {
    path: "governance",
    title: "Governance",
    icon: "shield",
    role: "administrator",
    load: async () => (await import("./pages/governance.tsx")).GovernancePage,
  },
  {
    path: "settings",
    title: "Settings",
    icon: "settings",
    load: async () => (await import("./pages/settings.tsx")).SettingsPage,
  },
]

export interface DoorEntry {
  path: string
  load: Load<DoorProps>
}

/** Pages that a link opens before anybody is signed in. */
export const DOORS: readonly DoorEntry[] = [
  { path: "setup", load: async () => (await import("./pages/doors/setup.tsx")).SetupPage },
  { path: "invitation", load: async () => (await import("./pages/doors/invitation.tsx")).InvitationPage },
  { path: "reset", load: async () => (await import("./pages/doors/reset.tsx")).ResetPage },
]

/** First parts of the addresses that the console answers. */
export const ADDRESSES: readonly string[] = [...PAGES, ...DOORS].map(({ path }) => path)
