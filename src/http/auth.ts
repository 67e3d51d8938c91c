/**
 * The three credential headers, or all three as one bearer token, a scoped token or a console session in their place, the
 * rate limit, and the brake on guessing.
 */

import type { ApiKeys } from "../access/keys.ts"
import type { Principal } from "../access/principal.ts"
import type { ScopedTokens } from "../access/scoped-tokens.ts"
import { AppError } from "../errors.ts"
import type { RequestContext } from "./context.ts"
import { type RateLimiter, rateLimitHeaders, spend } from "./rate-limit.ts"

export const CREDENTIAL_HEADERS = ["client-id", "private-key", "secret"] as const

/** Wrong credentials allowed per address and minute; after them only right ones pass. */
const WRONG_CREDENTIALS_PER_MINUTE = 30

export interface AuthDependencies {
  apiKeys: ApiKeys
  scopedTokens: ScopedTokens
  rateLimiter: RateLimiter
  rateLimitPerMinute: number
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
  const token = scopedTokenOf(request)
  if (token !== undefined) {
    const { scopedTokens } = dependencies
    return admit(scopedTokens.recall(token) ?? (await scopedTokens.verify(token)), context, dependencies)
  }
  const [clientId, privateKey, secret] = credentialsOf(request)
  if (!clientId && !privateKey && !secret) {
    const session = await dependencies.authenticateSession?.(request)
    if (session) {
      context.principal = session
      return
    }
  }
  const missing = CREDENTIAL_HEADERS.filter((_, i) => ![clientId, privateKey, secret][i])
  if (missing.length === CREDENTIAL_HEADERS.length && BEARER.test(request.headers.get("authorization")?.trim() ?? ""))
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
}

const SCOPED_TOKEN = /^Bearer\s+(cat_[^.\s]+)$/i

/** @throws AppError unauthorized where credential headers came along: nobody can tell which of both was meant */
function scopedTokenOf({ headers }: Request): string | undefined {
  const token = SCOPED_TOKEN.exec(headers.get("authorization")?.trim() ?? "")?.[1]
  if (token !== undefined && CREDENTIAL_HEADERS.some(name => headers.get(name)?.trim()))
    throw new AppError("unauthorized", { message: "the bearer token and the credential headers differ" })
  return token
}

/** What stands between two dots holds none. */
const TOKEN = /^Bearer\s+([^.\s]+)\.([^.\s]+)\.([^.\s]+)$/i

/** Any, such as that of a console session. */
const BEARER = /^Bearer\s+\S/i

/**
 * Client id, private key and secret, empty where they are missing.
 * @throws AppError unauthorized where headers and token differ
 */
function credentialsOf({ headers }: Request): string[] {
  const given = CREDENTIAL_HEADERS.map(name => headers.get(name)?.trim() ?? "")
  const authorization = headers.get("authorization")?.trim() ?? ""
  const [, ...token] = TOKEN.exec(authorization) ?? []
  const isOther = token.length === 0 && BEARER.test(authorization)
  if (token.length === 0 && !isOther) return given
  if (given.some((value, i) => value !== "" && value !== token[i]))
    throw new AppError("unauthorized", { message: "the bearer token and the credential headers differ" })
  return isOther ? given : token
}

/** @throws AppError rate_limited once there were too many wrong ones from the address */
export const countWrongCredentials = (context: RequestContext, limiter: RateLimiter): Promise<void> =>
  spend(limiter, `wrong:${context.address}`, WRONG_CREDENTIALS_PER_MINUTE, "too many wrong credentials")
