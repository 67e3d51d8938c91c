/** What the routes of the audit log take and answer. */
import { t } from "elysia"
import { operation } from "../operation.ts"
import { integer, nullable, oneOf, Time } from "../schemas.ts"

export const DEFAULT_LIMIT = 100
export const MAX_LIMIT = 1_000

const OUTCOMES = ["success", "denied", "failure"] as const

const ROW_ID = "aud_01m7y48vkz3s85f1acdta2"
const RowId = t.String({ examples: [ROW_ID] })
const text = (example: string | null) => nullable(t.String(), { examples: [example] })
const Hash = t.String({ examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"] })

const AuditRow = t.Object(
  {
    audit_version: integer({ examples: [1] }),
    workspace_id: t.String({ examples: ["ws_01m7y48vkz3s85f1acdta2"] }),
    seq: integer({ examples: [12] }),
    id: RowId,
    ts: Time,
    action: t.String({ examples: ["file.delete"] }),
    outcome: oneOf(OUTCOMES),
    actor: t.Object({
      type: oneOf(["key", "token", "user", "link", "anonymous", "command", "system"]),
      id: text("key_01m7y48vkz3s85f1acdta2"),
      name: t.String({ description: "As it was then", examples: ["backend"] }),
    }),
    resource_type: text("file"),
    resource_id: text("file_01m7y48vkz3s85f1acdta2"),
    request_id: text("req_01m7y48vkz3s85f1acdta2"),
    endpoint: text("DELETE /external-docs/external/libraries/:file_id"),
    source_ip: text("192.0.2.7"),
    details: t.Record(t.String(), t.Any(), {
      description: "Names of fields, counts and codes; no contents",
      examples: [{ status: 204 }],
    }),
    prev_hash: t.String({ description: "`hash` of the row before; empty for the first", examples: [""] }),
    hash: Hash,
  },
  { title: "AuditRow" },
)

const filters = {
  from: t.Optional(t.String({ description: "ISO-8601: not before it" })),
  to: t.Optional(t.String({ description: "ISO-8601: before it" })),
  actor: t.Optional(t.String({ description: "Id of a key, token or user; or a type of actor" })),
  action: t.Optional(t.String({ description: "`file.delete`, or `file` for all about files" })),
  outcome: t.Optional(oneOf(OUTCOMES)),
  resource: t.Optional(t.String({ description: "Id of what it is about; or a type" })),
}

export const ExportQuery = t.Object(filters)

const AuditQuery = t.Object({
  ...filters,
  after: t.Optional(t.String({ description: "Id of a row: only what follows it, in the order that is asked for" })),
  order: t.Optional(t.UnionEnum(["asc", "desc"], { default: "asc" })),
  limit: t.Optional(t.Integer({ default: DEFAULT_LIMIT, description: `1 to ${MAX_LIMIT}` })),
})

export const listAudit = operation({
  id: "listAudit",
  audit: "nothing",
  scope: "audit",
  summary: "Read the audit log",
  description: `Who did what in this workspace, oldest first by default. For administrators, and keys that nothing
narrows. Pass \`next\` as \`after\` to go on; it is null where there is no more.`,
  tag: "Governance",
  query: AuditQuery,
  answers: {
    200: {
      description: "One page",
      schema: t.Object({ data: t.Array(AuditRow), next: nullable(RowId) }, { title: "AuditList" }),
    },
  },
})

export const exportAudit = operation({
  id: "exportAudit",
  audit: { action: "audit.export" },
  scope: "audit",
  summary: "Export the audit log",
  description: `Every row that the filters let pass, one JSON object a line, oldest first. \`hash\` is SHA-256 in hex
over the canonical JSON (RFC 8785) of the row without it, and \`prev_hash\` is that of the row before: an export without
filters can be checked without this server.`,
  tag: "Governance",
  query: ExportQuery,
  answers: {
    200: { description: "JSON lines", type: "application/jsonl", example: `{"audit_version":1,"id":"${ROW_ID}"}\n` },
  },
})

export const verifyAudit = operation({
  id: "verifyAudit",
  audit: "nothing",
  scope: "audit",
  summary: "Is the audit log as it was written?",
  description: `Looks at every row: changed ones, gaps, a tail that was cut, and a log that was replaced by an older one
are found. Rows that retention removed are not missed.`,
  tag: "Governance",
  answers: {
    200: {
      description: "What was found",
      schema: t.Object(
        {
          ok: t.Boolean({ examples: [true] }),
          rows: integer({ description: "Looked at until the first bad one", examples: [1_204] }),
          first_bad: nullable(RowId, {
            examples: [null],
            description: "The first row that is changed, follows a gap, or is gone from the end",
          }),
          reason: nullable(oneOf(["changed", "missing", "cut", "anchor"]), { examples: [null] }),
        },
        { title: "AuditVerification" },
      ),
    },
  },
})
