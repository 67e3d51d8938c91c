import { api } from "../../api.ts"
import { useLoaded } from "../../loading.ts"
import type { DoorProps } from "../../page-props.ts"
import { go } from "../../router.tsx"
import { t } from "../../text.ts"
import { DeadLink, Door, DoorForm, givenName, useLinkToken } from "./door.tsx"

/** Claims a fresh daemon. */
export function SetupPage({ onSignedIn }: DoorProps) {
  const token = useLinkToken()
  const check = useLoaded(token, () => api.post<{ valid: boolean }>("/keys/setup/check", { token }))
  if (check.loading) return null
  if (!check.data?.valid) return <DeadLink error={check.error} />
  return (
    <Door title={t("Set up Carrel")}>
      <p class="soft">{t("You become the first administrator. Nobody else can use this link afterwards.")}</p>
      <DoorForm
        fields={["name", "email", "newPassword"]}
        action={t("Create the administrator")}
        onSend={async ({ name, email, newPassword }) => {
          await api.post("/keys/setup", { token, email, password: newPassword, ...givenName(name) })
          go("/", true)
          await onSignedIn()
        }}
      />
    </Door>
  )
}
