/** What POST and PUT /external/upload take and answer. */
import { type Static, t } from "elysia"
import { FileSchema } from "../file-record.ts"
import { CROWDED_PATIENCE, PATIENCE } from "../multipart.ts"
import { operation } from "../operation.ts"
import { IDEMPOTENCY_KEY, Issue } from "../schemas.ts"
import { UPLOAD_ERRORS } from "../upload-request.ts"

const UploadAnswer = t.Object(
  {
    message: t.String({ examples: ["1 file accepted and queued for indexing"] }),
    files: t.Array(FileSchema),
    rejected: t.Array(t.Object({ name: t.String(), source_key: t.Optional(t.String()), error: Issue }), {
      examples: [
        [{ name: "a.exe", error: { code: "unsupported_file_type", message: "files of the type .exe cannot be read" } }],
      ],
    }),
  },
  { title: "UploadAnswer" },
)
export type UploadAnswer = Static<typeof UploadAnswer>

const FORM = {
  type: "object",
  required: ["files"],
  properties: {
    files: { type: "array", items: { type: "string", format: "binary" }, description: "At most 1 GB each" },
    context_id: {
      type: "string",
      pattern: "^[A-Za-z0-9_.:-]{1,128}$",
      description: "Scope name that search and chat can be narrowed to",
      examples: ["project:42"],
    },
    tags: { type: "array", items: { type: "string" }, description: "Repeated or comma-separated" },
    metadata: { type: "string", description: "A JSON object, at most 16 KB", examples: ['{"year": 2026}'] },
    acl: {
      type: "string",
      description:
        "A JSON array of principals that may see the files; absent or `null`: everyone in the workspace, or who saw the file that is replaced",
      examples: ['["group:hr"]'],
    },
    source_id: {
      type: "string",
      description:
        "A source of the type `push` that the files are brought to; needs the scope `sources` as well. Context, tags and acl are then those of the source where the form tells none",
      examples: ["src_01m7y48vkz3s85f1acdta2"],
    },
    source_key: {
      type: "array",
      items: { type: "string" },
      description: "With `source_id`: the key of each file in the source's manifest, in the order of the files",
      examples: [["reports/2026.pdf"]],
    },
    source_fingerprint: {
      type: "array",
      items: { type: "string" },
      description:
        "With `source_id`: the fingerprint of each file's bytes, in the same order; without it that of the last manifest is taken",
    },
    on_duplicate: { type: "string", enum: ["return_existing", "replace", "keep_both"], default: "return_existing" },
  },
}

/** @param extensions accepted ones, as a list to read */
export const uploadFiles = <Id extends string>(id: Id, extensions: string) =>
  operation({
    id,
    audit: { action: "file.upload", id: "noted" },
    held: "refused",
    scope: "files:write",
    summary: "Upload files",
    description: `Any number of file parts; the documented name is \`files\`, any part with a file name is taken. Accepted
types: ${extensions}. Bytes are on disk and the job is recorded before the answer. Indexing is asynchronous: watch
\`GET /external/libraries/{file_id}/events\`. The header \`Idempotency-Key\` makes a repetition within 24 h return the first answer;
with another form it is refused. Files of a source replace those of the same key, and are \`unchanged\` where the bytes are the same: a
repetition needs no such header. A form of more than 250 files is recorded in several commits.

However slow the line, a form has the time it takes; one of which nothing comes for ${PATIENCE.ms / 1000} s, or for
${CROWDED_PATIENCE.ms / 1000} s while most places for uploads are taken, is ended with 408. One key may hold three quarters of these
places.`,
    tag: "Files",
    headers: [IDEMPOTENCY_KEY],
    form: FORM,
    answers: { 202: { description: "Accepted and queued for indexing", schema: UploadAnswer, inPieces: true } },
    errors: [...UPLOAD_ERRORS, "not_found"],
  })
