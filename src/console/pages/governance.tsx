/** What was used, who did what, what is kept for how long, and what proves that it is gone. For administrators. */
import { Lazy, type Load } from "../lazy.tsx"
import type { PageProps } from "../page-props.ts"
import { Empty, Page, Tabs } from "../ui/page.tsx"

interface Part {
  path: string
  title: string
  load: Load<PageProps>
}

/** Another part is a file in `governance/` and a line here. */
const PARTS: readonly Part[] = [
  { path: "usage", title: "Usage", load: async () => (await import("./governance/usage.tsx")).UsagePart },
  { path: "audit", title: "Audit", load: async () => (await import("./governance/audit.tsx")).AuditPart },
  {
    path: "retention",
    title: "Retention",
    load: async () => (await import("./governance/retention.tsx")).RetentionPart,
  },
  { path: "holds", title: "Holds", load: async () => (await import("./governance/holds.tsx")).HoldsPart },
  { path: "receipts", title: "Receipts", load: async () => (await import("./governance/receipts.tsx")).ReceiptsPart },
]

export function GovernancePage({ rest: [shown = PARTS[0]!.path, ...rest] }: PageProps) {
  const part = PARTS.find(({ path }) => path === shown)
  return (
    <Page title="Governance">
      <Tabs
        label="Governance"
        tabs={PARTS.map(({ path, title }) => ({ to: `/governance/${path}`, title }))}
        current={`/governance/${shown}`}
      />
      {part ? (
        <Lazy key={part.path} load={part.load} props={{ rest }} />
      ) : (
        <Empty icon="shield" title="There is no such section" />
      )}
    </Page>
  )
}
