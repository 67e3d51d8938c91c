/** POST and PUT /external/upload: one handler. */
import { Elysia, t } from "elysia"
import { AppError, asStorageError } from "../../errors.ts"
import { newId } from "../../id.ts"
import { acceptFiles, checkLabels, type ReceivedFile, type UploadAnswer } from "../../library/accept.ts"
import { safeName } from "../../library/labels.ts"
import { caller, type RequestContext } from "../context.ts"
import { receiveMultipart } from "../multipart.ts"
import { IDEMPOTENCY_KEY, operation } from "../schemas.ts"
import type { Services } from "../services.ts"
import { FileRecordSchema } from "./library.ts"

const Answer = t.Object({
  message: t.String({ examples: ["2 files accepted and queued for indexing"] }),
  files: t.Array(FileRecordSchema),
  rejected: t.Array(t.Object({ name: t.String(), error: t.Object({ code: t.String(), message: t.String() }) })),
})

const detail = (extensions: string) => ({
  ...operation({
    summary: "Upload files",
    description: `Any number of file parts; the documented name is \`files\`, any part with a file name is taken. Accepted
types: ${extensions}. Bytes are on disk and the job is recorded before the answer. Indexing is asynchronous: watch
\`GET /external/libraries/{file_id}/events\`. The header \`Idempotency-Key\` makes a repetition within 24 h return the first answer.`,
    tag: "Files",
    headers: [IDEMPOTENCY_KEY],
    success: { status: 202, description: "Accepted and queued for indexing", schema: Answer },
    errors: [
      "invalid_multipart",
      "invalid_request",
      "empty_file",
      "file_too_large",
      "unsupported_file_type",
      "unsupported_media_type",
      "overloaded",
      "insufficient_storage",
    ],
  }),
  requestBody: { required: true, content: { "multipart/form-data": { schema: FORM } } },
})

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
    on_duplicate: { type: "string", enum: ["return_existing", "replace", "keep_both"], default: "return_existing" },
  },
}

export const uploadRoutes = (services: Services) => {
  const options = {
    parse: "none" as const,
    scope: "files:write" as const,
    detail: detail([...services.fileTypes.keys()].join(", ")),
  }
  const receive = async (request: Request, workspaceId: string, keepOpen: RequestContext["keepOpen"]) => {
    keepOpen() // a slow line may be silent for longer than the idle cut-off
    const answer = await services.upload.room.hold(() => upload(services, request, workspaceId))
    return Response.json(answer, { status: 202 })
  }
  return new Elysia()
    .use(caller)
    .post(
      "/external/upload",
      ({ request, principal, context }) => receive(request, principal.workspaceId, context.keepOpen),
      options,
    )
    .put(
      "/external/upload",
      ({ request, principal, context }) => receive(request, principal.workspaceId, context.keepOpen),
      options,
    )
}

/** Receives the form, stores its files, then registers them together. Whatever fails, no byte stays behind. */
async function upload(services: Services, request: Request, workspaceId: string): Promise<UploadAnswer> {
  const { upload: dependencies, maxFileBytes, fileTypes } = services
  const idempotencyKey = idempotencyKeyOf(request)
  const files: ReceivedFile[] = []
  const rejected: { name: string; error: AppError }[] = []
  const fields = new Map<string, string[]>()
  let parts = 0
  const discard = async () => {
    for (const file of files) await dependencies.blobs.remove(file.stored.blob)
  }
  try {
    await receiveMultipart(request, {
      field: (name, value) => fields.set(name, [...(fields.get(name) ?? []), value]),
      async file({ fileName, stream }) {
        parts++
        const name = safeName(fileName)
        const type = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ""
        const mimeType = fileTypes.get(type)
        if (!mimeType) {
          rejected.push({ name, error: unsupported(type) })
          return drain(stream)
        }
        const received = await dependencies.blobs
          .write(newId("file"), stream, maxFileBytes)
          .catch((error: Error) => error)
        if (!(received instanceof Error)) return void files.push({ name, type, mimeType, stored: received })
        rejected.push({ name, error: asRejection(received) })
        return drain(stream)
      },
    })
  } catch (error) {
    await discard()
    throw error
  }
  try {
    if (parts === 0) throw new AppError("invalid_multipart", { message: "there is no file part" })
    const labels = checkLabels(fields)
    if (files.length === 0) throw allRejected(rejected)
    return await acceptFiles(dependencies, {
      workspaceId,
      files: files.splice(0), // from here on they are its own
      labels,
      rejected: rejected.map(publicRejection),
      idempotencyKey,
    })
  } catch (error) {
    await discard()
    throw error
  }
}

const unsupported = (type: string) =>
  new AppError("unsupported_file_type", {
    message: type ? `files of the type .${type} cannot be read` : "the file name has no extension",
  })

/** What concerns this file alone rejects it alone; anything else fails the request. */
function asRejection(error: Error): AppError {
  if (error instanceof AppError) return error
  const full = asStorageError(error)
  if (full) return full
  throw error
}

/** Status of the first rejection, details of all. */
function allRejected(rejected: { name: string; error: AppError }[]): AppError {
  const first = rejected[0]!.error
  return new AppError(first.code, {
    message: first.message,
    ...(first.hint ? { hint: first.hint } : {}),
    details: rejected.map(({ name, error }) => ({ name, code: error.code, message: error.message })),
  })
}

const publicRejection = ({ name, error }: { name: string; error: AppError }) => ({
  name,
  error: { code: error.code, message: error.message },
})

function idempotencyKeyOf(request: Request): string | undefined {
  const key = request.headers.get("idempotency-key")
  if (key === null) return undefined
  if (key.length < 1 || key.length > 255)
    throw new AppError("invalid_request", {
      message: "Idempotency-Key: must have 1 to 255 characters",
      details: [{ field: "Idempotency-Key", issue: "must have 1 to 255 characters" }],
    })
  return key
}

/** Reads a part to its end without keeping it, so that the parts after it arrive. */
async function drain(stream: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of stream) {
    // nothing is kept
  }
}
