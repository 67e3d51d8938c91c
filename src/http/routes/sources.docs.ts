/** What the routes of sources take and answer. */
import { t } from "elysia"
import { SOURCE_TYPES } from "../../sources/connector.ts"
import { COVERAGE_STATUSES } from "../../sources/coverage.ts"
import { operation } from "../operation.ts"
import {
  closed,
  IDEMPOTENCY_KEY,
  Issue,
  integer,
  listOf,
  nullable,
  oneOf,
  optional,
  Pagination,
  pageQuery,
  Time,
} from "../schemas.ts"

const SOURCE_ID = "src_01m7y48vkz3s85f1acdta2"
const SYNC_ID = "sync_01m7y48vkz3s85f1acdta2"
const byId = t.Object({ source_id: t.String({ examples: [SOURCE_ID] }) })

const counted = (what: string) => integer({ minimum: 0, description: what, examples: [0] })
const counts = {
  added: counted("Entries that became files"),
  updated: counted("Files that were replaced"),
  deleted: counted("Files that were deleted"),
  unchanged: counted("Entries that are as they were"),
  skipped: counted("Entries that are not taken: by `include`, `exclude`, size or type"),
  failed: counted("Entries that could not be fetched, now or before; see the coverage"),
  guarded: counted("Files that are gone and were not deleted, because they are too many at once"),
}

const SyncSchema = t.Object(
  {
    sync_id: t.String({ examples: [SYNC_ID] }),
    started_at: Time,
    finished_at: nullable(Time, { description: "Null while it goes on" }),
    ...counts,
    error: nullable(Issue, { examples: [null] }),
  },
  { title: "SourceSync" },
)

const Globs = (what: string) =>
  t.Array(t.String({ minLength: 1, maxLength: 500 }), { maxItems: 100, description: what, examples: [["*.pdf"]] })

const include = Globs("Only keys that one of them matches; all where there is none. `*.pdf` matches in every folder")
const exclude = Globs("No key that one of them matches")
const maxBytes = integer({ minimum: 1, description: "Larger entries are skipped", examples: [50_000_000] })
const schedule = t.String({
  maxLength: 200,
  description:
    "`15m`, `6h`, `1d`, or cron of five fields; a folder is watched for changes as well. Null: on request alone",
  examples: ["15m"],
})
const timezone = t.String({ maxLength: 64, description: "Of cron; UTC unless told", examples: ["Europe/Berlin"] })
const config = t.Record(t.String(), t.Any(), {
  description:
    "By type: `folder {path}`, `webdav {url}`, `s3 {endpoint, bucket, prefix?, region?}`, `git {url, branch?, path?}`, `imap {host, port, mailbox, since?, tls?}`, `web {url, limit, include_paths?, exclude_paths?}`, `push {}`",
  examples: [{ path: "/srv/documents" }],
})
const credentials = t.Record(t.String(), t.Any(), {
  description: "`{username, password}`, of s3 `{access_key_id, secret_access_key}`. Kept encrypted, never shown",
  examples: [{ username: "reader", password: "…" }],
})

const SourceSchema = t.Object(
  {
    id: t.String({ examples: [SOURCE_ID] }),
    type: oneOf(SOURCE_TYPES),
    name: t.String({ examples: ["Contracts"] }),
    config,
    has_credentials: t.Boolean({ examples: [false] }),
    context_id: nullable(t.String(), { examples: [null] }),
    tags: t.Array(t.String(), { examples: [["contract"]] }),
    acl: nullable(t.Array(t.String()), { examples: [null] }),
    include,
    exclude,
    max_bytes: nullable(integer(), { examples: [null] }),
    schedule: nullable(schedule),
    timezone: nullable(timezone, { examples: [null] }),
    delete_missing: t.Boolean({ description: "Files go when their entries do", examples: [true] }),
    status: oneOf(["idle", "syncing", "failed", "guarded", "paused"], {
      description:
        "`failed`: it could not be read and is tried again; `guarded`: so much is gone that nothing was deleted",
    }),
    last_sync: nullable(SyncSchema, { description: "The newest, ended or not" }),
    next_sync_at: nullable(Time),
    created_at: Time,
    updated_at: Time,
  },
  { title: "SyncedSource" },
)

const NewSource = closed({
  type: oneOf(SOURCE_TYPES),
  name: t.String({ minLength: 1, maxLength: 128 }),
  config: optional(config),
  credentials: optional(credentials),
  context_id: optional(t.String({ description: "Where its files lie" })),
  tags: optional(t.Array(t.String())),
  acl: optional(t.Array(t.String(), { description: "Principals that may see its files; null: everyone" })),
  include: optional(include),
  exclude: optional(exclude),
  max_bytes: optional(maxBytes),
  schedule: optional(schedule),
  timezone: optional(timezone),
  delete_missing: optional(t.Boolean({ default: true })),
})

const SourceChange = closed({
  name: t.Optional(t.String({ minLength: 1, maxLength: 128 })),
  config: t.Optional(config),
  credentials: t.Optional(nullable(credentials, { description: "Null takes them away" })),
  context_id: t.Optional(nullable(t.String(), { description: "Its files move there" })),
  tags: t.Optional(t.Array(t.String())),
  acl: t.Optional(nullable(t.Array(t.String()))),
  include: t.Optional(include),
  exclude: t.Optional(exclude),
  max_bytes: t.Optional(nullable(maxBytes)),
  schedule: t.Optional(nullable(schedule)),
  timezone: t.Optional(nullable(timezone)),
  delete_missing: t.Optional(t.Boolean()),
  paused: t.Optional(
    t.Boolean({ description: "Nothing is looked at until it is false; what was under way goes on then" }),
  ),
})

export const createSource = operation({
  id: "createSource",
  audit: { action: "source.create", id: "answer.id" },
  scope: "sources",
  summary: "Keep a place in sync",
  description: `Files there become files here, are replaced when they change, and go when they do. A source with a \`schedule\` such
as \`15m\` begins at once, any other with \`POST …/sync\`. Folders must lie below a \`--source-root\`, other machines must be
reachable under \`--fetch-allow\`: else 403.`,
  tag: "Sources",
  headers: [IDEMPOTENCY_KEY],
  body: NewSource,
  example: { type: "folder", name: "Contracts", config: { path: "/srv/documents" }, schedule: "15m" },
  answers: { 201: { description: "The source", schema: SourceSchema } },
  errors: ["not_found", "conflict"],
})

export const listSources = operation({
  id: "listSources",
  audit: "nothing",
  scope: "sources",
  summary: "List sources",
  description: "Those whose context the caller sees. Who sees a part of the files alone finds those that it made.",
  tag: "Sources",
  query: t.Object(pageQuery),
  answers: { 200: { description: "One page, newest first", schema: listOf(SourceSchema, "SyncedSourceList") } },
})

export const getSource = operation({
  id: "getSource",
  audit: "nothing",
  scope: "sources",
  summary: "Get a source",
  tag: "Sources",
  params: byId,
  answers: { 200: { description: "The source", schema: SourceSchema } },
  errors: ["not_found"],
})

export const updateSource = operation({
  id: "updateSource",
  audit: { action: "source.update", id: "params.source_id", fields: true },
  scope: "sources",
  summary: "Change, pause or resume a source",
  description: `Another context, other tags and another acl are given to the files that it has before this is answered. Where \`config\`
names another place, \`credentials\` must be given anew. What \`include\`, \`exclude\` and \`max_bytes\` mean for files that are
there the next sync carries out.`,
  tag: "Sources",
  params: byId,
  body: SourceChange,
  example: { schedule: "1h" },
  answers: { 200: { description: "The source", schema: SourceSchema } },
  errors: ["not_found"],
})

export const deleteSource = operation({
  id: "deleteSource",
  audit: { action: "source.delete", id: "params.source_id" },
  held: "not covered",
  scope: "sources",
  summary: "Remove a source",
  description:
    "Its files stay, as files like others, unless `delete_files` is true; those of others are never touched.",
  tag: "Sources",
  params: byId,
  query: t.Object({ delete_files: t.Optional(t.Boolean({ default: false })) }),
  answers: { 204: { description: "Removed; many files may still be on their way" } },
  errors: ["not_found"],
})

const DryRunSchema = t.Object(
  {
    dry_run: t.Literal(true),
    ...counts,
    sample: t.Object(
      { added: t.Array(t.String()), updated: t.Array(t.String()), deleted: t.Array(t.String()) },
      { description: "20 keys of each at most", examples: [{ added: ["2026/report.pdf"], updated: [], deleted: [] }] },
    ),
  },
  { title: "SourceDryRun" },
)

export const syncSource = operation({
  id: "syncSource",
  audit: { action: "source.sync", id: "params.source_id" },
  scope: "sources",
  summary: "Sync now",
  description: `One sync goes on at a time: a request joins the one that is under way. \`force\` tries again what failed, takes files in
again that somebody deleted in the library, and deletes what a guard held back. While a source is \`guarded\` a request without it is
409 \`guarded\`. With \`dry_run\` nothing is done: the answer says what would be.`,
  tag: "Sources",
  params: byId,
  body: t.Optional(
    closed({
      dry_run: optional(t.Boolean({ default: false })),
      force: optional(t.Boolean({ default: false })),
    }),
  ),
  example: { dry_run: true },
  answers: {
    200: { description: "With `dry_run`", schema: DryRunSchema },
    202: {
      description: "Asked for",
      schema: t.Object({
        sync_id: nullable(t.String(), {
          description: "Of the sync that is under way, or of the last one while this has not begun",
          examples: [SYNC_ID],
        }),
        status: t.Literal("syncing"),
      }),
    },
  },
  errors: ["not_found", "guarded", "conflict", "fetch_failed"],
})

export const listSyncs = operation({
  id: "listSourceSyncs",
  audit: "nothing",
  scope: "sources",
  summary: "How syncs went",
  description: "The last 200, newest first.",
  tag: "Sources",
  params: byId,
  query: t.Object(pageQuery),
  answers: { 200: { description: "One page", schema: listOf(SyncSchema, "SourceSyncList") } },
  errors: ["not_found"],
})

const CoverageItem = t.Object(
  {
    key: t.String({ examples: ["2026/report.pdf"] }),
    status: oneOf(COVERAGE_STATUSES),
    error: nullable(Issue, { examples: [null] }),
    file_id: nullable(t.String(), { examples: ["file_01m7y48vkz3s85f1acdta2"] }),
    url: nullable(t.String(), { examples: [null] }),
  },
  { title: "SourceEntry" },
)

export const getCoverage = operation({
  id: "getSourceCoverage",
  audit: "nothing",
  scope: "sources",
  summary: "Every key of a source, with what became of it",
  description:
    "As the last listing found them, in the order of the keys; the totals count all of them, whatever `status` asks for.",
  tag: "Sources",
  params: byId,
  query: t.Object({
    ...pageQuery,
    status: t.Optional(t.String({ description: `Comma-separated: ${COVERAGE_STATUSES.join(", ")}` })),
  }),
  answers: {
    200: {
      description: "Totals, and one page of the keys",
      schema: t.Object(
        {
          total: counted("Keys"),
          searchable: counted("Keys whose file is searchable"),
          pending: counted("Keys that are yet to be fetched or indexed"),
          failed: counted("Keys that could not be fetched, or whose file could not be read"),
          unsupported: counted("Keys of types that cannot be read"),
          skipped: counted("Keys that are not meant to be files"),
          items: t.Array(CoverageItem),
          pagination: Pagination,
        },
        { title: "SourceCoverage" },
      ),
    },
  },
  errors: ["not_found"],
})
