/** Settings → Failures: what went wrong lately, without contents. For administrators. */

import { api } from "../../api.ts"
import { ago } from "../../format.ts"
import { useLoaded, useRepeated } from "../../loading.ts"
import { t } from "../../text.ts"
import { CopyButton } from "../../ui/button.tsx"
import { Problem } from "../../ui/form.tsx"
import { Empty } from "../../ui/page.tsx"
import type { Failure } from "../../wire.ts"

const REFRESH_MS = 10_000

export function FailuresSettings() {
  const failures = useLoaded("failures", signal => api.get<{ data: Failure[] }>("/keys/installation/failures", signal))
  useRepeated(REFRESH_MS, failures.reload)
  return (
    <section class="stack">
      <div>
        <h2>{t("Failures")}</h2>
        <p class="soft">
          {t(
            "Warnings and errors since the daemon started, without contents. The log tells more: look there for the id of the request.",
          )}
        </p>
      </div>
      <Problem error={failures.error} />
      {failures.data?.data.length === 0 && <Empty icon="check" title={t("Nothing went wrong")} />}
      <ul class="list">
        {failures.data?.data.map(failure => (
          <Item key={`${failure.message} ${failure.code} ${failure.route}`} {...failure} />
        ))}
      </ul>
    </section>
  )
}

const Item = ({ at, level, message, code, request_id, route, count }: Failure) => (
  <li class="stack tight">
    <div class="row between">
      <div class="grow">
        <strong>{message}</strong> {code && <code class="soft small">{code}</code>}
        {route && <code class="soft small block entry-key">{route}</code>}
      </div>
      <span class="soft small">
        {t("{count, plural, one {# time} other {# times}}", { count })} · {ago(at)}
      </span>
      <span class={`badge ${level === "error" ? "bad" : "busy"}`}>{level === "error" ? t("Error") : t("Warning")}</span>
    </div>
    {request_id && (
      <div class="row">
        <code class="small entry-key">{request_id}</code>
        <CopyButton text={request_id} label={t("Copy the id of the request")} />
      </div>
    )}
  </li>
)
