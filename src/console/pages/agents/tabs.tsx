import { useAccount } from "../../session.ts"
import { tabsOf } from "../../tabs.ts"
import { t } from "../../text.ts"
import { Tabs } from "../../ui/page.tsx"

export const AgentsTabs = ({ current }: { current: "/agents" | "/agents/schedules" | "/agents/batches" }) => (
  <Tabs label={t("Agents")} tabs={tabsOf("agents", useAccount().me.user.role)} current={current} />
)
