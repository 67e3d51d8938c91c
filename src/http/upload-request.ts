/** Forms with files: taken in part by part, with the patience that a client has earned. */
import type { Principal } from "../access/principal.ts"
import { AppError, type ErrorCode } from "../errors.ts"
import type { UploadAnswer } from "../library/upload-answer.ts"
import type { UploadForm } from "../library/upload-form.ts"
import type { Uploads } from "../library/uploads.ts"
import type { RequestContext } from "./context.ts"
import { idempotencyKeyOf } from "./idempotency-key.ts"
import { CROWDED_PATIENCE, type MultipartHandlers, PATIENCE, receiveMultipart } from "./multipart.ts"

interface Call {
  request: Request
  principal: Principal
  context: RequestContext
}

/** What a form can be refused with. */
export const UPLOAD_ERRORS = [
  "invalid_multipart",
  "invalid_request",
  "request_timeout",
  "empty_file",
  "file_too_large",
  "unsupported_file_type",
  "unsupported_media_type",
  "request_too_large",
  "conflict",
] as const satisfies ErrorCode[]

/** What a route makes of the parts of its form; what it throws refuses all of it. */
export interface FormRules {
  field(form: UploadForm, name: string, value: string): void
  /** Asked before a file is stored. */
  file?(form: UploadForm, name: string): void
  /** When all has come. */
  end?(form: UploadForm): void
}

/** Several files of 1 GB may come in one form. */
const MAX_FORM_BYTES = 2 ** 40
/**
 * A client of whose form nothing was taken so far learns why after this time, though it may have more to send: where it is silent, or
 * so slow that it would wait for long. What comes faster is read to its end, for the files behind.
 */
const REFUSED_PATIENCE = { ms: 4_000, leastRate: 2_000_000 }

/**
 * @param apart as that of `Uploads.receive`
 * @throws AppError as `Uploads.receive` and `receiveMultipart`; what a rule throws
 */
export function receiveFiles<Apart = never>(
  uploads: Uploads,
  call: Call,
  rules: FormRules,
  apart?: (form: UploadForm) => Promise<Apart> | undefined,
): Promise<UploadAnswer | Apart> {
  const { request, principal, context } = call
  const { signal } = context.keepOpen() // a slow line may be silent for longer than the idle cut-off
  checkLength(request)
  const { view, keyId } = principal
  const upload = { view, keyId, idempotencyKey: idempotencyKeyOf(request) }
  const read = async (form: UploadForm) => {
    await receiveMultipart(request, handlersOf(form, rules, uploads, signal), signal)
    context.isRead = true
    rules.end?.(form)
  }
  return uploads.receive(upload, read, apart)
}

/** @throws AppError request_too_large for a form of which Content-Length alone says that it is never taken */
function checkLength(request: Request): void {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_FORM_BYTES)
    throw new AppError("request_too_large", { message: `a form may have at most ${MAX_FORM_BYTES} bytes` })
}

const handlersOf = (form: UploadForm, rules: FormRules, uploads: Uploads, signal: AbortSignal): MultipartHandlers => ({
  field: (name, value) => rules.field(form, name, value),
  async file({ name, fileName, stream }) {
    rules.file?.(form, name)
    await form.addFile(fileName, stream, signal)
  },
  patience() {
    const error = form.refusal
    if (error) return { ...REFUSED_PATIENCE, error }
    return uploads.isCrowded ? CROWDED_PATIENCE : PATIENCE
  },
})
