/** The own account, what applications use, and the whole installation for administrators. */

import { Lazy, type Load } from "../lazy.tsx"
import type { PageProps } from "../page-props.ts"
import { useAccount } from "../session.ts"
import { type TABS, tabsOf } from "../tabs.ts"
import { t } from "../text.ts"
import { Empty, Page, Tabs } from "../ui/page.tsx"

/** Another section is a file in `settings/`, a line here and one in `tabs.ts`. */
const SECTIONS: Record<string, Load<object>> = {
  api: async () => (await import("./settings/api-keys.tsx")).ApiSettings,
  webhooks: async () => (await import("./settings/webhooks.tsx")).WebhooksSettings,
  account: async () => (await import("./settings/account.tsx")).AccountSettings,
  users: async () => (await import("./settings/users.tsx")).UsersSettings,
  "sign-in": async () => (await import("./settings/sign-in.tsx")).SignInSettings,
  workspaces: async () => (await import("./settings/workspaces.tsx")).WorkspacesSettings,
  models: async () => (await import("./settings/models.tsx")).ModelsSettings,
  tools: async () => (await import("./settings/tool-servers.tsx")).ToolServersSettings,
  storage: async () => (await import("./settings/storage.tsx")).StorageSettings,
  backups: async () => (await import("./settings/backups.tsx")).BackupsSettings,
  failures: async () => (await import("./settings/failures.tsx")).FailuresSettings,
  daemon: async () => (await import("./settings/daemon.tsx")).DaemonSettings,
} satisfies Record<(typeof TABS.settings)[number]["path"], Load<object>>

export function SettingsPage({ rest: [shown = "api"] }: PageProps) {
  const { me } = useAccount()
  const tabs = tabsOf("settings", me.user.role)
  const current = `/settings/${shown}`
  const load = tabs.some(({ to }) => to === current) && SECTIONS[shown]
  return (
    <Page title={t("Settings")}>
      <Tabs label={t("Settings")} tabs={tabs} current={current} />
      {load ? (
        <Lazy key={shown} load={load} props={{}} />
      ) : (
        <Empty icon="settings" title={t("There is no such section")} />
      )}
    </Page>
  )
}
