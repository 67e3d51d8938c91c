import type { ComponentType } from "preact"
import type { PageProps } from "../page-props.ts"
import { mayOpen, useAccount } from "../session.ts"
import { Empty, Page, Tabs } from "../ui/page.tsx"
import type { UserRole } from "../wire.ts"
import { AccountSettings } from "./settings/account.tsx"
import { ApiSettings } from "./settings/api-keys.tsx"
import { SignInSettings } from "./settings/sign-in.tsx"
import { UsersSettings } from "./settings/users.tsx"
import { WebhooksSettings } from "./settings/webhooks.tsx"
import { WorkspacesSettings } from "./settings/workspaces.tsx"

interface Section {
  path: string
  title: string
  /** Who may see it; everybody where it is left out. */
  role?: UserRole
  show: ComponentType
}

/** Another section is a file in `settings/` and a line here. */
const SECTIONS: readonly Section[] = [
  { path: "api", title: "API", show: ApiSettings },
  { path: "webhooks", title: "Webhooks", show: WebhooksSettings },
  { path: "account", title: "Account", show: AccountSettings },
  { path: "users", title: "Users", show: UsersSettings, role: "administrator" },
  { path: "sign-in", title: "Sign-in", show: SignInSettings, role: "administrator" },
  { path: "workspaces", title: "Workspaces", show: WorkspacesSettings, role: "administrator" },
]

export function SettingsPage({ rest: [shown = SECTIONS[0]!.path] }: PageProps) {
  const { me } = useAccount()
  const reachable = SECTIONS.filter(section => mayOpen(section, me.user.role))
  const Section = reachable.find(({ path }) => path === shown)?.show
  return (
    <Page title="Settings">
      <Tabs
        label="Settings"
        tabs={reachable.map(({ path, title }) => ({ to: `/settings/${path}`, title }))}
        current={`/settings/${shown}`}
      />
      {Section ? <Section /> : <Empty icon="settings" title="There is no such section" />}
    </Page>
  )
}
