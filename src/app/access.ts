import type { Config } from "../config.ts"
import { LocalRateLimiter } from "../http/rate-limit.ts"
import { LocalTraffic } from "../http/traffic.ts"
import { ApiKeys, ensureWorkspace } from "../keys/keys.ts"
import { Sessions } from "../keys/sessions.ts"
import { LocalSignInFailures, SignInBrake } from "../keys/sign-in-brake.ts"
import { Users } from "../keys/users.ts"
import { Workspaces } from "../keys/workspaces.ts"
import type { Storage } from "./storage.ts"

export type Access = Awaited<ReturnType<typeof openAccess>>

/** Who may do what, and how often. */
export async function openAccess(config: Config, { database }: Storage) {
  await ensureWorkspace(database)
  const workspaces = new Workspaces(database)
  return {
    workspaces,
    apiKeys: new ApiKeys(database),
    users: new Users(database),
    sessions: new Sessions(database, workspaces),
    signInBrake: new SignInBrake(new LocalSignInFailures()),
    rateLimiter: new LocalRateLimiter(),
    traffic: new LocalTraffic(),
    redactionEnforced: async (workspaceId: string) =>
      config.enforce_redaction || (await workspaces.enforcesRedaction(workspaceId)),
  }
}
