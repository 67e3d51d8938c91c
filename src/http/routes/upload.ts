/** POST and PUT /external/upload: one handler. */
import { Elysia } from "elysia"
import type { Principal } from "../../access/principal.ts"
import { AppError } from "../../errors.ts"
import type { UploadForm } from "../../library/upload-form.ts"
import type { Uploads } from "../../library/uploads.ts"
import { caller, type RequestContext } from "../context.ts"
import { idempotencyKeyOf } from "../idempotency-key.ts"
import { largeAnswer } from "../large-answer.ts"
import { CROWDED_PATIENCE, type MultipartHandlers, PATIENCE, receiveMultipart } from "../multipart.ts"
import type { Services } from "../services.ts"
import { type UploadAnswer, uploadFiles } from "./upload.docs.ts"

interface Call {
  request: Request
  principal: Principal
  context: RequestContext
}

export const uploadRoutes = ({ uploads, fileTypes }: Services) => {
  const extensions = [...fileTypes.keys()].join(", ")
  const receive = async ({ request, principal, context }: Call) => {
    const { signal } = context.keepOpen() // a slow line may be silent for longer than the idle cut-off
    checkLength(request)
    const { workspaceId, keyId } = principal
    const upload = { workspaceId, keyId, idempotencyKey: idempotencyKeyOf(request) }
    const answer = await uploads.receive(upload, async form => {
      await receiveMultipart(request, handlersOf(form, uploads, signal), signal)
      context.isRead = true
    })
    return largeAnswer<UploadAnswer>(answer, 202)
  }
  return new Elysia()
    .use(caller)
    .post("/external/upload", receive, uploadFiles("uploadFiles", extensions)())
    .put("/external/upload", receive, uploadFiles("uploadFilesByPut", extensions)())
}

/** Several files of 1 GB may come in one form. */
const MAX_FORM_BYTES = 2 ** 40

/** @throws AppError request_too_large for a form of which Content-Length alone says that it is never taken */
function checkLength(request: Request): void {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_FORM_BYTES)
    throw new AppError("request_too_large", { message: `a form may have at most ${MAX_FORM_BYTES} bytes` })
}

/** Longest silence of a client of whose form nothing was taken so far: it learns why, though it may have more to send. */
const REFUSED_PATIENCE_MS = 4_000

const handlersOf = (form: UploadForm, uploads: Uploads, signal: AbortSignal): MultipartHandlers => ({
  field: (name, value) => form.addField(name, value),
  file: ({ fileName, stream }) => form.addFile(fileName, stream, signal),
  patience() {
    const error = form.refusal
    if (error) return { ms: REFUSED_PATIENCE_MS, error }
    return uploads.isCrowded ? CROWDED_PATIENCE : PATIENCE
  },
})
