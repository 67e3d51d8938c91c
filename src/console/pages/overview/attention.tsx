/** What waits for somebody: webhooks that were given up, sources that ask before they delete or could not be synced. */
import { api } from "../../api.ts"
import { useLoaded, useRepeated } from "../../loading.ts"
import { Link } from "../../router.tsx"
import { useAccount } from "../../session.ts"
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
    <section class="stack" aria-label="Needs attention">
      {waiting.map(({ id, name }) => (
        <p key={id} class="notice">
          <Icon name="warning" />
          <span>
            Many files of the source <bdi>{name}</bdi> are gone at once.{" "}
            <Link to={`/library/sources/${id}`}>Decide what becomes of them</Link>
          </span>
        </p>
      ))}
      {failed.map(({ id, name, last_sync }) => (
        <p key={id} class="notice">
          <Icon name="warning" />
          <span class="entry-key">
            The source <bdi>{name}</bdi> could not be synced: {last_sync?.error?.message ?? "it failed"}.{" "}
            <Link to={`/library/sources/${id}`}>See the source</Link>
          </span>
        </p>
      ))}
      {webhooks.map(({ id, url, reason }) => (
        <p key={id} class="notice">
          <Icon name="warning" />
          <span class="entry-key">
            The webhook <bdi>{url}</bdi> was disabled: {reason}. <Link to="/settings/webhooks">See webhooks</Link>
          </span>
        </p>
      ))}
    </section>
  )
}
