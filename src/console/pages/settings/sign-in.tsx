/** Settings → Sign-in: by whom people sign in. Read only: the settings of the daemon say so. For administrators. */
import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { useAction, useLoaded } from "../../loading.ts"
import { Button, CopyButton } from "../../ui/button.tsx"
import { Problem } from "../../ui/form.tsx"
import type { SignInProvider } from "../../wire.ts"

export function SignInSettings() {
  const settings = useLoaded("sign-in", signal =>
    api.get<{ provider: SignInProvider | null }>("/keys/oidc/settings", signal),
  )
  return (
    <section class="stack">
      <h2>Sign-in</h2>
      <Problem error={settings.error} />
      {settings.data?.provider === null && (
        <p class="soft">
          People sign in with passwords. A provider of your own, such as Keycloak, Entra ID or Authentik, is named by{" "}
          <code>--oidc-issuer</code>, <code>--oidc-client-id</code> and <code>--oidc-client-secret-file</code>.
        </p>
      )}
      {settings.data?.provider && <Provider {...settings.data.provider} />}
    </section>
  )
}

const Provider = ({ issuer, client_id, redirect_uri, only, admin_group, workspace_claim }: SignInProvider) => (
  <>
    <p class="soft">As the settings of the daemon say; they are changed there.</p>
    <dl class="facts">
      <dt>Issuer</dt>
      <dd>{issuer}</dd>
      <dt>Client id</dt>
      <dd>{client_id}</dd>
      <dt>Redirect URI</dt>
      <dd class="row">
        <span>{redirect_uri}</span>
        <CopyButton text={redirect_uri} label="Copy the redirect URI" />
      </dd>
      <dt>Passwords</dt>
      <dd>{only ? "For local administrators alone" : "Work as well"}</dd>
      <dt>Administrators</dt>
      <dd>{admin_group === null ? "As set under Users" : `Who is in the group ${admin_group}`}</dd>
      <dt>Workspace</dt>
      <dd>{workspace_claim === null ? "As set under Workspaces" : `Named by the claim ${workspace_claim}`}</dd>
    </dl>
    <ProviderTest />
  </>
)

function ProviderTest() {
  const [answer, setAnswer] = useState<{ problem: string | null }>()
  const test = useAction(async () => setAnswer(await api.post<{ problem: string | null }>("/keys/oidc/test")))
  return (
    <div class="stack">
      <div class="row">
        <Button busy={test.busy} onClick={() => void test.run()}>
          Test
        </Button>
        {answer?.problem === null && (
          <span class="soft" role="status">
            It answers, and calls itself as the settings do.
          </span>
        )}
      </div>
      <Problem error={test.error ?? (answer?.problem ? { message: answer.problem } : undefined)} />
    </div>
  )
}
