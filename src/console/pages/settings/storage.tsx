/** Settings → Storage: what takes the room, what is left of it, and which packs are there. For administrators. */

import { api } from "../../api.ts"
import { bytes, dateTime } from "../../format.ts"
import { useLoaded } from "../../loading.ts"
import { rich, type Text, t } from "../../text.ts"
import { Problem } from "../../ui/form.tsx"
import type { Pack, StorageUse } from "../../wire.ts"

const KINDS: Record<keyof StorageUse["by_kind"], Text> = {
  originals: "Originals",
  texts: "Extracted texts",
  database: "Database",
  index: "Index of words",
  vectors: "Index of meaning",
  models: "Models",
  packs: "Packs",
  program: "Libraries of the program",
  other: "Logs of use, work in progress",
}

export function StorageSettings() {
  const use = useLoaded("storage", signal => api.get<StorageUse>("/keys/installation/storage", signal))
  const packs = useLoaded("packs", signal => api.get<{ data: Pack[] }>("/keys/installation/packs", signal))
  return (
    <section class="stack wide-gap">
      <Problem error={use.error ?? packs.error} />
      {use.data && <Use {...use.data} />}
      {packs.data && <Packs packs={packs.data.data} />}
    </section>
  )
}

function Use({ directory, used_bytes, free_bytes, by_kind, files }: StorageUse) {
  const kinds = (Object.keys(KINDS) as (keyof typeof KINDS)[])
    .filter(kind => by_kind[kind] > 0)
    .sort((a, b) => by_kind[b] - by_kind[a])
  return (
    <div class="stack">
      <h2>{t("Storage")}</h2>
      <dl class="totals">
        <div>
          <dt>{t("Used")}</dt>
          <dd>{bytes(used_bytes)}</dd>
        </div>
        <div>
          <dt>{t("Free")}</dt>
          <dd>{bytes(free_bytes)}</dd>
        </div>
        <div>
          <dt>{t("{count, plural, one {# file} other {# files}} of all workspaces", { count: files.count })}</dt>
          <dd>{bytes(files.bytes)}</dd>
        </div>
      </dl>
      <p class="soft small">
        {rich("In <code/>, measured at most once a minute", { code: <code class="entry-key">{directory}</code> })}
      </p>
      <ul class="list">
        {kinds.map(kind => (
          <li key={kind} class="storage-kind">
            <span>{t(KINDS[kind])}</span>
            <meter aria-label={t("Share of {kind}", { kind: t(KINDS[kind]) })} max={used_bytes} value={by_kind[kind]} />
            <span class="number">{bytes(by_kind[kind])}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

const Packs = ({ packs }: { packs: Pack[] }) => (
  <div class="stack">
    <div>
      <h2>{t("Packs")}</h2>
      <p class="soft">
        {rich("Languages for reading pictures and scans. They are added by <code/>, which needs no restart.", {
          code: <code>carrel packs add FILE</code>,
        })}
      </p>
    </div>
    {packs.length === 0 && <p class="soft">{t("None: scans are read in English.")}</p>}
    <ul class="list">
      {packs.map(({ name, languages, bytes: size, added_at }) => (
        <li key={name}>
          <strong>{name}</strong>
          <span class="soft small block">
            {languages.join(", ")} · {bytes(size)} ·{" "}
            {added_at ? t("added {addedAt}", { addedAt: dateTime(added_at) }) : t("came with the program")}
          </span>
        </li>
      ))}
    </ul>
  </div>
)
