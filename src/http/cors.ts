/** Cross-origin calls from browsers: off unless the operator names the origins. */
import { AppError } from "../errors.ts"
import { CREDENTIAL_HEADERS } from "./auth.ts"

/** The star stands for what clients add to say who they are, as the SDKs and those of OpenAI do; no credentials are among it. */
const ALLOWED_HEADERS = [
  ...CREDENTIAL_HEADERS,
  "authorization",
  "content-type",
  "idempotency-key",
  "last-event-id",
  "mcp-protocol-version",
  "mcp-session-id",
  "prefer",
  "x-request-id",
  "*",
].join(", ")
const EXPOSED_HEADERS =
  "X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Receipt-Id, Content-Disposition, Mcp-Session-Id"
/** Browsers ask again after this long at the latest. */
const PREFLIGHT_SECONDS = "600"

/** The headers that let a page of an allowed origin read the answer; none for all others. */
export function corsHeaders(request: Request, origins: readonly string[]): Record<string, string> {
  const origin = request.headers.get("origin")
  if (!origin || !origins.includes(origin)) return {}
  return { "Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": EXPOSED_HEADERS, Vary: "Origin" }
}

/**
 * The answer to a browser's question before the request itself; undefined for all else.
 * @throws AppError forbidden for an origin that is not allowed: who looks at the refused call reads what to set
 */
export function preflight(
  request: Request,
  origins: readonly string[],
  methods: readonly string[],
): Response | undefined {
  if (request.method !== "OPTIONS" || !request.headers.has("access-control-request-method")) return undefined
  if (methods.length === 0) return undefined
  const allowed = corsHeaders(request, origins)
  if (!allowed["Access-Control-Allow-Origin"])
    throw new AppError("forbidden", {
      message: `pages of ${shown(request.headers.get("origin"))} may not call this API from a browser`,
      hint: "name the origin in --cors-origins (CARREL_CORS_ORIGINS) where the daemon is started",
    })
  return new Response(null, {
    status: 204,
    headers: {
      ...allowed,
      "Access-Control-Allow-Methods": methods.join(", "),
      "Access-Control-Allow-Headers": ALLOWED_HEADERS,
      "Access-Control-Max-Age": PREFLIGHT_SECONDS,
    },
  })
}

const shown = (origin: string | null): string =>
  origin && URL.canParse(origin) ? new URL(origin).origin : "this origin"
