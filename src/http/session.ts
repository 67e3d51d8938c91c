/** Console sessions on the wire: cookie or bearer token, and the guard against forged cross-site requests. */
import { Elysia, type HTTPHeaders } from "elysia"
import type { Principal } from "../access/principal.ts"
import { SESSION_LIFETIME_MS, type SessionPrincipal, type Sessions } from "../access/sessions.ts"
import { principalOfUser } from "../access/user-principal.ts"
import { AppError } from "../errors.ts"
import type { Usage } from "../governance/usage/usage.ts"
import type { UserRole } from "../storage/users.ts"
import { countWrongCredentials } from "./auth.ts"
import { contextOf } from "./context.ts"
import { cookieOf, setCookie } from "./cookies.ts"
import { noteActor } from "./noting.ts"
import { spend } from "./rate-limit.ts"
import type { Services } from "./services.ts"

const SESSION_COOKIE = "carrel_session"
/** A header that a foreign page cannot set without a preflight, and no preflight allows it. */
const CONSOLE_HEADER = "x-carrel-console"

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"])

/** A person with many tabs open, or uploading a folder file by file, stays below; a script that runs wild does not. */
const SESSION_REQUESTS_PER_MINUTE = 3_000

type Guard = Pick<Services, "sessions" | "rateLimiter">
type CountingGuard = Guard & { usage: Pick<Usage, "countRequest"> }

/**
 * The session of a request that carries one; null when it carries none or an invalid one.
 * @throws AppError forbidden for a cookie on an unsafe request that another site may have caused; rate_limited for too many
 * requests of a session, or wrong tokens from an address
 */
async function findSession(request: Request, { sessions, rateLimiter }: Guard): Promise<SessionPrincipal | null> {
  const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1]
  const token = bearer ?? cookieOf(request, SESSION_COOKIE)
  if (!token) return null
  if (!bearer && !SAFE_METHODS.has(request.method)) refuseForeignSites(request, { proofNeeded: true })
  const session = await sessions.verify(token)
  if (!session) {
    await countWrongCredentials(contextOf(request), rateLimiter)
    return null
  }
  contextOf(request).fromConsole = true
  await spend(rateLimiter, session.sessionId, SESSION_REQUESTS_PER_MINUTE)
  return session
}

/** @throws AppError unauthorized when there is no valid session; as `findSession`; forbidden for members where `admin` is asked. */
export async function requireSession(
  request: Request,
  guard: Guard,
  role: UserRole = "member",
): Promise<SessionPrincipal> {
  const session = await findSession(request, guard)
  if (!session) throw new AppError("unauthorized", { message: "sign in to the console first" })
  if (role === "administrator" && session.role !== "administrator")
    throw new AppError("forbidden", { message: "only administrators may do this" })
  return session
}

/**
 * Gives routes `session` with `session: "member"` (or `"administrator"`) in their options, and the check of that role,
 * before the request itself is looked at. It is counted as those of keys are.
 */
export const sessionCaller = (guard: CountingGuard) =>
  new Elysia().macro({
    session: (role: UserRole) => ({
      async transform({ request }: { request: Request }) {
        const session = await requireSession(request, guard, role)
        contextOf(request).session = session
        guard.usage.countRequest(principalOfUser(session, session).view)
      },
      resolve({ request }: { request: Request }) {
        const { session } = contextOf(request)
        if (!session) throw new AppError("unauthorized")
        return { session }
      },
    }),
  })

/** The console uses the whole API in the workspace of its session. */
export async function sessionAsPrincipal(request: Request, guard: Guard): Promise<Principal | null> {
  const session = await findSession(request, guard)
  return session && principalOfUser(session, session)
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

/**
 * Signs the browser that asks in: its cookie goes into the headers of the answer.
 * @param by the workspace to begin in, where the user is in it, and the provider that vouches for the user
 */
export async function openSession(
  request: Request,
  userId: string,
  sessions: Sessions,
  answer: HTTPHeaders,
  { workspaceId, provider }: { workspaceId?: string; provider?: string } = {},
) {
  const userAgent = request.headers.get("user-agent") ?? ""
  const { address } = contextOf(request)
  const from = { address, userAgent, ...(provider === undefined ? {} : { provider }) }
  const session = await sessions.open(userId, from, workspaceId ?? null)
  noteActor(contextOf(request), "user", userId, workspaceId)
  answer["set-cookie"] = cookie(request, session.token, SESSION_LIFETIME_MS / 1000)
  return session
}

export const clearSessionCookie = (request: Request): string => cookie(request, "", 0)

const cookie = (request: Request, value: string, maxAgeSeconds: number): string =>
  setCookie(request, { name: SESSION_COOKIE, value, maxAgeSeconds, path: "/", sameSite: "Strict" })
