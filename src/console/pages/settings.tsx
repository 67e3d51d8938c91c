import { Link } from "../router.tsx"
import { useAccount } from "../session.ts"
import { Empty, Page } from "../ui/page.tsx"
import { AccountSettings } from "./settings/account.tsx"
import { ApiSettings } from "./settings/api-keys.tsx"
import { UsersSettings } from "./settings/users.tsx"
import { WorkspacesSettings } from "./settings/workspaces.tsx"

const SECTIONS = {
  api: { title: "API", show: ApiSettings, administratorsOnly: false },
  account: { title: "Account", show: AccountSettings, administratorsOnly: false },
  users: { title: "Users", show: UsersSettings, administratorsOnly: true },
  workspaces: { title: "Workspaces", show: WorkspacesSettings, administratorsOnly: true },
} as const

export function SettingsPage({ section }: { section: string }) {
  const { me } = useAccount()
  const reachable = Object.entries(SECTIONS).filter(
    ([, { administratorsOnly }]) => !administratorsOnly || me.user.role === "administrator",
  )
  const Section = reachable.find(([name]) => name === section)?.[1].show
  return (
    <Page title="Settings">
      <nav class="tabs" aria-label="Settings">
        {reachable.map(([name, { title }]) => (
          <Link key={name} to={`/settings/${name}`} current={name === section}>
            {title}
          </Link>
        ))}
      </nav>
      {Section ? <Section /> : <Empty icon="settings" title="There is no such section" />}
    </Page>
  )
}
