/** Settings → Sign-in: by whom people sign in. Read only: the settings of the daemon say so. For administrators. */

import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { useAction, useLoaded } from "../../loading.ts"
import { rich, t } from "../../text.ts"
import { Button, CopyButton } from "../../ui/button.tsx"
import { Problem } from "../../ui/form.tsx"
import type { SignInProvider } from "../../wire.ts"

export function SignInSettings() {
  const settings = useLoaded("sign-in", signal =>
    api.get<{ provider: SignInProvider | null }>("/keys/oidc/settings", signal),
  )
  return (
    <section class="stack">
      <h2>{t("Sign-in")}</h2>
      <Problem error={settings.error} />
      {settings.data?.provider === null && (
        <p class="soft">
          {rich(
            "People sign in with passwords. A provider of your own, such as Keycloak, Entra ID or Authentik, is named by <code/>, <code2/> and <code3/>.",
            {
              code: <code>--oidc-issuer</code>,
              code2: <code>--oidc-client-id</code>,
              code3: <code>--oidc-client-secret-file</code>,
            },
          )}
        </p>
      )}
      {settings.data?.provider && <Provider {...settings.data.provider} />}
    </section>
  )
}

const Provider = ({ issuer, client_id, redirect_uri, only, admin_group, workspace_claim }: SignInProvider) => (
  <>
    <p class="soft">{t("As the settings of the daemon say; they are changed there.")}</p>
    <dl class="facts">
      <dt>{t("Issuer")}</dt>
      <dd>{issuer}</dd>
      <dt>{t("Client id")}</dt>
      <dd>{client_id}</dd>
      <dt>{t("Redirect URI")}</dt>
      <dd class="row">
        <span>{redirect_uri}</span>
        <CopyButton text={redirect_uri} label={t("Copy the redirect URI")} />
      </dd>
      <dt>{t("Passwords")}</dt>
      <dd>{only ? t("For local administrators alone") : t("Work as well")}</dd>
      <dt>{t("Administrators")}</dt>
      <dd>
        {admin_group === null
          ? t("As set under Users")
          : t("Who is in the group {adminGroup}", { adminGroup: admin_group })}
      </dd>
      <dt>{t("Workspace")}</dt>
      <dd>
        {workspace_claim === null
          ? t("As set under Workspaces")
          : t("Named by the claim {workspaceClaim}", { workspaceClaim: workspace_claim })}
      </dd>
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
          {t("Test")}
        </Button>
        {answer?.problem === null && (
          <span class="soft" role="status">
            {t("It answers, and calls itself as the settings do.")}
          </span>
        )}
      </div>
      <Problem error={test.error ?? (answer?.problem ? { message: answer.problem } : undefined)} />
    </div>
  )
}
