/** POST and PUT /external/upload: one handler. */
import { Elysia, t } from "elysia"
import { AppError, asStorageError } from "../../errors.ts"
import { newId } from "../../id.ts"
import { acceptFiles, checkLabels, type ReceivedFile, type UploadAnswer } from "../../library/accept.ts"
import { safeName } from "../../library/labels.ts"
import { caller, contextOf, type RequestContext } from "../context.ts"
import { idempotencyKeyOf } from "../idempotency-key.ts"
import { type FilePart, PATIENCE, receiveMultipart } from "../multipart.ts"
import { IDEMPOTENCY_KEY, operation } from "../schemas.ts"
import type { Services } from "../services.ts"
import { FileRecordSchema } from "./library.ts"

/** Several files of 1 GB may come in one form. */
const MAX_FORM_BYTES = 2 ** 40

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
\`GET /external/libraries/{file_id}/events\`. The header \`Idempotency-Key\` makes a repetition within 24 h return the first answer;
with another form it is refused. A form of more than 250 files is recorded in several commits.`,
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
      "request_too_large",
      "conflict",
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
    const { signal } = keepOpen() // a slow line may be silent for longer than the idle cut-off
    const answer = await services.upload.room.hold(() => upload(services, request, workspaceId, signal))
    return answerOf(answer)
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

/** Longest silence of a client of whose form nothing was taken so far: it learns why, though it may have more to send. */
const REFUSED_PATIENCE_MS = 4_000

/** The parts of a form as they are received. Several files are stored at a time; the order is that of the form. */
class ReceivedForm {
  readonly fields = new Map<string, string[]>()
  private readonly parts: (ReceivedFile | Rejection | undefined)[] = []

  field(name: string, value: string): void {
    this.fields.set(name, [...(this.fields.get(name) ?? []), value])
  }

  /** Keeps the place of a file part until it is known what becomes of it. */
  place(): (outcome: ReceivedFile | Rejection) => void {
    const at = this.parts.push(undefined) - 1
    return outcome => {
      this.parts[at] = outcome
    }
  }

  get files(): ReceivedFile[] {
    return this.parts.filter((part): part is ReceivedFile => part !== undefined && "stored" in part)
  }

  /** Who takes them is to remove what becomes of no record; of a commit in doubt that is nothing. */
  takeFiles(): ReceivedFile[] {
    const { files } = this
    this.parts.length = 0
    return files
  }

  get rejected(): Rejection[] {
    return this.parts.filter((part): part is Rejection => part !== undefined && "error" in part)
  }

  /** What refuses the whole form so far; undefined while a file of it is stored or being stored. */
  get refusal(): AppError | undefined {
    const { parts, rejected } = this
    if (parts.length === 0 || rejected.length < parts.length) return undefined
    const { code, message, hint } = rejected[0]!.error
    return new AppError(code, {
      message,
      ...(hint ? { hint } : {}),
      details: rejected.map(({ name, error }) => ({ name, code: error.code, message: error.message })),
    })
  }
}

interface Rejection {
  name: string
  error: AppError
}

/** Receives the form, stores its files, then registers them together. Whatever fails, no byte stays behind. */
async function upload(
  services: Services,
  request: Request,
  workspaceId: string,
  signal: AbortSignal,
): Promise<UploadAnswer> {
  const { upload: dependencies } = services
  const idempotencyKey = idempotencyKeyOf(request)
  assertLength(request)
  await dependencies.blobs.assertRoom()
  const form = new ReceivedForm()
  try {
    await receiveMultipart(
      request,
      {
        field: (name, value) => form.field(name, value),
        file: part => store(services, part, form.place()),
        patience() {
          const error = form.refusal
          return error ? { ms: REFUSED_PATIENCE_MS, error } : PATIENCE
        },
      },
      signal,
    )
    contextOf(request).isRead = true
    const labels = checkLabels(form.fields)
    if (form.refusal) throw form.refusal
    if (form.files.length === 0) throw new AppError("invalid_multipart", { message: "there is no file part" })
    const rejected = form.rejected.map(({ name, error: { code, message } }) => ({ name, error: { code, message } }))
    return await acceptFiles(dependencies, { workspaceId, files: form.takeFiles(), labels, rejected, idempotencyKey })
  } catch (error) {
    for (const file of form.files) await dependencies.blobs.remove(file.stored.blob)
    throw error
  }
}

async function store(
  { upload: { blobs }, maxFileBytes, fileTypes }: Services,
  { fileName, stream }: FilePart,
  settle: (outcome: ReceivedFile | Rejection) => void,
): Promise<void> {
  const name = safeName(fileName)
  const type = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ""
  const mimeType = fileTypes.get(type)
  if (!mimeType) return settle({ name, error: unsupported(type) })
  try {
    settle({ name, type, mimeType, stored: await blobs.write(newId("file"), stream, maxFileBytes) })
  } catch (error) {
    settle({ name, error: asRejection(error) })
  }
}

/** @throws AppError request_too_large for a form of which Content-Length alone says that it is never taken */
function assertLength(request: Request): void {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_FORM_BYTES)
    throw new AppError("request_too_large", { message: `a form may have at most ${MAX_FORM_BYTES} bytes` })
}

const unsupported = (type: string) =>
  new AppError("unsupported_file_type", {
    message: type ? `files of the type .${type} cannot be read` : "the file name has no extension",
  })

/** What concerns this file alone rejects it alone; anything else fails the request. */
function asRejection(error: unknown): AppError {
  const known = error instanceof AppError ? error : asStorageError(error)
  if (known) return known
  throw error
}

/** Some 200 KB of JSON: ten thousands of records in one go would hold up everybody else. */
const RECORDS_PER_PIECE = 250

function answerOf(answer: UploadAnswer): Response {
  if (answer.files.length + answer.rejected.length <= RECORDS_PER_PIECE) return Response.json(answer, { status: 202 })
  return new Response(streamOf(piecesOf(answer)), { status: 202, headers: { "content-type": "application/json" } })
}

function* piecesOf({ message, files, rejected }: UploadAnswer): Generator<string> {
  yield `{"message":${JSON.stringify(message)},"files":[`
  yield* itemsOf(files)
  yield '],"rejected":['
  yield* itemsOf(rejected)
  yield "]}"
}

function* itemsOf(list: readonly object[]): Generator<string> {
  for (let at = 0; at < list.length; at += RECORDS_PER_PIECE)
    yield (at > 0 ? "," : "") + JSON.stringify(list.slice(at, at + RECORDS_PER_PIECE)).slice(1, -1)
}

/** A piece is made when the client is ready for it. */
function streamOf(pieces: Iterator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    pull(controller) {
      const { done, value } = pieces.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
  })
}
