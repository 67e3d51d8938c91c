/** Settings → Backups: those that are there, one now, and what the schedule is. For administrators. */

import { api } from "../../api.ts"
import { ago, bytes, count, dateTime } from "../../format.ts"
import { useAction, useLoaded, useRepeated } from "../../loading.ts"
import { rich, t } from "../../text.ts"
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
          <h2>{t("Backups")}</h2>
          {data && <p class="soft">{scheduleOf(data)}</p>}
        </div>
        {data?.folder && (
          <Button
            kind="primary"
            icon="download"
            busy={start.busy || data.running !== null}
            onClick={() => void start.run()}
          >
            {t("Back up now")}
          </Button>
        )}
      </div>
      <Problem error={backups.error ?? start.error} />
      {data?.failure && (
        <Problem
          error={{
            message: t("The last backup failed: {message}", { message: data.failure.message }),
            hint: ago(data.failure.at),
          }}
        />
      )}
      {data?.folder === null && <NoFolder />}
      {data?.running && <Running {...data.running} />}
      {data?.folder && data.data.length === 0 && !data.running && <Empty icon="download" title={t("No backup yet")} />}
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
          {rich("<code/> checks one, <code2/> makes an installation of it.", {
            code: <code>carrel verify FILE</code>,
            code2: <code>carrel restore FILE --data DIR</code>,
          })}
        </p>
      )}
    </section>
  )
}

const NoFolder = () => (
  <Empty icon="download" title={t("No folder for backups is set")}>
    <p>
      {rich(
        "Start Carrel with <code/>, on another disk if there is one, and with <code2/> for one every day. <code3/> writes one at any time.",
        {
          code: <code>--backup-dir DIR</code>,
          code2: <code>--backup-every-hours 24</code>,
          code3: <code>carrel backup FILE</code>,
        },
      )}
    </p>
  </Empty>
)

const Running = ({ started_at, written_bytes, estimated_bytes }: NonNullable<Backups["running"]>) => (
  <div class="card" role="status">
    <strong>{t("Writing a backup")}</strong>
    <progress
      class="wide"
      aria-label={t("Written")}
      {...(estimated_bytes ? { value: Math.min(written_bytes, estimated_bytes), max: estimated_bytes } : {})}
    />
    <span class="soft small">
      {[
        estimated_bytes
          ? t("{written} of about {estimated}", { written: bytes(written_bytes), estimated: bytes(estimated_bytes) })
          : bytes(written_bytes),
        t("began {ago}", { ago: ago(started_at) }),
      ].join(" · ")}
    </span>
  </div>
)

function scheduleOf({ folder, every_hours: hours, keep, next_at: next }: Backups): string {
  if (folder === null) return t("The database, all originals and all texts in one file, with checksums.")
  return hours && next
    ? t("In {folder}. Every {hours, plural, one {hour} other {# hours}}, next {next}; the newest {keep} stay.", {
        folder,
        hours,
        next: dateTime(next),
        keep: count(keep),
      })
    : t("In {folder}. On request; the newest {keep} stay.", { folder, keep: count(keep) })
}
