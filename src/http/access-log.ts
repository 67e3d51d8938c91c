/** The access log: one line and one count for each request. */
import { log } from "../log.ts"
import { countAnswer } from "../metrics.ts"
import type { RequestContext } from "./context.ts"

/** One line per request; paths only, because query strings may hold names of files. */
export function logAccess(request: Request, response: Response, context: RequestContext, durationMs: number): void {
  const { method } = request
  const { status } = response
  countAnswer(method, status, durationMs / 1000)
  const path = pathIn(request.url)
  log[isRoutine(method, path, status, context) ? "debug" : "info"]("request", {
    request_id: context.requestId,
    method,
    path: path.slice(0, 200),
    status,
    duration_ms: Math.round(durationMs * 10) / 10,
    ...(context.principal ? { key_id: context.principal.keyId } : {}),
  })
}

/** Also of a malformed address. */
export function pathIn(url: string): string {
  const host = /^[a-z]+:\/\/[^/?]*/.exec(url)?.[0].length ?? 0
  const end = url.indexOf("?", host)
  return end < 0 ? url.slice(host) : url.slice(host, end)
}

const PROBES = new Set(["/healthz", "/readyz", "/metrics"])

/** What the console and monitors ask again and again, when nothing is wrong with it. */
function isRoutine(method: string, path: string, status: number, { fromConsole, isPage }: RequestContext): boolean {
  if ((method !== "GET" && method !== "HEAD") || status >= 400) return false
  return fromConsole === true || isPage === true || PROBES.has(path)
}
