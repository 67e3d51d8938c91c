import { useAccount } from "../../session.ts"
import { tabsOf } from "../../tabs.ts"
import { t } from "../../text.ts"
import { Tabs } from "../../ui/page.tsx"

/** Sources bring files for everybody and hold credentials: they are the administrators'. */
export const LibraryTabs = ({ current }: { current: "/library" | "/library/sources" }) => (
  <Tabs label={t("Library")} tabs={tabsOf("library", useAccount().me.user.role)} current={current} />
)
