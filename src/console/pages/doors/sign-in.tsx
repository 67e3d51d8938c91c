import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { useLoaded } from "../../loading.ts"
import type { DoorProps } from "../../page-props.ts"
import { Button } from "../../ui/button.tsx"
import { Door, DoorForm } from "./door.tsx"

/** Shown at every address while nobody is signed in. */
export function SignInPage({ onSignedIn }: DoorProps) {
  const status = useLoaded("status", () => api.get<{ configured: boolean }>("/keys/status"))
  const [isMember, setMember] = useState(false)
  if (status.data?.configured === false && !isMember) return <Unclaimed onMember={() => setMember(true)} />
  return (
    <Door title="Sign in">
      <DoorForm
        fields={["email", "password"]}
        action="Sign in"
        onSend={async credentials => {
          await api.post("/keys/sessions", credentials)
          await onSignedIn()
        }}
      >
        <p class="soft small">
          Forgot your password? Whoever runs Carrel can set a new one with <code>carrel users passwd</code>.
        </p>
      </DoorForm>
    </Door>
  )
}

const Unclaimed = ({ onMember }: { onMember: () => void }) => (
  <Door title="Not set up yet">
    <p>
      This Carrel has no administrator yet. Whoever runs it can find a one-time setup link in its log, or print a new
      one with
    </p>
    <pre class="code">carrel users setup-link</pre>
    <Button kind="quiet" onClick={onMember}>
      Sign in as a member
    </Button>
  </Door>
)
