import { api } from "../../api.ts"
import { useLoaded } from "../../loading.ts"
import type { DoorProps } from "../../page-props.ts"
import { go } from "../../router.tsx"
import { rich, t } from "../../text.ts"
import type { InvitationRecord } from "../../wire.ts"
import { DeadLink, Door, DoorForm, givenName, useLinkToken } from "./door.tsx"

/** Makes the account of somebody who was invited. */
export function InvitationPage({ onSignedIn }: DoorProps) {
  const token = useLinkToken()
  const invitation = useLoaded(token, () => api.post<InvitationRecord>("/keys/invitations/check", { token }))
  if (invitation.loading) return null
  if (!invitation.data) return <DeadLink error={invitation.error} />
  return (
    <Door title={t("Join Carrel")}>
      <p class="soft">
        {rich("You are invited to the workspace <strong/> as <strong2/>.", {
          strong: <strong dir="auto">{invitation.data.workspace}</strong>,
          strong2: <strong>{invitation.data.email}</strong>,
        })}
      </p>
      <DoorForm
        fields={["name", "newPassword"]}
        action={t("Join")}
        onSend={async ({ name, newPassword }) => {
          await api.post("/keys/invitations/accept", { token, password: newPassword, ...givenName(name) })
          go("/", true)
          await onSignedIn()
        }}
      />
    </Door>
  )
}
