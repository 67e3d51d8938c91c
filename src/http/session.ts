/** Console sessions on the wire: cookie or bearer token, and the guard against forged cross-site requests. */
import { AppError } from "../errors.ts"
import { type Principal, SCOPES } from "../keys/keys.ts"
import { SESSION_LIFETIME_MS, type SessionPrincipal, type Sessions } from "../keys/sessions.ts"

export const SESSION_COOKIE = "carrel_session"
/** A header that a foreign page cannot set without a preflight, and no preflight allows it. */
export const CONSOLE_HEADER = "x-carrel-console"

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"])

/**
 * The session of a request that carries one; null when it carries none or an invalid one.
 * @throws AppError forbidden for a cookie on an unsafe request that another site may have caused.
 */
export async function findSession(request: Request, sessions: Sessions): Promise<SessionPrincipal | null> {
  const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1]
  if (bearer) return sessions.verify(bearer)
  const token = cookieOf(request)
  if (!token) return null
  if (!SAFE_METHODS.has(request.method)) refuseForeignSites(request, { proofNeeded: true })
  return sessions.verify(token)
}

/** @throws AppError unauthorized when there is no valid session; forbidden as above, and for members where `admin` is asked. */
export async function requireSession(
  request: Request,
  sessions: Sessions,
  role: "administrator" | "member" = "member",
): Promise<SessionPrincipal> {
  const session = await findSession(request, sessions)
  if (!session) throw new AppError("unauthorized", { message: "sign in to the console first" })
  if (role === "administrator" && session.role !== "administrator")
    throw new AppError("forbidden", { message: "only administrators may do this" })
  return session
}

/** The console uses the whole API in the workspace of its session. */
export async function sessionAsPrincipal(request: Request, sessions: Sessions): Promise<Principal | null> {
  const session = await findSession(request, sessions)
  return (
    session && {
      keyId: session.sessionId,
      workspaceId: session.workspaceId,
      scopes: SCOPES,
      rateLimitPerMinute: null,
    }
  )
}

/**
 * A browser names the page that causes a request (Sec-Fetch-Site, Origin), and a page cannot change that.
 * Without either, `proofNeeded` asks for the console's own header. Sign-in, which rests on no cookie, needs no proof.
 */
export function refuseForeignSites(request: Request, { proofNeeded }: { proofNeeded: boolean }): void {
  const forged = () => new AppError("forbidden", { message: "this request did not come from the console" })
  const site = request.headers.get("sec-fetch-site")
  if (site && site !== "same-origin" && site !== "none") throw forged()
  const origin = request.headers.get("origin")
  if (origin && site !== "same-origin" && hostOf(origin) !== request.headers.get("host")) throw forged()
  if (proofNeeded && !site && !origin && !request.headers.has(CONSOLE_HEADER)) throw forged()
}

function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : ""
}

function cookieOf(request: Request): string | undefined {
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const [name, value] = pair.trim().split("=")
    if (name === SESSION_COOKIE && value) return value
  }
  return undefined
}

export function setSessionCookie(request: Request, token: string): string {
  return cookie(request, token, SESSION_LIFETIME_MS / 1000)
}

export const clearSessionCookie = (request: Request): string => cookie(request, "", 0)

function cookie(request: Request, value: string, maxAgeSeconds: number): string {
  // A proxy that ends TLS says so; believing a forged header only makes the cookie stricter.
  const secure = request.url.startsWith("https:") || request.headers.get("x-forwarded-proto") === "https"
  return `${SESSION_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${secure ? "; Secure" : ""}`
}
