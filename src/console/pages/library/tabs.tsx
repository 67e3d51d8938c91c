import { useAccount } from "../../session.ts"
import { Tabs } from "../../ui/page.tsx"

/** Sources bring files for everybody and hold credentials: they are the administrators'. */
export function LibraryTabs({ current }: { current: "/library" | "/library/sources" }) {
  const { me } = useAccount()
  const sources = me.user.role === "administrator" ? [{ to: "/library/sources", title: "Sources" }] : []
  return <Tabs label="Library" tabs={[{ to: "/library", title: "Files" }, ...sources]} current={current} />
}
