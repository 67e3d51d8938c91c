/** What was sent to a receiver, how it answered, and sending it again. */

import { api, query } from "../../api.ts"
import { ago, dateTime } from "../../format.ts"
import { useAction, useLoaded, useRepeated } from "../../loading.ts"
import { go, pageIn, usePlace } from "../../router.tsx"
import { spoken, t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Problem, Select } from "../../ui/form.tsx"
import { Empty, Pages } from "../../ui/page.tsx"
import { notify } from "../../ui/toast.tsx"
import type { Delivery, Page, Webhook } from "../../wire.ts"

const STATES = {
  pending: ["busy", "Waits"],
  succeeded: ["good", "Delivered"],
  failed: ["bad", "Failed"],
} as const

const SHOWN = [
  ["", "All"],
  ["pending", "Waiting"],
  ["failed", "Failed"],
  ["succeeded", "Delivered"],
] as const

const SINCE = [
  ["", "Send again …"],
  ["3600", "all of the last hour"],
  ["86400", "all of the last day"],
  ["604800", "all of the last week"],
] as const

const REFRESH_MS = 5_000

/** Where a webhook's deliveries are shown, those that the filter lets pass, so that a reload keeps both. */
export const deliveriesOf = (hookId: string, filter: { status?: string; page?: number } = {}): string =>
  `/settings/webhooks${query({ deliveries: hookId, ...filter })}`

export function Deliveries({ hook, onClose }: { hook: Webhook; onClose: () => void }) {
  const { query: address } = usePlace()
  const status = SHOWN.find(([value]) => value === address.get("status"))?.[0] ?? ""
  const page = pageIn(address)
  const parameters = query({ status, page, page_size: 25 })
  const sent = useLoaded(parameters, signal =>
    api.get<Page<Delivery>>(`/webhooks/${hook.id}/deliveries${parameters}`, signal),
  )
  useRepeated(REFRESH_MS, sent.reload)
  const again = useAction(async (what: { event_id: string } | { since: string }) => {
    const { queued } = await api.post<{ queued: number }>(`/webhooks/${hook.id}/redeliver`, what)
    notify(t("{queued, plural, one {# event} other {# events}} sent again", { queued }))
    sent.reload()
  })
  return (
    <Dialog title={t("Deliveries to {url}", { url: hook.url })} shape="side" onClose={onClose}>
      <div class="stack">
        <div class="filters">
          <Select
            label={t("Show")}
            value={status}
            onChange={next => go(deliveriesOf(hook.id, { status: next }), true)}
            options={spoken(SHOWN)}
          />
          {hook.status === "active" && (
            <Select
              label={t("Send again")}
              value=""
              onChange={seconds =>
                seconds && void again.run({ since: new Date(Date.now() - Number(seconds) * 1_000).toISOString() })
              }
              options={spoken(SINCE)}
            />
          )}
        </div>
        <Problem error={sent.error ?? again.error} />
        {sent.data?.data.length === 0 && <Empty icon="send" title={t("Nothing was sent")} />}
        <ul class="list">
          {sent.data?.data.map(delivery => (
            <Item
              key={delivery.event_id}
              delivery={delivery}
              onAgain={hook.status === "active" ? () => void again.run({ event_id: delivery.event_id }) : undefined}
            />
          ))}
        </ul>
        {sent.data && (
          <Pages of={sent.data.pagination} onPage={next => go(deliveriesOf(hook.id, { status, page: next }), true)} />
        )}
      </div>
    </Dialog>
  )
}

function Item({ delivery, onAgain }: { delivery: Delivery; onAgain: (() => void) | undefined }) {
  const {
    type,
    event_id: id,
    status,
    attempts,
    last_attempt_at: last,
    next_attempt_at: next,
    error,
    response,
  } = delivery
  const [look, word] = STATES[status]
  return (
    <li class="row between">
      <div class="grow">
        <strong>{type}</strong> <code class="soft small">{id}</code>
        <span class="soft small block">
          {t("{attempts, plural, one {# attempt} other {# attempts}}", { attempts })}
          {last && ` · ${ago(last)}`}
          {delivery.duration_ms !== null && ` · ${t("{durationMs} ms", { durationMs: delivery.duration_ms })}`}
          {delivery.status_code !== null && ` · ${t("answered {statusCode}", { statusCode: delivery.status_code })}`}
          {next && ` · ${t("again {next}", { next: dateTime(next) })}`}
        </span>
        {error && <span class="small block">{error}</span>}
        {response && status !== "succeeded" && <code class="small block entry-key">{response}</code>}
      </div>
      <span class="row">
        <span class={`badge ${look}`}>{t(word)}</span>
        {onAgain && <Button kind="quiet" icon="refresh" label={t("Send {id} again", { id })} onClick={onAgain} />}
      </span>
    </li>
  )
}
