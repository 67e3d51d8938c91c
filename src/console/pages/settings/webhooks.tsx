/** Settings → Webhooks: who is told what happens. */
import { useState } from "preact/hooks"
import { api, query } from "../../api.ts"
import { plural } from "../../format.ts"
import { useAction, useLoaded } from "../../loading.ts"
import { go, usePlace } from "../../router.tsx"
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
    notify(error ? `The test message was not taken: ${error}` : `Taken with ${code} after ${ms} ms`)
  })
  return (
    <section class="stack">
      <Head onAdd={() => setOpen({ what: "add" })} />
      <Problem error={hooks.error ?? enable.error ?? test.error} />
      {hooks.data?.data.length === 0 && <Empty icon="send" title="No webhooks yet" />}
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
      <h2>Webhooks</h2>
      <p class="soft">
        Events, such as a file that became searchable, are sent to your addresses as they happen, signed by the Standard
        Webhooks scheme.
      </p>
    </div>
    <Button kind="primary" icon="plus" onClick={onAdd}>
      Add a webhook
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
        title="Signing secret"
        notice="Store it where the receiver checks signatures. It is not shown again."
        values={[["secret", open.secret]]}
        onClose={onClose}
      />
    )
  const { what, hook } = open
  if (what === "change") return <WebhookForm present={hook} onClose={onClose} onChanged={changed} />
  if (what === "rotate") return <Rotate hook={hook} onClose={onClose} onMade={onSecret} />
  return (
    <Confirm
      title="Delete this webhook?"
      action="Delete"
      onClose={onClose}
      onConfirm={async () => {
        await api.delete(`/webhooks/${hook.id}`)
        onChanged()
      }}
    >
      <p>
        <code>{hook.url}</code> hears of nothing more, and what waits to be sent again is dropped.
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
          {[hook.description, hook.types ? plural(hook.types.length, "type of event", "types of events") : "all events"]
            .filter(Boolean)
            .join(" · ")}
        </span>
      </div>
      <span class={`badge ${hook.status === "active" ? "good" : "bad"}`}>
        {hook.status === "active" ? "Active" : "Disabled"}
      </span>
    </div>
    {hook.status === "disabled" && (
      <div class="notice row between">
        <span>
          <Icon name="warning" /> Nothing is sent: {hook.disabled_reason}
        </span>
        <Button onClick={onEnable}>Enable</Button>
      </div>
    )}
    <div class="row">
      <Button onClick={onDeliveries}>Deliveries</Button>
      <Button busy={testing} onClick={onTest}>
        Send a test
      </Button>
      {hook.status === "active" && <Button onClick={onEnable}>Disable</Button>}
      <Button kind="quiet" icon="edit" label={`Change ${hook.url}`} onClick={() => onOpen("change")} />
      <Button kind="quiet" icon="refresh" label={`Rotate the secret of ${hook.url}`} onClick={() => onOpen("rotate")} />
      <Button kind="quiet" icon="trash" label={`Delete ${hook.url}`} onClick={() => onOpen("remove")} />
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
    <Dialog title="Rotate the secret" onClose={onClose}>
      <div class="stack">
        <p>
          <code>{hook.url}</code> gets a new secret. For a while both sign, so that the receiver can change over.
        </p>
        <GraceChoice label="The present secret" verb="Sign with it" value={grace} onChange={setGrace} />
        <Problem error={rotate.error} />
        <footer class="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" icon="refresh" busy={rotate.busy} onClick={() => void rotate.run()}>
            Rotate
          </Button>
        </footer>
      </div>
    </Dialog>
  )
}
