import { Holders } from "../access/holders.ts"
import { ApiKeys, ensureWorkspace } from "../access/keys.ts"
import { Identities } from "../access/oidc/identities.ts"
import { PendingSignIns } from "../access/oidc/pending.ts"
import { Provider } from "../access/oidc/provider.ts"
import { providerName } from "../access/oidc/settings.ts"
import { ProviderSignIn } from "../access/oidc/sign-in.ts"
import { ResetLinks } from "../access/reset-links.ts"
import { SavedViews } from "../access/saved-views.ts"
import { ScopedTokens } from "../access/scoped-tokens.ts"
import { Sessions } from "../access/sessions.ts"
import { SharedSignInFailures } from "../access/shared-sign-in-failures.ts"
import { Shares } from "../access/shares.ts"
import { LocalSignInFailures, SignInBrake } from "../access/sign-in-brake.ts"
import { StreamTokens } from "../access/stream-tokens.ts"
import { Users } from "../access/users.ts"
import { Workspaces } from "../access/workspaces.ts"
import type { Config } from "../config.ts"
import { LocalRateLimiter, type RateLimiter } from "../http/rate-limit.ts"
import { SharedRateLimiter } from "../http/shared-rate-limit.ts"
import { SharedTraffic } from "../http/shared-traffic.ts"
import { LocalTraffic, type Traffic } from "../http/traffic.ts"
import type { Database } from "../storage/database.ts"
import { Sealer } from "../storage/sealed.ts"
import { secretNamed } from "../storage/secrets.ts"
import { isPostgres } from "../storage/words.ts"
import type { Network } from "./network.ts"
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

/** Of an address that is known once there is a port. */
async function openSignIn({ settings, egress }: NonNullable<Network["signIn"]>, database: Database) {
  const pending = new PendingSignIns(database, new Sealer(await secretNamed(database, "sign_in")))
  const parts = {
    settings,
    pending,
    provider: new Provider(settings, egress),
    identities: new Identities(database, settings),
  }
  return (address: () => string) => new ProviderSignIn({ ...parts, address })
}

/** Who may do what, and how often. */
export async function openAccess(
  config: Config,
  { signIn }: Pick<Network, "signIn">,
  { database }: Storage,
  stack: AsyncDisposableStack,
) {
  await ensureWorkspace(database)
  const workspaces = new Workspaces(database)
  const scopedTokens = new ScopedTokens(database)
  const onlyProvider = signIn?.settings.only ? providerName(signIn.settings) : undefined
  const users = new Users(database, onlyProvider)
  const linkSecret = await secretNamed(database, "links")
  const holders = new Holders(database, scopedTokens)
  return {
    workspaces,
    linkSecret,
    holders,
    streamTokens: new StreamTokens(linkSecret, holders),
    apiKeys: new ApiKeys(database),
    scopedTokens,
    users,
    savedViews: new SavedViews(database),
    resetLinks: new ResetLinks(database, users),
    providerSignInAt: signIn && (await openSignIn(signIn, database)),
    sessions: new Sessions(database, workspaces, onlyProvider),
    ...(isPostgres(database) ? sharedCounters(database, stack) : localCounters()),
    shares: new Shares(database),
    redactionEnforced: async (workspaceId: string) =>
      config.enforce_redaction || (await workspaces.enforcesRedaction(workspaceId)),
  }
}
