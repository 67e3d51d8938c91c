/** The HTTP client of the console. The session's cookie travels by itself; the extra header proves where requests come from. */
import { t } from "./text.ts"

const BASE = "/external-docs/external"
/** The one path that does not stand below it. */
const GRAPHQL = "/graphql"

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: Record<string, unknown>[] = [],
    readonly hint?: string,
  ) {
    super(message)
  }

  /** What is wrong with one field of a form; undefined when the error is about something else. */
  issueOf(field: string): string | undefined {
    const issue = this.details.find(detail => detail.field === field)?.issue
    return typeof issue === "string" ? issue : undefined
  }
}

/** It is not there, or not for whoever asks any more. */
export const isGone = (error: Error | undefined): boolean => error instanceof ApiError && error.status === 404

let onSignedOut: () => void = () => {}
/** Called when the daemon says that the session is over. */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener
}

interface CallOptions {
  signal?: AbortSignal
  headers?: Record<string, string>
  /** Lets a request outlive the page. */
  keepalive?: boolean
}

/** @param body sent as JSON, a file as it is. @throws ApiError; an aborted call throws the signal's reason. */
export async function fetchApi(
  method: string,
  path: string,
  body?: unknown,
  options: CallOptions = {},
): Promise<Response> {
  const response = await fetch(path === GRAPHQL ? path : BASE + path, {
    method,
    headers: {
      "x-carrel-console": "1",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
    ...(options.signal ? { signal: options.signal } : {}),
    ...(options.keepalive ? { keepalive: true } : {}),
  }).catch(error => {
    if (options.signal?.aborted) throw error
    throw new ApiError(0, "unreachable", t("Carrel is not responding. Is it running?"))
  })
  if (!response.ok) throw await errorOf(response, path)
  return response
}

export async function errorOf(response: Response, path: string): Promise<ApiError> {
  if (response.status === 401 && path !== "/keys/sessions" && path !== "/keys/me") onSignedOut()
  const error = parseError(await response.text())
  return new ApiError(
    response.status,
    error.code ?? "unknown",
    error.message ?? response.statusText,
    error.details,
    error.hint,
  )
}

interface ErrorFields {
  code?: string
  message?: string
  details?: Record<string, unknown>[]
  hint?: string
}

export function parseError(text: string): ErrorFields {
  try {
    return (JSON.parse(text) as { error?: ErrorFields }).error ?? {}
  } catch {
    return {}
  }
}

async function json<T>(method: string, path: string, body?: unknown, options?: CallOptions): Promise<T> {
  const response = await fetchApi(method, path, body, options)
  return (response.status === 204 ? undefined : await response.json()) as T
}

export const api = {
  get: <T>(path: string, signal?: AbortSignal) => json<T>("GET", path, undefined, signal ? { signal } : {}),
  post: <T>(path: string, body?: unknown, options?: CallOptions) => json<T>("POST", path, body, options),
  patch: <T>(path: string, body: unknown) => json<T>("PATCH", path, body),
  put: <T>(path: string, body?: unknown) => json<T>("PUT", path, body),
  delete: (path: string, options?: CallOptions) => json<void>("DELETE", path, undefined, options),
  graphql: <T>(asked: object, signal: AbortSignal) => json<T>("POST", GRAPHQL, asked, { signal }),
  text: async (path: string, signal?: AbortSignal) =>
    (await fetchApi("GET", path, undefined, signal ? { signal } : {})).text(),
}

/** Address of a file's original bytes, for a download link. */
export const contentUrl = (fileId: string): string => `${BASE}/libraries/${fileId}/content`
/** The same for the files of batches. */
export const fileUrl = (fileId: string): string => `/v1/files/${fileId}/content`
/** What the page offers to keep as it is answered. */
export const downloadUrl = (path: string): string => BASE + path
export const uploadUrl = `${BASE}/upload`
export const REFERENCE_URL = "/external-docs/docs"

/** A query string of the values that are given. */
export function query(values: Record<string, string | number | undefined | null>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value))
  const text = search.toString()
  return text ? `?${text}` : ""
}
