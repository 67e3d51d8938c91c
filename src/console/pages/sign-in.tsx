/** The doors: sign in, claim a fresh daemon, accept an invitation. */
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { api } from "../api.ts"
import { useAction, useLoaded } from "../loading.ts"
import { go, usePlace } from "../router.tsx"
import { Mark } from "../shell.tsx"
import { Button } from "../ui/button.tsx"
import { Form, Problem, TextField } from "../ui/form.tsx"
import type { InvitationRecord } from "../wire.ts"

interface DoorProps {
  title: string
  children: ComponentChildren
}

function Door({ title, children }: DoorProps) {
  useEffect(() => {
    document.title = `${title} · Carrel`
  }, [title])
  return (
    <main class="door">
      <div class="door-card">
        <div class="brand">
          <Mark /> <span>Carrel</span>
        </div>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  )
}

interface FormProps {
  onSignedIn: () => Promise<unknown>
}

export function SignInPage({ onSignedIn }: FormProps) {
  const [email, setEmail] = useState("")
  const [password, setPassword] = useState("")
  const status = useLoaded("status", () => api.get<{ configured: boolean }>("/keys/status"))
  const signIn = useAction(async () => {
    await api.post("/keys/sessions", { email, password })
    await onSignedIn()
  })
  const [isMember, setMember] = useState(false)
  if (status.data?.configured === false && !isMember) return <Unclaimed onMember={() => setMember(true)} />
  return (
    <Door title="Sign in">
      <Form class="stack" action={signIn}>
        <TextField
          label="E-mail"
          type="email"
          name="email"
          autocomplete="username"
          required
          autofocus
          value={email}
          onInput={setEmail}
        />
        <TextField
          label="Password"
          type="password"
          name="password"
          autocomplete="current-password"
          required
          value={password}
          onInput={setPassword}
        />
        <Problem error={signIn.error} />
        <Button kind="primary" type="submit" busy={signIn.busy}>
          Sign in
        </Button>
        <p class="soft small">
          Forgotten? Whoever runs Carrel sets a new password with <code>carrel users passwd</code>.
        </p>
      </Form>
    </Door>
  )
}

const Unclaimed = ({ onMember }: { onMember: () => void }) => (
  <Door title="Not set up yet">
    <p>
      This Carrel has no administrator yet. Whoever runs it finds a one-time setup link in its log, or prints a new one
      with
    </p>
    <pre class="code">carrel users setup-link</pre>
    <Button kind="quiet" onClick={onMember}>
      Sign in as a member
    </Button>
  </Door>
)

/** The token leaves the address bar, so that it is in no history and no screenshot. */
function useLinkToken(): string {
  const { query } = usePlace()
  const [token] = useState(() => query.get("token") ?? "")
  useEffect(() => {
    if (token) history.replaceState(null, "", location.pathname)
  }, [token])
  return token
}

export function SetupPage({ onSignedIn }: FormProps) {
  const token = useLinkToken()
  const [name, setName] = useState("")
  const [email, setEmail] = useState("")
  const [password, setPassword] = useState("")
  const check = useLoaded(token, () => api.post<{ valid: boolean }>("/keys/setup/check", { token }))
  const claim = useAction(async () => {
    await api.post("/keys/setup", { token, email, password, ...(name.trim() ? { name } : {}) })
    go("/", true)
    await onSignedIn()
  })
  if (check.loading) return null
  if (!check.data?.valid) return <DeadLink error={check.error} what="setup link" />
  return (
    <Door title="Set up Carrel">
      <p class="soft">You become the first administrator. Nobody else can use this link afterwards.</p>
      <Form class="stack" action={claim}>
        <TextField
          label="Your name"
          name="name"
          autocomplete="name"
          autofocus
          value={name}
          onInput={setName}
          error={claim.error}
        />
        <TextField
          label="E-mail"
          type="email"
          name="email"
          autocomplete="username"
          required
          value={email}
          onInput={setEmail}
          error={claim.error}
        />
        <NewPassword value={password} onInput={setPassword} error={claim.error} />
        <Problem error={claim.error} />
        <Button kind="primary" type="submit" busy={claim.busy}>
          Create the administrator
        </Button>
      </Form>
    </Door>
  )
}

export function InvitationPage({ onSignedIn }: FormProps) {
  const token = useLinkToken()
  const [name, setName] = useState("")
  const [password, setPassword] = useState("")
  const invitation = useLoaded(token, () => api.post<InvitationRecord>("/keys/invitations/check", { token }))
  const accept = useAction(async () => {
    await api.post("/keys/invitations/accept", { token, password, ...(name.trim() ? { name } : {}) })
    go("/", true)
    await onSignedIn()
  })
  if (invitation.loading) return null
  if (!invitation.data) return <DeadLink error={invitation.error} what="invitation" />
  return (
    <Door title="Join Carrel">
      <p class="soft">
        You are invited to the workspace <strong dir="auto">{invitation.data.workspace}</strong> as{" "}
        <strong>{invitation.data.email}</strong>.
      </p>
      <Form class="stack" action={accept}>
        <TextField
          label="Your name"
          name="name"
          autocomplete="name"
          autofocus
          value={name}
          onInput={setName}
          error={accept.error}
        />
        <NewPassword value={password} onInput={setPassword} error={accept.error} />
        <Problem error={accept.error} />
        <Button kind="primary" type="submit" busy={accept.busy}>
          Join
        </Button>
      </Form>
    </Door>
  )
}

interface NewPasswordProps {
  value: string
  onInput: (value: string) => void
  error: Error | undefined
}

const NewPassword = (props: NewPasswordProps) => (
  <TextField
    label="Password"
    type="password"
    name="password"
    autocomplete="new-password"
    hint="At least 8 characters; a few words are better than a few signs."
    required
    minlength={8}
    {...props}
  />
)

const DeadLink = ({ error, what }: { error: Error | undefined; what: string }) => (
  <Door title="This link does not work">
    <p class="soft">{error?.message ?? `The ${what} has been used, or Carrel has been set up already.`}</p>
    <a class="button primary" href="/">
      Go to sign-in
    </a>
  </Door>
)
