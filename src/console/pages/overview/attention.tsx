/** What waits for somebody: webhooks that were given up, sources that ask before they delete or could not be synced. */

import { api } from "../../api.ts"
import { useLoaded, useRepeated } from "../../loading.ts"
import { Link } from "../../router.tsx"
import { useAccount } from "../../session.ts"
import { rich, t } from "../../text.ts"
import { Icon } from "../../ui/icons.tsx"
import type { Overview, Page, SourceRecord } from "../../wire.ts"

const REFRESH_MS = 30_000

export function Attention({ webhooks }: { webhooks: Overview["disabled_webhooks"] }) {
  const { me } = useAccount()
  const isAsked = me.user.role === "administrator"
  const sources = useLoaded(`guarded ${isAsked}`, async signal =>
    isAsked ? (await api.get<Page<SourceRecord>>("/sources?page_size=100", signal)).data : [],
  )
  useRepeated(isAsked ? REFRESH_MS : null, sources.reload)
  const waiting = (sources.data ?? []).filter(({ status }) => status === "guarded")
  const failed = (sources.data ?? []).filter(({ status }) => status === "failed")
  if (webhooks.length + waiting.length + failed.length === 0) return null
  return (
    <section class="stack" aria-label={t("Needs attention")}>
      {waiting.map(({ id, name }) => (
        <p key={id} class="notice">
          <Icon name="warning" />
          <span>
            {rich("Many files of the source <bdi/> are gone at once. <link>Decide what becomes of them</link>", {
              bdi: <bdi>{name}</bdi>,
              link: words => <Link to={`/library/sources/${id}`}>{words}</Link>,
            })}
          </span>
        </p>
      ))}
      {failed.map(({ id, name, last_sync }) => (
        <p key={id} class="notice">
          <Icon name="warning" />
          <span class="entry-key">
            {rich(
              "The source <bdi/> could not be synced: {message}. <link>See the source</link>",
              { bdi: <bdi>{name}</bdi>, link: words => <Link to={`/library/sources/${id}`}>{words}</Link> },
              { message: last_sync?.error?.message ?? t("it failed") },
            )}
          </span>
        </p>
      ))}
      {webhooks.map(({ id, url, reason }) => (
        <p key={id} class="notice">
          <Icon name="warning" />
          <span class="entry-key">
            {rich(
              "The webhook <bdi/> was disabled: {reason}. <link>See webhooks</link>",
              { bdi: <bdi>{url}</bdi>, link: words => <Link to="/settings/webhooks">{words}</Link> },
              { reason },
            )}
          </span>
        </p>
      ))}
    </section>
  )
}
