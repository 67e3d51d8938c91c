/** Settings → Webhooks: who is told what happens. */

import { useState } from "preact/hooks"
import { api, query } from "../../api.ts"
import { useAction, useLoaded } from "../../loading.ts"
import { go, usePlace } from "../../router.tsx"
import { rich, t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Confirm, Dialog } from "../../ui/dialog.tsx"
import { Problem } from "../../ui/form.tsx"
import { Icon } from "../../ui/icons.tsx"
import { Empty, Pages } from "../../ui/page.tsx"
import { ShownOnce } from "../../ui/shown-once.tsx"
import { notify } from "../../ui/toast.tsx"
import type { Delivery, Page, Webhook } from "../../wire.ts"
import { Deliveries, deliveriesOf } from "./deliveries.tsx"
import { GraceChoice } from "./grace.tsx"
import { WebhookForm } from "./webhook-form.tsx"

type Open =
  | { what: "add" }
  | { what: "change" | "rotate" | "remove"; hook: Webhook }
  | { what: "secret"; secret: string }

export function WebhooksSettings() {
  const { query: address } = usePlace()
  const [page, setPage] = useState(1)
  const [open, setOpen] = useState<Open | null>(null)
  const hooks = useLoaded(`webhooks ${page}`, signal => api.get<Page<Webhook>>(`/webhooks${query({ page })}`, signal))
  const close = () => setOpen(null)
  const listened = hooks.data?.data.find(({ id }) => id === address.get("deliveries"))
  const show = (secret: string) => {
    setOpen({ what: "secret", secret })
    hooks.reload()
  }
  const enable = useAction(async (hook: Webhook) => {
    await api.patch(`/webhooks/${hook.id}`, { status: hook.status === "active" ? "disabled" : "active" })
    hooks.reload()
  })
  const test = useAction(async (hook: Webhook) => {
    const { error, status_code: code, duration_ms: ms } = await api.post<Delivery>(`/webhooks/${hook.id}/test`)
    notify(
      error
        ? t("The test message was not taken: {error}", { error })
        : t("Taken with {code} after {ms} ms", { code, ms }),
    )
  })
  return (
    <section class="stack">
      <Head onAdd={() => setOpen({ what: "add" })} />
      <Problem error={hooks.error ?? enable.error ?? test.error} />
      {hooks.data?.data.length === 0 && <Empty icon="send" title={t("No webhooks yet")} />}
      <ul class="list">
        {hooks.data?.data.map(hook => (
          <Item
            key={hook.id}
            hook={hook}
            testing={test.busy}
            onTest={() => void test.run(hook)}
            onEnable={() => void enable.run(hook)}
            onOpen={what => setOpen({ what, hook })}
            onDeliveries={() => go(deliveriesOf(hook.id))}
          />
        ))}
      </ul>
      {hooks.data && <Pages of={hooks.data.pagination} onPage={setPage} />}
      {listened && <Deliveries hook={listened} onClose={() => go("/settings/webhooks")} />}
      {open && <Opened open={open} onClose={close} onSecret={show} onChanged={hooks.reload} />}
    </section>
  )
}

const Head = ({ onAdd }: { onAdd: () => void }) => (
  <div class="section-head">
    <div>
      <h2>{t("Webhooks")}</h2>
      <p class="soft">
        {t(
          "Events, such as a file that became searchable, are sent to your addresses as they happen, signed by the Standard Webhooks scheme.",
        )}
      </p>
    </div>
    <Button kind="primary" icon="plus" onClick={onAdd}>
      {t("Add a webhook")}
    </Button>
  </div>
)

interface OpenedProps {
  open: Open
  onClose: () => void
  onSecret: (secret: string) => void
  onChanged: () => void
}

/** The dialog that is shown. */
function Opened({ open, onClose, onSecret, onChanged }: OpenedProps) {
  const changed = () => {
    onClose()
    onChanged()
  }
  if (open.what === "add") return <WebhookForm onClose={onClose} onMade={onSecret} />
  if (open.what === "secret")
    return (
      <ShownOnce
        title={t("Signing secret")}
        notice={t("Store it where the receiver checks signatures. It is not shown again.")}
        values={[["secret", open.secret]]}
        onClose={onClose}
      />
    )
  const { what, hook } = open
  if (what === "change") return <WebhookForm present={hook} onClose={onClose} onChanged={changed} />
  if (what === "rotate") return <Rotate hook={hook} onClose={onClose} onMade={onSecret} />
  return (
    <Confirm
      title={t("Delete this webhook?")}
      action={t("Delete")}
      onClose={onClose}
      onConfirm={async () => {
        await api.delete(`/webhooks/${hook.id}`)
        onChanged()
      }}
    >
      <p>
        {rich("<code/> hears of nothing more, and what waits to be sent again is dropped.", {
          code: <code>{hook.url}</code>,
        })}
      </p>
    </Confirm>
  )
}

interface ItemProps {
  hook: Webhook
  testing: boolean
  onTest: () => void
  onEnable: () => void
  onOpen: (what: "change" | "rotate" | "remove") => void
  onDeliveries: () => void
}

const Item = ({ hook, testing, onTest, onEnable, onOpen, onDeliveries }: ItemProps) => (
  <li class="stack">
    <div class="row between">
      <div class="grow">
        <strong class="entry-key">{hook.url}</strong>
        <span class="soft small block" dir="auto">
          {[
            hook.description,
            hook.types
              ? t("{length, plural, one {# type of event} other {# types of events}}", { length: hook.types.length })
              : t("all events"),
          ]
            .filter(Boolean)
            .join(" · ")}
        </span>
      </div>
      <span class={`badge ${hook.status === "active" ? "good" : "bad"}`}>
        {hook.status === "active" ? t("Active") : t("Disabled")}
      </span>
    </div>
    {hook.status === "disabled" && (
      <div class="notice row between">
        <span>
          <Icon name="warning" /> {t("Nothing is sent: {disabledReason}", { disabledReason: hook.disabled_reason })}
        </span>
        <Button onClick={onEnable}>{t("Enable")}</Button>
      </div>
    )}
    <div class="row">
      <Button onClick={onDeliveries}>{t("Deliveries")}</Button>
      <Button busy={testing} onClick={onTest}>
        {t("Send a test")}
      </Button>
      {hook.status === "active" && <Button onClick={onEnable}>{t("Disable")}</Button>}
      <Button kind="quiet" icon="edit" label={t("Change {url}", { url: hook.url })} onClick={() => onOpen("change")} />
      <Button
        kind="quiet"
        icon="refresh"
        label={t("Rotate the secret of {url}", { url: hook.url })}
        onClick={() => onOpen("rotate")}
      />
      <Button kind="quiet" icon="trash" label={t("Delete {url}", { url: hook.url })} onClick={() => onOpen("remove")} />
    </div>
  </li>
)

interface RotateProps {
  hook: Webhook
  onClose: () => void
  onMade: (secret: string) => void
}

function Rotate({ hook, onClose, onMade }: RotateProps) {
  const [grace, setGrace] = useState("86400")
  const rotate = useAction(async () =>
    onMade(
      (await api.post<{ secret: string }>(`/webhooks/${hook.id}/rotate`, { grace_seconds: Number(grace) })).secret,
    ),
  )
  return (
    <Dialog title={t("Rotate the secret")} onClose={onClose}>
      <div class="stack">
        <p>
          {rich("<code/> gets a new secret. For a while both sign, so that the receiver can change over.", {
            code: <code>{hook.url}</code>,
          })}
        </p>
        <GraceChoice label={t("The present secret")} verb={t("Sign with it")} value={grace} onChange={setGrace} />
        <Problem error={rotate.error} />
        <footer class="row end">
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button kind="primary" icon="refresh" busy={rotate.busy} onClick={() => void rotate.run()}>
            {t("Rotate")}
          </Button>
        </footer>
      </div>
    </Dialog>
  )
}
