/** What the manifest of a source takes and answers. */
import { t } from "elysia"
import { MAX_FINGERPRINT_LENGTH } from "../../library/upload-entries.ts"
import { MAX_MANIFEST_ENTRIES } from "../../sources/manifest.ts"
import { operation } from "../operation.ts"
import { Issue, integer, optional } from "../schemas.ts"

export const MAX_MANIFEST_BYTES = 100_000_000

const Entry = t.Object({
  key: t.String({
    minLength: 1,
    description:
      "What the entry is called there, the same as long as it is the same thing: a path, an id. At most 2 000 bytes",
    examples: ["reports/2026.pdf"],
  }),
  fingerprint: optional(
    t.String({
      maxLength: MAX_FINGERPRINT_LENGTH,
      description: "Changes with the content: a hash, a version, a size with a time. This or `sha256`",
      examples: ["482113-1764061200000"],
    }),
  ),
  sha256: optional(t.String({ pattern: "^[0-9A-Fa-f]{64}$", description: "Of the bytes" })),
  size: optional(integer({ minimum: 0, description: "Bytes: what is too large is told without an upload" })),
  updated_at: optional(t.String({ description: "ISO-8601" })),
  name: optional(
    t.String({ description: "What the file will be called: of what type it is, is then told without an upload" }),
  ),
})

const Manifest = t.Object({
  entries: t.Array(Entry, { maxItems: MAX_MANIFEST_ENTRIES, description: "All that there is, each key once" }),
  delete_missing: optional(
    t.Boolean({ description: "Delete the files of entries that are no more; as the source says where absent" }),
  ),
  dry_run: optional(t.Boolean({ description: "Only says what would be done" })),
  force: optional(
    t.Boolean({
      description:
        "Also where more than 20 % of the files would go; what failed, or was deleted here, is asked for again",
    }),
  ),
})

const Answer = t.Object(
  {
    upload: t.Array(t.String(), {
      description: "Keys that are new or have changed, to be uploaded with `source_id` and `source_key`",
      examples: [["reports/2026.pdf"]],
    }),
    unchanged: integer({ description: "Entries", examples: [41] }),
    deleted: integer({ description: "Files", examples: [0] }),
    skipped: integer({ description: "Entries that the source's rules leave out, or that are empty", examples: [0] }),
    failed: t.Array(t.Object({ key: t.String(), error: Issue }), {
      description: "Entries as they were that cannot be found, and why; asked for again once they change",
      examples: [[]],
    }),
    guarded: t.Boolean({ description: "Only with `dry_run`: so much would be deleted that it must be forced" }),
  },
  { title: "ManifestAnswer" },
)
export type ManifestReply = typeof Answer.static

export const sendManifest = operation({
  id: "sendManifest",
  audit: { action: "source.manifest", id: "params.source_id" },
  scope: "sources",
  summary: "Say what a source has, and learn what is to be uploaded",
  description: `For sources of the type \`push\`. Say all that there is, upload what is asked for, and say it again whenever something
may have changed. Nothing has to be remembered between: what was uploaded is not asked for again, what was cut off is. Where more than
10 files and 20 % of them would be deleted, nothing is: \`guarded\`, until it is forced. At most ${MAX_MANIFEST_ENTRIES} entries and
${MAX_MANIFEST_BYTES} bytes; one manifest of a source at a time.`,
  tag: "Sources",
  params: t.Object({ source_id: t.String() }),
  body: Manifest,
  readsBody: true,
  example: { entries: [{ key: "reports/2026.pdf", fingerprint: "482113-1764061200000", size: 482_113 }] },
  answers: { 200: { description: "What is to be uploaded, and what is known", schema: Answer, inPieces: true } },
  errors: [
    "invalid_json",
    "invalid_request",
    "request_too_large",
    "unsupported_media_type",
    "request_timeout",
    "not_found",
    "conflict",
    "guarded",
  ],
})
