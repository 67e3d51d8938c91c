import { api } from "../../api.ts"
import { useLoaded } from "../../loading.ts"
import type { DoorProps } from "../../page-props.ts"
import { go } from "../../router.tsx"
import { rich, t } from "../../text.ts"
import { DeadLink, Door, DoorForm, useLinkToken } from "./door.tsx"

/** Sets a new password for somebody who has lost theirs. */
export function ResetPage({ onSignedIn }: DoorProps) {
  const token = useLinkToken()
  const user = useLoaded(token, () => api.post<{ email: string; name: string }>("/keys/resets/check", { token }))
  if (user.loading) return null
  if (!user.data) return <DeadLink error={user.error} />
  return (
    <Door title={t("A new password")}>
      <p class="soft">
        {rich("For <strong/>. All browsers that are signed in with the old one are signed out.", {
          strong: <strong>{user.data.email}</strong>,
        })}
      </p>
      <DoorForm
        fields={["newPassword"]}
        action={t("Set the password")}
        onSend={async ({ newPassword }) => {
          await api.post("/keys/resets/accept", { token, password: newPassword })
          go("/", true)
          await onSignedIn()
        }}
      />
    </Door>
  )
}
