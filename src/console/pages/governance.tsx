/** What was used, who did what, what is kept for how long, and what proves that it is gone. For administrators. */

import { Lazy, type Load } from "../lazy.tsx"
import type { PageProps } from "../page-props.ts"
import { useAccount } from "../session.ts"
import { type TABS, tabsOf } from "../tabs.ts"
import { t } from "../text.ts"
import { Empty, Page, Tabs } from "../ui/page.tsx"

/** Another part is a file in `governance/`, a line here and one in `tabs.ts`. */
const PARTS: Record<string, Load<PageProps>> = {
  usage: async () => (await import("./governance/usage.tsx")).UsagePart,
  audit: async () => (await import("./governance/audit.tsx")).AuditPart,
  retention: async () => (await import("./governance/retention.tsx")).RetentionPart,
  holds: async () => (await import("./governance/holds.tsx")).HoldsPart,
  receipts: async () => (await import("./governance/receipts.tsx")).ReceiptsPart,
} satisfies Record<(typeof TABS.governance)[number]["path"], Load<PageProps>>

export function GovernancePage({ rest: [shown = "usage", ...rest] }: PageProps) {
  const { me } = useAccount()
  const load = PARTS[shown]
  return (
    <Page title={t("Governance")}>
      <Tabs label={t("Governance")} tabs={tabsOf("governance", me.user.role)} current={`/governance/${shown}`} />
      {load ? (
        <Lazy key={shown} load={load} props={{ rest }} />
      ) : (
        <Empty icon="shield" title={t("There is no such section")} />
      )}
    </Page>
  )
}
