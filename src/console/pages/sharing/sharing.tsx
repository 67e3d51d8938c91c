/** Sharing of conversations and runs, as their pages and lists show it. */

import { useState } from "preact/hooks"
import { Lazy } from "../../lazy.tsx"
import { useAccount } from "../../session.ts"
import { rich, t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Select } from "../../ui/form.tsx"
import { Icon } from "../../ui/icons.tsx"
import type { Me, Owner } from "../../wire.ts"
import type { ShareDialogProps } from "./share-dialog.tsx"

const loadDialog = async () => (await import("./share-dialog.tsx")).ShareDialog

/** What records tell of it. */
interface Shareable {
  owner: Owner | null
  shared: boolean
  shared_with: "users" | "workspace" | null
}

interface SharingProps extends Pick<ShareDialogProps, "path" | "onSaved"> {
  of: Shareable
}

/** For its owner the way to share it; for whom it is shared with, from whom it comes. */
export function Sharing({ path, of: { owner, shared, shared_with }, onSaved }: SharingProps) {
  const [open, setOpen] = useState(false)
  if (shared)
    return (
      <span class="badge">
        <Icon name="people" />
        <span class="name">{rich("From <bdi/>, to read", { bdi: <bdi>{nameOf(owner)}</bdi> })}</span>
      </span>
    )
  return (
    <>
      <Button icon="people" onClick={() => setOpen(true)}>
        {shared_with ? t("Shared") : t("Share")}
      </Button>
      {open && <Lazy load={loadDialog} props={{ path, owner, onSaved, onClose: () => setOpen(false) }} />}
    </>
  )
}

/** Behind the time in a list: whose it is where it is not one's own, and that others read it; nothing for most. */
export function Ownership({ of: { owner, shared, shared_with } }: { of: Shareable }) {
  const { me } = useAccount()
  return (
    <>
      {owner && owner.id !== me.user.id && (
        <>
          {" · "}
          <bdi>{nameOf(owner)}</bdi>
        </>
      )}
      {shared_with && !shared && ` · ${t("shared")}`}
    </>
  )
}

const nameOf = (owner: Owner | null): string => owner?.name || t("a user who was removed")

/** Administrators see those of everybody, with those that applications made; members their own and what is shared with them. */
const SHOWN = {
  administrator: [
    ["", "Of people", { owner_type: "user" }],
    ["applications", "Of applications", { owner_type: "key" }],
    ["all", "All", {}],
  ],
  member: [
    ["", "All", {}],
    ["own", "My own", { shared: "false" }],
    ["shared", "Shared with me", { shared: "true" }],
  ],
} as const satisfies Record<Me["user"]["role"], readonly (readonly [string, string, Record<string, string>])[]>

/** Whose a list shows, by the parameter `show` of its address, and what is asked for it. */
export function useShown(address: URLSearchParams) {
  const { me } = useAccount()
  const choices = SHOWN[me.user.role]
  const [show, , parameters] = choices.find(([value]) => value === address.get("show")) ?? choices[0]
  return { show, parameters: parameters as Record<string, string> }
}

interface ShownChoiceProps {
  show: string
  compact?: boolean
  onChange: (show: string) => void
}

export function ShownChoice({ show, compact = false, onChange }: ShownChoiceProps) {
  const { me } = useAccount()
  return (
    <Select
      label={t("Whose")}
      compact={compact}
      value={show}
      options={SHOWN[me.user.role].map(([value, text]) => [value as string, t(text)] as const)}
      onChange={onChange}
    />
  )
}
