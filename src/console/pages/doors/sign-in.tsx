import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { useLoaded } from "../../loading.ts"
import type { DoorProps } from "../../page-props.ts"
import { rich, t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import type { SignInStatus } from "../../wire.ts"
import { Door, DoorForm } from "./door.tsx"

/** Shown at every address while nobody is signed in. */
export function SignInPage({ onSignedIn }: DoorProps) {
  const status = useLoaded("status", () => api.get<SignInStatus>("/keys/status"))
  const [wantsPassword, setWantsPassword] = useState(false)
  const provider = status.data?.provider
  if (status.loading) return null // whoever has no password is not shown a form for it
  if (status.data?.configured === false && !wantsPassword)
    return <Unclaimed provider={provider} onMember={() => setWantsPassword(true)} />
  if (provider?.only && !wantsPassword)
    return (
      <Door title={t("Sign in")}>
        <ProviderLink name={provider.name} />
        <Button kind="quiet" onClick={() => setWantsPassword(true)}>
          {t("Sign in as a local administrator")}
        </Button>
      </Door>
    )
  return (
    <Door title={t("Sign in")}>
      {provider && <ProviderLink name={provider.name} />}
      <DoorForm
        fields={["email", "password"]}
        action={t("Sign in")}
        quiet={provider !== undefined}
        onSend={async credentials => {
          await api.post("/keys/sessions", credentials)
          await onSignedIn()
        }}
      >
        <p class="soft small">
          {rich("Forgot your password? Whoever runs Carrel can set a new one with <code/>.", {
            code: <code>carrel users passwd</code>,
          })}
        </p>
      </DoorForm>
    </Door>
  )
}

/** Leaves the console; the provider sends the browser back to the page that it left. */
function ProviderLink({ name }: { name: string }) {
  const to = encodeURIComponent(location.pathname + location.search)
  return (
    <a class="button primary" href={`/external/keys/oidc/start?to=${to}`}>
      {t("Sign in with {name}", { name })}
    </a>
  )
}

interface UnclaimedProps {
  provider: SignInStatus["provider"]
  onMember: () => void
}

const Unclaimed = ({ provider, onMember }: UnclaimedProps) => (
  <Door title={t("Not set up yet")}>
    <p>
      {t(
        "This Carrel has no administrator yet. Whoever runs it can find a one-time setup link in its log, or print a new one with",
      )}
    </p>
    <pre class="code">carrel users setup-link</pre>
    {provider && <ProviderLink name={provider.name} />}
    {!provider?.only && (
      <Button kind="quiet" onClick={onMember}>
        {t("Sign in as a member")}
      </Button>
    )}
  </Door>
)
