/**
 * The three credential headers, or all three as one bearer token, a scoped token, a console session or the
 * token of a stream in their place, the rate limit, and the brake on guessing.
 */

import type { ApiKeys } from "../access/keys.ts"
import type { Principal } from "../access/principal.ts"
import type { ScopedTokens } from "../access/scoped-tokens.ts"
import type { StreamTokens } from "../access/stream-tokens.ts"
import { AppError } from "../errors.ts"
import type { Usage } from "../governance/usage/usage.ts"
import type { RequestContext } from "./context.ts"
import { noteNamed } from "./noting.ts"
import { type RateLimiter, rateLimitHeaders, spend } from "./rate-limit.ts"
import { streamTokenOf } from "./stream-token.ts"

export const CREDENTIAL_HEADERS = ["client-id", "private-key", "secret"] as const

/** Wrong credentials allowed per address and minute; after them only right ones pass. */
const WRONG_CREDENTIALS_PER_MINUTE = 30

export interface AuthDependencies {
  apiKeys: ApiKeys
  scopedTokens: ScopedTokens
  streamTokens: Pick<StreamTokens, "open">
  rateLimiter: RateLimiter
  rateLimitPerMinute: number
  usage: Pick<Usage, "countRequest" | "takeRequest">
  /** The principal of a console session that the request carries, if any; throws on a forged cross-site request. */
  authenticateSession?: (request: Request) => Promise<Principal | null>
}

/**
 * Sets the principal and the rate limit's headers.
 * @throws AppError unauthorized, rate_limited
 */
export async function authenticate(
  request: Request,
  context: RequestContext,
  dependencies: AuthDependencies,
): Promise<void> {
  const { bearer, credentials: given } = givenBy(request)
  const stream = streamTokenOf(request)
  if (stream) {
    if (bearer || given.some(value => value))
      throw new AppError("unauthorized", { message: "stream_token and credential headers: one of them" })
    return admit(await dependencies.streamTokens.open(stream.token, stream.path), context, dependencies)
  }
  if (given[0]) noteNamed(context, { clientId: given[0] })
  if (SCOPED_TOKEN.test(bearer)) {
    const { scopedTokens } = dependencies
    noteNamed(context, { token: bearer })
    return admit(scopedTokens.recall(bearer) ?? (await scopedTokens.verify(bearer)), context, dependencies)
  }
  const [clientId, privateKey, secret] = given
  if (!clientId && !privateKey && !secret) {
    const session = await dependencies.authenticateSession?.(request)
    if (session) {
      context.principal = session
      dependencies.usage.countRequest(session.view)
      return
    }
  }
  const missing = CREDENTIAL_HEADERS.filter((_, i) => !given[i])
  if (missing.length > 0 && bearer)
    throw new AppError("unauthorized", {
      message:
        "the bearer token is neither a key's, <client_id>.<private_key>.<secret>, nor a scoped token, cat_…, nor an open session's",
      details: [{ field: "authorization", issue: "malformed" }],
    })
  if (missing.length > 0)
    throw new AppError("unauthorized", {
      message: `missing headers: ${missing.join(", ")}`,
      hint: "all three may also come as Authorization: Bearer <client_id>.<private_key>.<secret>",
      details: missing.map(field => ({ field, issue: "missing" })),
    })
  const credentials = { clientId: clientId!, privateKey: privateKey!, secret: secret! }
  const { apiKeys } = dependencies
  return admit(apiKeys.recall(credentials) ?? (await apiKeys.verify(credentials)), context, dependencies)
}

/** Tokens spend the limit of their key. */
async function admit(principal: Principal | null, context: RequestContext, dependencies: AuthDependencies) {
  if (!principal) {
    await countWrongCredentials(context, dependencies.rateLimiter)
    throw new AppError("unauthorized")
  }
  context.principal = principal
  const limit = principal.rateLimitPerMinute ?? dependencies.rateLimitPerMinute
  const taken = await dependencies.rateLimiter.take(principal.keyId, limit)
  Object.assign(context.headers, rateLimitHeaders(taken.window))
  if (!taken.allowed) throw new AppError("rate_limited", { retryAfter: taken.retryAfter })
  const perDay = principal.quota?.requests_per_day
  await dependencies.usage.takeRequest(principal.view, principal.keyId, perDay)
}

const BEARER = /^Bearer\s+(\S.*)$/i
const SCOPED_TOKEN = /^cat_[^.\s]+$/i
/** Client id, private key and secret: none of them holds a dot. */
const KEY_TOKEN = /^([^.\s]+)\.([^.\s]+)\.([^.\s]+)$/

interface Given {
  /** Of a key, a scoped token or a session, or anything else; empty without one. */
  bearer: string
  /** Client id, private key and secret, by headers or as the bearer token; empty where they are missing. */
  credentials: string[]
}

/** @throws AppError unauthorized where headers and token differ: nobody can tell which of both was meant */
function givenBy({ headers }: Request): Given {
  const byHeaders = CREDENTIAL_HEADERS.map(name => headers.get(name)?.trim() ?? "")
  const bearer = BEARER.exec(headers.get("authorization")?.trim() ?? "")?.[1] ?? ""
  if (!bearer) return { bearer, credentials: byHeaders }
  const [, ...token] = KEY_TOKEN.exec(bearer) ?? []
  if (byHeaders.some((value, i) => value !== "" && value !== token[i]))
    throw new AppError("unauthorized", { message: "the bearer token and the credential headers differ" })
  return { bearer, credentials: token }
}

/** @throws AppError rate_limited once there were too many wrong ones from the address */
export const countWrongCredentials = (context: RequestContext, limiter: RateLimiter): Promise<void> =>
  spend(limiter, `wrong:${context.address}`, WRONG_CREDENTIALS_PER_MINUTE, "too many wrong credentials")
