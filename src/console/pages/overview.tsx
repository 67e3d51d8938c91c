import { api, query, REFERENCE_URL } from "../api.ts"
import { ago, bytes, count, duration } from "../format.ts"
import { useLoaded, useRepeated } from "../loading.ts"
import { MODEL_STATES, nameOfModel } from "../model-words.ts"
import { Link } from "../router.tsx"
import { useAccount } from "../session.ts"
import { type Text, t } from "../text.ts"
import { Bars } from "../ui/bars.tsx"
import { Problem } from "../ui/form.tsx"
import { Icon } from "../ui/icons.tsx"
import { Page } from "../ui/page.tsx"
import type { FileRecord, Page as ListPage, Model, Overview } from "../wire.ts"
import { Attention } from "./overview/attention.tsx"
import { FirstSteps } from "./overview/first-steps.tsx"

const REFRESH_MS = 5_000

interface Everything {
  files: Record<"searchable" | "queued" | "indexing" | "failed", number>
  latest: FileRecord[]
  models: Model[]
  overview: Overview
}

async function loadEverything(signal: AbortSignal): Promise<Everything> {
  const filesIn = async (status: string) =>
    (await api.get<ListPage<FileRecord>>(`/libraries${query({ status, page_size: 1 })}`, signal)).pagination.total_items
  const [searchable, queued, indexing, failed, latest, models, overview] = await Promise.all([
    filesIn("searchable"),
    filesIn("queued"),
    filesIn("indexing"),
    filesIn("failed"),
    api.get<ListPage<FileRecord>>(`/libraries${query({ page_size: 6, sort: "updated_at" })}`, signal),
    api.get<Model[]>("/models", signal).catch((): Model[] => []),
    api.get<Overview>("/keys/overview", signal),
  ])
  return { files: { searchable, queued, indexing, failed }, latest: latest.data, models, overview }
}

export function OverviewPage() {
  const { me } = useAccount()
  const everything = useLoaded("overview", loadEverything)
  useRepeated(REFRESH_MS, everything.reload)
  const { data } = everything
  return (
    <Page
      title={t("Overview")}
      actions={
        <a class="button" href={REFERENCE_URL} target="_blank" rel="noreferrer">
          <Icon name="external" /> {t("API reference")}
        </a>
      }
    >
      <Problem error={everything.error} />
      {data && (
        <div class="stack wide-gap">
          <Attention webhooks={data.overview.disabled_webhooks} />
          <FirstSteps />
          <div class="tiles">
            <FilesTile files={data.files} />
            <ModelsTile models={data.models} />
            <DiskTile disk={data.overview.disk} />
            <IndexTile overview={data.overview} files={data.files} version={me.version} />
          </div>
          {data.latest.length > 0 && <Latest files={data.latest} />}
          <Requests requests={data.overview.requests} />
        </div>
      )}
    </Page>
  )
}

function FilesTile({ files }: { files: Everything["files"] }) {
  const pending = files.queued + files.indexing
  const parts = [
    [files.searchable, "good"],
    [pending, "busy"],
    [files.failed, "bad"],
  ] as const
  return (
    <section class="card">
      <h2>{t("Files")}</h2>
      <p class="figure">{count(files.searchable)}</p>
      <Shares parts={parts} />
      <p class="soft small">
        {t("{searchable, plural, one {# file} other {# files}} searchable", { searchable: files.searchable })}
        {pending > 0 && ` · ${t("{pending} in the queue", { pending: count(pending) })}`}
        {files.failed > 0 && (
          <>
            {" · "}
            <Link to="/library?status=failed">{t("{failed} failed", { failed: count(files.failed) })}</Link>
          </>
        )}
      </p>
    </section>
  )
}

/** Parts of a whole as one bar. */
function Shares({ parts }: { parts: readonly (readonly [value: number, kind: string])[] }) {
  const total = parts.reduce((sum, [value]) => sum + value, 0)
  let x = 0
  return (
    <svg class="shares" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="rest" width="100" height="4" />
      {total > 0 &&
        parts.map(([value, kind]) => {
          const width = (value / total) * 100
          x += width
          return <rect key={kind} class={kind} x={x - width} width={width} height="4" />
        })}
    </svg>
  )
}

const FILE_STATES: Record<FileRecord["status"], Text> = {
  queued: "queued",
  indexing: "indexing",
  searchable: "searchable",
  failed: "failed",
}

const ModelsTile = ({ models }: { models: Model[] }) => (
  <section class="card">
    <h2>{t("Models")}</h2>
    <p class="figure">
      {count(models.filter(model => model.available).length)}
      <span class="soft"> {t("of {length} available", { length: count(models.length) })}</span>
    </p>
    <ul class="plain">
      {models.slice(0, 5).map(model => (
        <li key={model.value} class="row" title={model.status_reason ?? undefined}>
          <span class={`dot ${model.status}`} />{" "}
          <span class="name" dir="auto">
            {nameOfModel(model)}
          </span>
          <span class="soft small">{t(MODEL_STATES[model.status])}</span>
        </li>
      ))}
    </ul>
  </section>
)

const DiskTile = ({ disk }: { disk: Overview["disk"] }) => (
  <section class="card">
    <h2>{t("Disk")}</h2>
    <p class="figure">{bytes(disk.used_bytes)}</p>
    <Shares
      parts={[
        [disk.used_bytes, "good"],
        [disk.free_bytes, "rest"],
      ]}
    />
    <p class="soft small">{t("{freeBytes} free", { freeBytes: bytes(disk.free_bytes) })}</p>
  </section>
)

interface IndexTileProps {
  overview: Overview
  files: Everything["files"]
  version: string
}

const IndexTile = ({ overview, files, version }: IndexTileProps) => (
  <section class="card">
    <h2>{t("Index")}</h2>
    <p class="figure">{files.queued + files.indexing > 0 ? t("Working") : t("Healthy")}</p>
    <dl class="facts">
      <dt>{t("Embedding")}</dt>
      <dd>{overview.embedding_model}</dd>
      <dt>{t("Uptime")}</dt>
      <dd>{duration(overview.uptime_seconds * 1000)}</dd>
      <dt>{t("Version")}</dt>
      <dd>{version}</dd>
    </dl>
  </section>
)

const Latest = ({ files }: { files: FileRecord[] }) => (
  <section class="stack">
    <h2>{t("Latest files")}</h2>
    <ul class="list latest">
      {files.map(file => (
        <li key={file.id} class="row between">
          <Link to={`/library?file=${file.id}`} class="file-name">
            <span class="type">{file.type}</span>
            <span dir="auto">{file.name}</span>
          </Link>
          <span class="row">
            <span class="soft small">{ago(file.updated_at)}</span>
            <span class={`badge ${BADGES[file.status]}`}>{t(FILE_STATES[file.status])}</span>
          </span>
        </li>
      ))}
    </ul>
  </section>
)

const BADGES = { searchable: "good", failed: "bad", indexing: "busy", queued: "" }

function Requests({ requests }: { requests: Overview["requests"] }) {
  return (
    <section class="stack">
      <h2>{t("Requests in the last hour")}</h2>
      {requests.length === 0 && <p class="soft">{t("No API key of this workspace has been used in the last hour.")}</p>}
      <div class="plots">
        {requests.map(key => (
          <figure key={key.key_id} class="card">
            <figcaption class="row between">
              <strong dir="auto">{key.name}</strong>
              <span class="soft small">
                {t("{perMinute, plural, one {# request} other {# requests}}", { perMinute: sum(key.per_minute) })}
              </span>
            </figcaption>
            <Bars values={key.per_minute} label={t("Requests per minute of {name}", { name: key.name })} />
          </figure>
        ))}
      </div>
    </section>
  )
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0)
