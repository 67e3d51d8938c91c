/** What `/v1/files` takes and answers. */
import { t } from "elysia"
import { operation } from "../operation.ts"
import { integer, oneOf } from "../schemas.ts"
import { UPLOAD_ERRORS } from "../upload-request.ts"
import { cursorQuery, idListOf, UnixTime } from "./lists.ts"

/** Told by the client and told back; every file is read and found alike, but for those of batches. */
export const PURPOSES = ["assistants", "user_data", "vision", "batch", "fine-tune", "evals"] as const

const FileObject = t.Object(
  {
    id: t.String({ examples: ["file_01m7y48vkz3s85f1acdta2"] }),
    object: t.Literal("file"),
    bytes: integer({ examples: [482_113] }),
    created_at: UnixTime,
    filename: t.String({ examples: ["report.pdf"] }),
    purpose: t.String({ description: "`assistants` for files that came in otherwise", examples: ["assistants"] }),
    status: oneOf(["uploaded", "processed", "error"], {
      description: "`processed` once it can be found, `error` when it cannot be read",
    }),
    status_details: t.Optional(
      t.String({ description: "Why it could not be read", examples: ["there is nothing to index"] }),
    ),
  },
  { title: "FileObject" },
)
export type FileObject = typeof FileObject.static

const byId = t.Object({ file_id: t.String() })

const FORM = {
  type: "object",
  required: ["file", "purpose"],
  properties: {
    file: { type: "string", format: "binary", description: "At most 1 GB" },
    purpose: { type: "string", enum: PURPOSES },
    context_id: { type: "string", description: "Extension: the context that it goes to" },
    metadata: { type: "string", description: "Extension: a JSON object, at most 16 KB" },
    tags: { type: "array", items: { type: "string" }, description: "Extension" },
    on_duplicate: {
      type: "string",
      enum: ["return_existing", "replace", "keep_both"],
      default: "keep_both",
      description: "Extension: what becomes of a file that is there already",
    },
  },
}

export const createFile = operation({
  id: "createFileObject",
  audit: { action: "file.upload", id: "answer.id" },
  scope: "files:write",
  summary: "Upload a file (OpenAI)",
  description:
    "One file of a form, named `file`. It is read and indexed as any other upload is. One with `purpose` `batch`, JSON lines of at most 100 MB, is the input of a batch (`POST /v1/batches`): it is not part of the library, and no search finds it.",
  tag: "Compatible",
  compatible: true,
  form: FORM,
  answers: { 200: { description: "Accepted and queued for indexing", schema: FileObject } },
  errors: UPLOAD_ERRORS,
})

export const listFiles = operation({
  id: "listFileObjects",
  audit: "nothing",
  scope: "files:read",
  summary: "List files (OpenAI)",
  description:
    "All of the library and those of batches, newest first by default; `limit` may be 1 to 10 000, which is what it is by default.",
  tag: "Compatible",
  compatible: true,
  query: t.Object({ ...cursorQuery, purpose: t.Optional(t.String({ description: "Only files for this purpose" })) }),
  answers: { 200: { description: "A page", schema: idListOf(FileObject, "FileObjectList"), inPieces: true } },
})

export const getFile = operation({
  id: "getFileObject",
  audit: "nothing",
  scope: "files:read",
  summary: "Get a file (OpenAI)",
  tag: "Compatible",
  compatible: true,
  params: byId,
  answers: { 200: { description: "The file", schema: FileObject } },
  errors: ["not_found"],
})

export const deleteFile = operation({
  id: "deleteFileObject",
  audit: { action: "file.delete", id: "params.file_id" },
  held: "refused",
  scope: "files:write",
  summary: "Delete a file (OpenAI)",
  tag: "Compatible",
  compatible: true,
  params: byId,
  answers: {
    200: {
      description: "It is gone, also from searches",
      hasReceipt: true,
      schema: t.Object(
        {
          id: t.String({ examples: ["file_01m7y48vkz3s85f1acdta2"] }),
          object: t.Literal("file"),
          deleted: t.Literal(true),
        },
        { title: "DeletedFileObject" },
      ),
    },
  },
  errors: ["not_found", "conflict"],
})

export const downloadFile = operation({
  id: "downloadFileObject",
  audit: { action: "file.download", id: "params.file_id" },
  scope: "files:read",
  summary: "Download a file (OpenAI)",
  description: "The original bytes; `Range` is understood.",
  tag: "Compatible",
  compatible: true,
  params: byId,
  answers: {
    200: { description: "The bytes", type: "*/*" },
    206: { description: "A part of the bytes", type: "*/*" },
    304: { description: "The bytes are those of the given ETag" },
  },
  errors: ["not_found", "range_not_satisfiable"],
})
