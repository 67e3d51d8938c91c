import type { Config } from "../config.ts"
import { RateLimiter } from "../http/rate-limit.ts"
import { Traffic } from "../http/traffic.ts"
import { ApiKeys, ensureWorkspace } from "../keys/keys.ts"
import { Sessions } from "../keys/sessions.ts"
import { SignInBrake } from "../keys/sign-in-brake.ts"
import { Users } from "../keys/users.ts"
import { Workspaces } from "../keys/workspaces.ts"
import type { Storage } from "./storage.ts"

export type Access = Awaited<ReturnType<typeof openAccess>>

/** Who may do what, and how often. */
export async function openAccess(config: Config, { database }: Storage) {
  await ensureWorkspace(database)
  const workspaces = new Workspaces(database)
  await workspaces.load()
  return {
    workspaces,
    apiKeys: new ApiKeys(database),
    users: new Users(database),
    sessions: new Sessions(database, workspaces),
    signInBrake: new SignInBrake(),
    rateLimiter: new RateLimiter(),
    traffic: new Traffic(),
    redactionEnforced: (workspaceId: string) => config.enforce_redaction || workspaces.enforcesRedaction(workspaceId),
  }
}
