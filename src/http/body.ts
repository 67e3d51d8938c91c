/** JSON bodies: bounded, and refused with the contract's errors. */
import { AppError } from "../errors.ts"

/** Largest JSON body: 1 MB by contract. */
export const MAX_JSON_BYTES = 1_000_000

/** Undefined for a request without a body. @throws AppError unsupported_media_type, request_too_large, invalid_json */
export async function readJson(request: Request): Promise<unknown> {
  if (!request.body && !request.headers.has("content-type")) return undefined
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase()
  if (type !== "application/json" && !type?.endsWith("+json"))
    throw new AppError("unsupported_media_type", { message: "Content-Type must be application/json" })
  const bytes = await readBounded(request, MAX_JSON_BYTES)
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch (cause) {
    throw new AppError("invalid_json", { cause })
  }
}

/** Reads at most `limit` bytes, whatever Content-Length says. */
async function readBounded(request: Request, limit: number): Promise<Uint8Array> {
  const tooLarge = () => new AppError("request_too_large", { message: `a JSON body may have at most ${limit} bytes` })
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge()
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of request.body ?? []) {
    size += part.byteLength
    if (size > limit) throw tooLarge()
    parts.push(part)
  }
  return Buffer.concat(parts)
}
