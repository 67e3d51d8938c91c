import { Holders } from "../access/holders.ts"
import { ApiKeys, ensureWorkspace } from "../access/keys.ts"
import { ScopedTokens } from "../access/scoped-tokens.ts"
import { Sessions } from "../access/sessions.ts"
import { SharedSignInFailures } from "../access/shared-sign-in-failures.ts"
import { LocalSignInFailures, SignInBrake } from "../access/sign-in-brake.ts"
import { Users } from "../access/users.ts"
import { Workspaces } from "../access/workspaces.ts"
import type { Config } from "../config.ts"
import { LocalRateLimiter, type RateLimiter } from "../http/rate-limit.ts"
import { SharedRateLimiter } from "../http/shared-rate-limit.ts"
import { SharedTraffic } from "../http/shared-traffic.ts"
import { LocalTraffic, type Traffic } from "../http/traffic.ts"
import type { Database } from "../storage/database.ts"
import { secretNamed } from "../storage/secrets.ts"
import { isPostgres } from "../storage/words.ts"
import type { Storage } from "./storage.ts"

export type Access = Awaited<ReturnType<typeof openAccess>>

const localCounters = () => ({
  signInBrake: new SignInBrake(new LocalSignInFailures()),
  rateLimiter: new LocalRateLimiter() as RateLimiter,
  traffic: new LocalTraffic() as Traffic,
})

/** What nodes count together. */
const sharedCounters = (database: Database, stack: AsyncDisposableStack): ReturnType<typeof localCounters> => ({
  signInBrake: new SignInBrake(new SharedSignInFailures(database)),
  rateLimiter: new SharedRateLimiter(database),
  traffic: stack.use(new SharedTraffic(database)),
})

/** Who may do what, and how often. */
export async function openAccess(config: Config, { database }: Storage, stack: AsyncDisposableStack) {
  await ensureWorkspace(database)
  const workspaces = new Workspaces(database)
  const scopedTokens = new ScopedTokens(database)
  return {
    workspaces,
    linkSecret: await secretNamed(database, "links"),
    holders: new Holders(database, scopedTokens),
    apiKeys: new ApiKeys(database),
    scopedTokens,
    users: new Users(database),
    sessions: new Sessions(database, workspaces),
    ...(isPostgres(database) ? sharedCounters(database, stack) : localCounters()),
    redactionEnforced: async (workspaceId: string) =>
      config.enforce_redaction || (await workspaces.enforcesRedaction(workspaceId)),
  }
}
