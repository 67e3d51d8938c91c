/** Settings → API: keys for applications. */

import { useState } from "preact/hooks"
import { api, query, REFERENCE_URL } from "../../api.ts"
import { ago, dateTime } from "../../format.ts"
import { useAction, useLoaded } from "../../loading.ts"
import { rich, t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Confirm, Dialog } from "../../ui/dialog.tsx"
import { Problem } from "../../ui/form.tsx"
import { Icon } from "../../ui/icons.tsx"
import { Empty, Pages } from "../../ui/page.tsx"
import { notify } from "../../ui/toast.tsx"
import type { ApiKeyRecord, NewApiKey, Page } from "../../wire.ts"
import { Connect } from "./connect.tsx"
import { Credentials } from "./credentials.tsx"
import { GraceChoice } from "./grace.tsx"
import { KeyForm } from "./key-form.tsx"
import { scopeWords } from "./scopes.tsx"

type Open =
  | { what: "generate" }
  | { what: "change" | "rotate" | "revoke"; key: ApiKeyRecord }
  | { what: "credentials"; made: NewApiKey }

export function ApiSettings() {
  const [page, setPage] = useState(1)
  const [open, setOpen] = useState<Open | null>(null)
  const keys = useLoaded(`keys ${page}`, signal => api.get<Page<ApiKeyRecord>>(`/keys${query({ page })}`, signal))
  const close = () => setOpen(null)
  const show = (made: NewApiKey) => {
    setOpen({ what: "credentials", made })
    keys.reload()
  }
  return (
    <section class="stack">
      <div class="section-head">
        <div>
          <h2>{t("API keys")}</h2>
          <p class="soft">
            {rich(
              "An application sends three headers with each request, or one token. Keys belong to this workspace. <a>API reference</a>",
              {
                a: words => (
                  <a href={REFERENCE_URL} target="_blank" rel="noreferrer">
                    {words}
                  </a>
                ),
              },
            )}
          </p>
        </div>
        <Button kind="primary" icon="plus" onClick={() => setOpen({ what: "generate" })}>
          {t("Generate")}
        </Button>
      </div>
      <Problem error={keys.error} />
      {keys.data?.data.length === 0 && (
        <Empty icon="key" title={t("No keys yet")}>
          <p>{t("Generate one to connect an application.")}</p>
        </Empty>
      )}
      {keys.data && keys.data.data.length > 0 && (
        <KeyTable keys={keys.data.data} onOpen={(what, key) => setOpen({ what, key })} />
      )}
      {keys.data && <Pages of={keys.data.pagination} onPage={setPage} />}
      <Connect onMade={keys.reload} />
      {open?.what === "generate" && <KeyForm onClose={close} onMade={show} />}
      {open?.what === "change" && (
        <KeyForm
          present={open.key}
          onClose={close}
          onChanged={() => {
            close()
            keys.reload()
          }}
        />
      )}
      {open?.what === "credentials" && <Credentials made={open.made} onClose={close} />}
      {open?.what === "rotate" && <Rotate record={open.key} onClose={close} onMade={show} />}
      {open?.what === "revoke" && <Revoke record={open.key} onClose={close} onRevoked={keys.reload} />}
    </section>
  )
}

interface KeyTableProps {
  keys: ApiKeyRecord[]
  onOpen: (what: "change" | "rotate" | "revoke", key: ApiKeyRecord) => void
}

const KeyTable = ({ keys, onOpen }: KeyTableProps) => (
  <div class="table-frame">
    <table class="table stacked">
      <thead>
        <tr>
          <th>{t("Name")}</th>
          <th>{t("Owner")}</th>
          <th>{t("Scopes")}</th>
          <th>{t("Limit")}</th>
          <th>{t("Last use")}</th>
          <th>{t("State")}</th>
          <th>
            <span class="unseen">{t("Actions")}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map(key => (
          <tr key={key.id} class={stateOf(key) === "Active" ? undefined : "faded"}>
            <td>
              <strong dir="auto">{key.name}</strong>
              <code class="soft small block">{key.client_id}</code>
            </td>
            <td data-label={t("Owner")}>
              <bdi>{key.owner?.name ?? t("nobody")}</bdi>
            </td>
            <td data-label={t("Scopes")}>
              {scopeWords(key.scopes)}
              {limitsOf(key) && <span class="soft small block">{limitsOf(key)}</span>}
            </td>
            <td data-label={t("Limit")}>
              {key.rate_limit_per_minute
                ? t("{rateLimitPerMinute}/min", { rateLimitPerMinute: key.rate_limit_per_minute })
                : t("default")}
            </td>
            <td data-label={t("Last use")}>{key.last_used_at ? ago(key.last_used_at) : t("never")}</td>
            <td data-label={t("State")}>
              <span class={`badge ${stateOf(key) === "Active" ? "good" : "bad"}`}>{t(stateOf(key))}</span>
              {key.expires_at && !key.revoked_at && (
                <span class="soft small block">{t("until {expiresAt}", { expiresAt: dateTime(key.expires_at) })}</span>
              )}
            </td>
            <td class="actions">
              {!key.revoked_at && (
                <div class="row end">
                  <Button
                    kind="quiet"
                    label={t("Change {name}", { name: key.name })}
                    icon="settings"
                    onClick={() => onOpen("change", key)}
                  />
                  <Button
                    kind="quiet"
                    label={t("Rotate {name}", { name: key.name })}
                    icon="refresh"
                    onClick={() => onOpen("rotate", key)}
                  />
                  <Button
                    kind="quiet"
                    label={t("Revoke {name}", { name: key.name })}
                    icon="trash"
                    onClick={() => onOpen("revoke", key)}
                  />
                </div>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** What narrows a key, in a few words. */
const limitsOf = ({ context_ids: contexts, models, filter, quota }: ApiKeyRecord): string =>
  [
    ...(contexts ? [t("contexts {names}", { names: contexts.join(", ") || t("none") })] : []),
    ...(models ? [t("models {names}", { names: models.join(", ") || t("none") })] : []),
    ...(filter ? [t("files that pass a filter")] : []),
    ...(quota ? [t("a quota")] : []),
  ].join(" · ")

function stateOf(key: ApiKeyRecord): "Active" | "Revoked" | "Expired" | "Owner disabled" {
  if (key.revoked_at) return "Revoked"
  if (key.expires_at && Date.parse(key.expires_at) <= Date.now()) return "Expired"
  return key.owner?.active === false ? "Owner disabled" : "Active"
}

interface RevokeProps {
  record: ApiKeyRecord
  onClose: () => void
  onRevoked: () => void
}

const Revoke = ({ record, onClose, onRevoked }: RevokeProps) => (
  <Confirm
    title={t("Revoke {name}?", { name: record.name })}
    action={t("Revoke")}
    onClose={onClose}
    onConfirm={async () => {
      await api.delete(`/keys/${record.id}`)
      notify(t("{name} is revoked", { name: record.name }))
      onRevoked()
    }}
  >
    <p>{t("Applications that use this key are refused from now on. This cannot be undone.")}</p>
  </Confirm>
)

interface RotateProps {
  record: ApiKeyRecord
  onClose: () => void
  onMade: (made: NewApiKey) => void
}

function Rotate({ record, onClose, onMade }: RotateProps) {
  const [grace, setGrace] = useState("3600")
  const rotate = useAction(async () =>
    onMade(await api.post<NewApiKey>(`/keys/${record.id}/rotate`, { grace_seconds: Number(grace) })),
  )
  return (
    <Dialog title={t("Rotate {name}", { name: record.name })} onClose={onClose}>
      <div class="stack">
        <p>{t("The key gets a new private key and secret; its client ID stays the same.")}</p>
        <GraceChoice label={t("The current pair")} verb={t("Accept it")} value={grace} onChange={setGrace} />
        <Problem error={rotate.error} />
        <footer class="row end">
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button kind="primary" busy={rotate.busy} onClick={() => void rotate.run()}>
            <Icon name="refresh" /> {t("Rotate")}
          </Button>
        </footer>
      </div>
    </Dialog>
  )
}
