/** Settings → API: choose an application, paste its text, with a key that is made here. */

import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { useAction, useLoaded } from "../../loading.ts"
import { t } from "../../text.ts"
import { Button, CopyButton } from "../../ui/button.tsx"
import { Problem, Select } from "../../ui/form.tsx"
import type { Model, NewApiKey } from "../../wire.ts"
import { APPLICATIONS } from "./applications.ts"
import { USUAL_SCOPES } from "./scopes.tsx"

/** Not the end of a variable's name. */
const PLACEHOLDER = /(?<!\w)TOKEN\b/g

export function Connect({ onMade }: { onMade: () => void }) {
  const [name, setName] = useState(APPLICATIONS[0]!.name)
  const [token, setToken] = useState("")
  const models = useLoaded("models", signal => api.get<Model[]>("/models", signal))
  const value = models.data?.find(model => model.default)?.value ?? "builtin/extractive"
  const application = APPLICATIONS.find(each => each.name === name)!
  const make = useAction(async () => {
    setToken((await api.post<NewApiKey>("/keys", { name, scopes: USUAL_SCOPES })).token)
    onMade()
  })
  const text = application
    .text({ url: location.origin, model: `library/${value}` })
    .replace(PLACEHOLDER, token || "TOKEN")
  return (
    <section class="stack">
      <div class="section-head">
        <div>
          <h2>{t("Connect an application")}</h2>
          <p class="soft">
            {token
              ? t("The key stands in the text. It is shown until you leave this page, and not again.")
              : t("Put the token of a key where TOKEN stands, or have one made for it.")}
          </p>
        </div>
        <Select
          label={t("Application")}
          compact
          value={name}
          onChange={setName}
          options={APPLICATIONS.map(each => [each.name, each.name] as const)}
        />
      </div>
      <Problem error={make.error} />
      <div class="snippet">
        <div class="section-head">
          <h3>{t(application.where)}</h3>
          <div class="row">
            {!token && (
              <Button icon="key" busy={make.busy} onClick={() => void make.run()}>
                {t("Make a key for it")}
              </Button>
            )}
            <CopyButton text={text} label={t("Copy the settings for {name}", { name })} />
          </div>
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
        <pre class="code" tabIndex={0}>
          {text}
        </pre>
      </div>
    </section>
  )
}
