import { api } from "../../api.ts"
import { useLoaded } from "../../loading.ts"
import type { DoorProps } from "../../page-props.ts"
import { go } from "../../router.tsx"
import type { InvitationRecord } from "../../wire.ts"
import { DeadLink, Door, DoorForm, givenName, useLinkToken } from "./door.tsx"

/** Makes the account of somebody who was invited. */
export function InvitationPage({ onSignedIn }: DoorProps) {
  const token = useLinkToken()
  const invitation = useLoaded(token, () => api.post<InvitationRecord>("/keys/invitations/check", { token }))
  if (invitation.loading) return null
  if (!invitation.data) return <DeadLink error={invitation.error} what="invitation" />
  return (
    <Door title="Join Carrel">
      <p class="soft">
        You are invited to the workspace <strong dir="auto">{invitation.data.workspace}</strong> as{" "}
        <strong>{invitation.data.email}</strong>.
      </p>
      <DoorForm
        fields={["name", "newPassword"]}
        action="Join"
        onSend={async ({ name, newPassword }) => {
          await api.post("/keys/invitations/accept", { token, password: newPassword, ...givenName(name) })
          go("/", true)
          await onSignedIn()
        }}
      />
    </Door>
  )
}
