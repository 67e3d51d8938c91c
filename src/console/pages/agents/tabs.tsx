import { Tabs } from "../../ui/page.tsx"

const TABS = [
  { to: "/agents", title: "Runs" },
  { to: "/agents/schedules", title: "Schedules" },
  { to: "/agents/batches", title: "Batches" },
] as const

export const AgentsTabs = ({ current }: { current: (typeof TABS)[number]["to"] }) => (
  <Tabs label="Agents" tabs={TABS} current={current} />
)
