/** What the routes about the installation itself take and answer. For administrators alone. */
import { t } from "elysia"
import { KINDS } from "../../storage/disk-use.ts"
import { operation } from "../operation.ts"
import { closed, integer, nullable, oneOf, Time } from "../schemas.ts"

const TAG = "Console"

const Setting = t.Object(
  {
    name: t.String({ examples: ["ollama_host"] }),
    value: t.String({ description: "As text; of a secret what may be shown", examples: ["http://127.0.0.1:11434"] }),
    default: t.String({ examples: ["http://127.0.0.1:11434"] }),
    from: oneOf(["flag", "environment", "file", "default"]),
    source: t.String({ description: "Name of the flag, variable or file", examples: ["CARREL_OLLAMA_HOST"] }),
    description: t.String({ examples: ["address of the Ollama server"] }),
  },
  { title: "InstallationSetting" },
)
const bytes = integer({ examples: [48_211_300] })
const StorageUse = t.Object(
  {
    directory: t.String({ examples: ["/var/lib/carrel"] }),
    used_bytes: bytes,
    free_bytes: bytes,
    by_kind: t.Object(
      Object.fromEntries(KINDS.map(kind => [kind, bytes])) as Record<(typeof KINDS)[number], typeof bytes>,
    ),
    files: t.Object({ count: integer({ examples: [1_204] }), bytes }, { description: "Of all workspaces" }),
  },
  { title: "StorageUse" },
)
const Failure = t.Object(
  {
    at: Time,
    level: oneOf(["warn", "error"]),
    message: t.String({ examples: ["request failed"] }),
    code: nullable(t.String(), { examples: ["model_unavailable"] }),
    request_id: nullable(t.String({ description: "Of the last one" }), { examples: ["req_01m7y48vkz3s85f1acdta2"] }),
    route: nullable(t.String(), { examples: ["POST /external/conversations"] }),
    count: integer({ description: "Times since the start", examples: [3] }),
  },
  { title: "Failure" },
)
const ToolServer = t.Object(
  {
    name: t.String({ examples: ["wiki"] }),
    place: t.String({ description: "Its program, or its host", examples: ["127.0.0.1:8931"] }),
    connected: t.Boolean(),
    problem: nullable(t.String(), { examples: [null] }),
    tools: t.Array(
      t.Object({
        name: t.String({ examples: ["wiki.page"] }),
        description: t.String({ examples: ["Read a page"] }),
        needs_approval: t.Boolean({ examples: [false] }),
      }),
    ),
  },
  { title: "ToolServer" },
)
const Pack = t.Object(
  {
    name: t.String({ examples: ["ocr-europe"] }),
    languages: t.Array(t.String({ examples: ["German"] })),
    bytes,
    added_at: nullable(Time, { description: "Null for one that the executable brought" }),
  },
  { title: "Pack" },
)
const Trial = t.Object(
  {
    model: t.String({ examples: ["ollama/llama3.2:3b"] }),
    first_piece_ms: nullable(integer({ description: "Until it began to answer; null where it said nothing" }), {
      examples: [412],
    }),
    total_ms: integer({ examples: [530] }),
    text: t.String({ description: "What it said", examples: ["ready"] }),
    completion_tokens: integer({ examples: [2] }),
  },
  { title: "ModelTrial" },
)

const listed = <T extends typeof Setting | typeof Failure | typeof ToolServer | typeof Pack>(item: T) =>
  t.Object({ data: t.Array(item) })

export const listSettings = operation({
  id: "listInstallationSettings",
  audit: "nothing",
  session: "administrator",
  summary: "Settings of the daemon, and where each comes from",
  description:
    "As it was started with, of the node that answers. Nothing of a secret is shown. They are changed where they stand.",
  tag: TAG,
  answers: { 200: { description: "All settings", schema: listed(Setting) } },
})

export const getStorageUse = operation({
  id: "getStorageUse",
  audit: "nothing",
  session: "administrator",
  summary: "What is stored, by kind, and how much room is left",
  description:
    "`by_kind` is measured in the data directory of the node that answers, at most once a minute. On several machines originals, texts, records and index are in the engines: `files` counts the originals wherever they are.",
  tag: TAG,
  answers: { 200: { description: "Bytes", schema: StorageUse } },
})

export const listFailures = operation({
  id: "listFailures",
  audit: "nothing",
  session: "administrator",
  summary: "What went wrong lately",
  description:
    "Warnings and errors of the node that answers since its start, newest first, the same one counted: 200 at most. Without contents; the line of the log that has the request id tells more.",
  tag: TAG,
  answers: { 200: { description: "The failures", schema: listed(Failure) } },
})

export const listToolServers = operation({
  id: "listToolServers",
  audit: "nothing",
  session: "administrator",
  summary: "Servers of tools that `--mcp-config` names, and their state",
  description: "Each is asked: one that does not answer delays the list by 10 seconds at most.",
  tag: TAG,
  answers: { 200: { description: "The servers", schema: listed(ToolServer) } },
})

export const listPacks = operation({
  id: "listPacks",
  audit: "nothing",
  session: "administrator",
  summary: "Packs of the node that answers",
  description: "They are added and removed by `carrel packs`.",
  tag: TAG,
  answers: { 200: { description: "Newest first", schema: listed(Pack) } },
})

const Backups = t.Object(
  {
    folder: nullable(t.String(), { examples: ["/mnt/backups/carrel"] }),
    every_hours: nullable(integer({ description: "Null: on request alone" }), { examples: [24] }),
    keep: integer({ examples: [7] }),
    next_at: nullable(Time),
    running: nullable(
      t.Object({
        started_at: Time,
        written_bytes: bytes,
        estimated_bytes: nullable(bytes, { examples: [48_211_300] }),
      }),
      { examples: [null] },
    ),
    failure: nullable(t.Object({ at: Time, message: t.String() }), { examples: [null] }),
    data: t.Array(
      t.Object({ name: t.String({ examples: ["carrel-20261123-020000Z.tar"] }), created_at: Time, bytes }),
      { description: "Newest first" },
    ),
  },
  { title: "Backups" },
)

export const listBackups = operation({
  id: "listBackups",
  audit: "nothing",
  session: "administrator",
  summary: "Backups in the folder of the settings, and the one that is being written",
  description:
    "The operator names the folder (`--backup-dir`), when they are written (`--backup-every-hours`) and how many stay (`--backup-keep`). On several machines each node has its own folder, or all the same; the node that leads writes by schedule.",
  tag: TAG,
  answers: { 200: { description: "The backups", schema: Backups } },
})

export const startBackup = operation({
  id: "startBackup",
  audit: { action: "backup.create" },
  session: "administrator",
  summary: "Write a backup now",
  description:
    "In the background, beside requests; `listBackups` tells how far it is. Its name is the time. Refused while one is being written, and where no folder is set. `carrel restore` brings it back.",
  tag: TAG,
  answers: { 202: { description: "It has begun", schema: Backups } },
  errors: ["conflict"],
})

export const tryModel = operation({
  id: "tryModel",
  audit: "nothing",
  session: "administrator",
  summary: "Ask a model for one word",
  description:
    "Says how soon it begins to answer, loading included, within two minutes. Its tokens are counted like those of a conversation.",
  tag: TAG,
  body: closed({ model: t.String({ minLength: 1, maxLength: 512 }) }),
  example: { model: "ollama/llama3.2:3b" },
  answers: { 200: { description: "It answered", schema: Trial } },
  errors: ["model_not_found", "model_unavailable", "model_error", "overloaded", "quota_exceeded"],
})
