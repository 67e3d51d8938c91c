/** Settings → Failures: what went wrong lately, without contents. For administrators. */
import { api } from "../../api.ts"
import { ago, plural } from "../../format.ts"
import { useLoaded, useRepeated } from "../../loading.ts"
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
        <h2>Failures</h2>
        <p class="soft">
          Warnings and errors since the daemon started, without contents. The log tells more: look there for the id of
          the request.
        </p>
      </div>
      <Problem error={failures.error} />
      {failures.data?.data.length === 0 && <Empty icon="check" title="Nothing went wrong" />}
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
        {plural(count, "time")} · {ago(at)}
      </span>
      <span class={`badge ${level === "error" ? "bad" : "busy"}`}>{level === "error" ? "Error" : "Warning"}</span>
    </div>
    {request_id && (
      <div class="row">
        <code class="small entry-key">{request_id}</code>
        <CopyButton text={request_id} label="Copy the id of the request" />
      </div>
    )}
  </li>
)
