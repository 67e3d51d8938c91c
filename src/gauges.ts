/** The figures of `/metrics` that are asked for at each scrape. Registered once per start, by the composition root. */
import { statfs } from "node:fs/promises"
import type { AgentRuns } from "./agents/runs.ts"
import type { EntityModelStatus } from "./backends/entity-model.ts"
import type { Chat } from "./chat/chat.ts"
import { ENGINE_NAMES, type Engine } from "./errors.ts"
import { INDEX_FILE } from "./ingest/task.ts"
import type { JobQueue } from "./jobs/queue.ts"
import { watchGauge } from "./metrics.ts"
import type { SearchIndex } from "./search/index.ts"
import type { Database } from "./storage/database.ts"
import type { DiskWatch } from "./storage/disk-watch.ts"
import type { StoreWatch } from "./storage/store-watch.ts"
import {
  scheduleStates,
  sourceStates,
  unfinishedBatches,
  waitingDeliveries,
  webhookCounts,
} from "./storage/unattended.ts"

export interface GaugeSources {
  database: Database
  dataDirectory: string
  disk: DiskWatch
  stores: StoreWatch | undefined
  queue: JobQueue
  index: SearchIndex
  agents: AgentRuns
  chat: Chat
  entityModel: { status: EntityModelStatus } | undefined
  embedders: readonly { model: string; state: string }[]
  /** What pictures can be read in now. */
  ocrLanguages: () => string[]
}

/** @returns what takes them away again */
export function watchGauges(sources: GaugeSources): () => void {
  const gauges = [
    ...workGauges(sources),
    ...unattendedGauges(sources),
    ...storeGauges(sources),
    ...modelGauges(sources),
  ]
  const ends = gauges.map(gauge => watchGauge(...gauge))
  return () => {
    for (const end of ends) end()
  }
}

type Gauge = Parameters<typeof watchGauge>

const workGauges = ({ database, queue, agents, chat }: GaugeSources): Gauge[] => {
  const task = INDEX_FILE
  const depth = () => queue.depth(task)
  return [
    ["carrel_jobs", "Jobs waiting or running, by task", ["task"], async () => [[{ task }, (await depth()).count]]],
    [
      "carrel_oldest_job_seconds",
      "Age of the job that has waited longest, by task",
      ["task"],
      async () => [[{ task }, (await depth()).oldestSeconds]],
    ],
    ["carrel_files", "Files by status", ["status"], () => filesByStatus(database)],
    ["carrel_replies", "Replies that are being written", [], async () => [[{}, chat.running]]],
    [
      "carrel_agent_runs",
      "Agent runs by state, running or waiting",
      ["state"],
      async () => [
        [{ state: "running" }, agents.load.running],
        [{ state: "waiting" }, agents.load.waiting],
      ],
    ],
  ]
}

const unattendedGauges = ({ database }: GaugeSources): Gauge[] => [
  [
    "carrel_sources",
    "Sources by status: how the last sync that ended went",
    ["status"],
    async () => counted(await sourceStates(database), ["idle", "failed", "guarded", "paused"]),
  ],
  [
    "carrel_schedules",
    "Schedules by status; failing: the last run had no success",
    ["status"],
    async () => counted(await scheduleStates(database), ["active", "failing", "paused"]),
  ],
  [
    "carrel_webhooks",
    "Webhooks by status",
    ["status"],
    async () => {
      const counts = await webhookCounts(database)
      return ["active", "disabled"].map(status => [{ status }, counts.get(status) ?? 0])
    },
  ],
  [
    "carrel_webhook_deliveries_waiting",
    "Deliveries that were tried in vain and are tried again",
    [],
    async () => [[{}, await waitingDeliveries(database)]],
  ],
  [
    "carrel_batches",
    "Batches that are not done, by status",
    ["status"],
    async () => (await unfinishedBatches(database)).counts.map(([status, count]) => [{ status }, count]),
  ],
  [
    "carrel_batch_requests_waiting",
    "Requests of batches that have no answer yet",
    [],
    async () => [[{}, (await unfinishedBatches(database)).requests]],
  ],
]

const counted = <S extends string>(states: { health: S }[], all: S[]): [Record<string, string>, number][] =>
  all.map(status => [{ status }, states.filter(({ health }) => health === status).length])

const storeGauges = ({ index, disk, stores, dataDirectory }: GaugeSources): Gauge[] => [
  [
    "carrel_index_entries",
    "What the search index holds",
    ["kind"],
    async () => {
      const { passages, vectors, segments } = await index.stats()
      return [
        [{ kind: "passages" }, passages],
        [{ kind: "vectors" }, Math.max(0, ...Object.values(vectors).map(({ count }) => count))],
        [{ kind: "segments" }, segments],
      ]
    },
  ],
  [
    "carrel_index_vectors",
    "Passages that have a vector, by tier; their number is the entry `passages`",
    ["tier"],
    async () => Object.entries((await index.stats()).vectors).map(([tier, { count }]) => [{ tier }, count]),
  ],
  [
    "carrel_index_bytes",
    "Size of the keyword index on disk and of the vectors in memory",
    ["kind"],
    async () => {
      const { keywordBytes, vectors } = await index.stats()
      const vectorBytes = Object.values(vectors).reduce((sum, { bytes }) => sum + bytes, 0)
      return [
        [{ kind: "keyword" }, keywordBytes],
        [{ kind: "vector" }, vectorBytes],
      ]
    },
  ],
  [
    "carrel_disk_free_bytes",
    "Free space on the disk of the data directory",
    [],
    async () => {
      const { bavail, bsize } = await statfs(dataDirectory)
      return [[{}, bavail * bsize]]
    },
  ],
  [
    "carrel_disk_writable",
    "1 while the data directory can be written, 0 when its disk refuses",
    [],
    async () => [[{}, (await disk.trouble()) === undefined ? 1 : 0]],
  ],
  ...(stores ? [engineGauge(stores)] : []),
]

const engineGauge = (stores: StoreWatch): Gauge => [
  "carrel_store_answers",
  "1 while the engine of several machines answers, 0 while it does not",
  ["store"],
  async () => {
    const down = await stores.down()
    return (Object.keys(ENGINE_NAMES) as Engine[]).map(store => [{ store }, down.includes(store) ? 0 : 1])
  },
]

const modelGauges = ({ entityModel, embedders, ocrLanguages }: GaugeSources): Gauge[] => [
  [
    "carrel_entity_model",
    "1 for the model that finds names, with its state",
    ["model", "status"],
    async () => {
      const { model, status } = entityModel?.status ?? { model: null, status: "unavailable" }
      return [[{ model: model ?? "none", status }, 1]]
    },
  ],
  [
    "carrel_embedding_model",
    "1 for each model that search by meaning uses, with its state: starting, answering or failing",
    ["model", "status"],
    async () => embedders.map(({ model, state }) => [{ model, status: state }, 1]),
  ],
  [
    "carrel_ocr_language",
    "1 for each language that pictures can be read in, as Tesseract calls it",
    ["language"],
    async () => ocrLanguages().map(language => [{ language }, 1]),
  ],
]

async function filesByStatus(database: Database): Promise<[Record<string, string>, number][]> {
  const rows = await database
    .selectFrom("files")
    .select(eb => ["status", eb.fn.countAll<number>().as("count")])
    .groupBy("status")
    .execute()
  const counts = new Map(rows.map(({ status, count }) => [status as string, Number(count)]))
  return ["queued", "indexing", "searchable", "failed"].map(status => [{ status }, counts.get(status) ?? 0])
}
