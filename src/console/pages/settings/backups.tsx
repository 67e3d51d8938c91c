/** Settings → Backups: those that are there, one now, and what the schedule is. For administrators. */
import { api } from "../../api.ts"
import { ago, bytes, dateTime, plural } from "../../format.ts"
import { useAction, useLoaded, useRepeated } from "../../loading.ts"
import { Button } from "../../ui/button.tsx"
import { Problem } from "../../ui/form.tsx"
import { Empty } from "../../ui/page.tsx"
import type { Backups } from "../../wire.ts"

const PATH = "/keys/installation/backups"
const RUNNING_MS = 1_000
const IDLE_MS = 30_000

export function BackupsSettings() {
  const backups = useLoaded("backups", signal => api.get<Backups>(PATH, signal))
  const { data } = backups
  useRepeated(data?.running ? RUNNING_MS : IDLE_MS, backups.reload)
  const start = useAction(async () => backups.set(await api.post<Backups>(PATH)))
  return (
    <section class="stack">
      <div class="section-head">
        <div>
          <h2>Backups</h2>
          {data && <p class="soft">{scheduleOf(data)}</p>}
        </div>
        {data?.folder && (
          <Button
            kind="primary"
            icon="download"
            busy={start.busy || data.running !== null}
            onClick={() => void start.run()}
          >
            Back up now
          </Button>
        )}
      </div>
      <Problem error={backups.error ?? start.error} />
      {data?.failure && (
        <Problem error={{ message: `The last backup failed: ${data.failure.message}`, hint: ago(data.failure.at) }} />
      )}
      {data?.folder === null && <NoFolder />}
      {data?.running && <Running {...data.running} />}
      {data?.folder && data.data.length === 0 && !data.running && <Empty icon="download" title="No backup yet" />}
      <ul class="list">
        {data?.data.map(({ name, created_at, bytes: size }) => (
          <li key={name} class="row between">
            <div class="grow">
              <strong>{dateTime(created_at)}</strong>
              <code class="soft small block entry-key">{name}</code>
            </div>
            <span class="soft">{bytes(size)}</span>
          </li>
        ))}
      </ul>
      {data?.folder && (
        <p class="soft small">
          <code>carrel verify FILE</code> checks one, <code>carrel restore FILE --data DIR</code> makes an installation
          of it.
        </p>
      )}
    </section>
  )
}

const NoFolder = () => (
  <Empty icon="download" title="No folder for backups is set">
    <p>
      Start Carrel with <code>--backup-dir DIR</code>, on another disk if there is one, and with{" "}
      <code>--backup-every-hours 24</code> for one every day. <code>carrel backup FILE</code> writes one at any time.
    </p>
  </Empty>
)

const Running = ({ started_at, written_bytes, estimated_bytes }: NonNullable<Backups["running"]>) => (
  <div class="card" role="status">
    <strong>Writing a backup</strong>
    <progress
      class="wide"
      aria-label="Written"
      {...(estimated_bytes ? { value: Math.min(written_bytes, estimated_bytes), max: estimated_bytes } : {})}
    />
    <span class="soft small">
      {bytes(written_bytes)}
      {estimated_bytes ? ` of about ${bytes(estimated_bytes)}` : ""} · began {ago(started_at)}
    </span>
  </div>
)

function scheduleOf({ folder, every_hours, keep, next_at }: Backups): string {
  if (folder === null) return "The database, all originals and all texts in one file, with checksums."
  const when = every_hours && next_at ? `Every ${plural(every_hours, "hour")}, next ${dateTime(next_at)}` : "On request"
  return `In ${folder}. ${when}; the newest ${keep} stay.`
}
