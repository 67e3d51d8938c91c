/** Sign-in by a provider from its start to the user who it turns out to be. */
import { invalid } from "../../errors.ts"
import type { Identities, SignedIn } from "./identities.ts"
import type { PendingSignIns } from "./pending.ts"
import { personOf } from "./person.ts"
import type { Provider } from "./provider.ts"
import { SignInRefused } from "./refusal.ts"
import { providerName, type SignInSettings } from "./settings.ts"

/** Below the address under which browsers reach this daemon. */
const CALLBACK = "/external/keys/oidc/callback"
const MAX_TO = 1_000

interface Parts {
  settings: SignInSettings
  provider: Provider
  pending: PendingSignIns
  identities: Identities
  /** Under which browsers reach this daemon, without a slash at its end. */
  address: () => string
}

export class ProviderSignIn {
  constructor(private readonly parts: Parts) {}

  get settings(): SignInSettings {
    return this.parts.settings
  }

  get name(): string {
    return providerName(this.parts.settings)
  }

  /** Where the provider sends people back to; it has to know the address beforehand. */
  get callback(): string {
    return this.parts.address() + CALLBACK
  }

  /**
   * Where the browser is sent, and what it keeps until it comes back.
   * @param to page of the console to go to afterwards
   * @throws AppError invalid_request for one that is none; SignInRefused provider_unavailable
   */
  async start(to: string): Promise<{ address: URL; kept: string }> {
    checkInner(to)
    const { begun, kept } = this.parts.pending.begin(to)
    return { address: await this.parts.provider.address(begun, this.callback), kept }
  }

  /** Asks the provider for its description, as each sign-in does; null where all is well, else why nobody can sign in by it. */
  async problem(): Promise<string | null> {
    try {
      await this.parts.provider.describe()
      return null
    } catch (error) {
      if (error instanceof SignInRefused) return error.detail ?? error.message
      throw error
    }
  }

  /**
   * Who came back. @throws SignInRefused
   * @param answer what the provider added to the address. @param kept by the browser since the start
   */
  async finish(answer: URLSearchParams, kept: string | undefined): Promise<SignedIn & { address: string }> {
    const { settings, provider, pending, identities, address } = this.parts
    const begun = await pending.take(kept, answer.get("state"))
    const url = new URL(this.callback)
    url.search = answer.toString()
    const { issuer, subject, claims } = await provider.claims(url, begun)
    const signedIn = await identities.enter(personOf({ issuer, subject }, claims, settings))
    return { ...signedIn, address: address() + begun.to }
  }
}

/** Whatever a browser could read as an address elsewhere is refused. */
function checkInner(to: string): void {
  const isInner =
    to.length <= MAX_TO &&
    /^\/(?![/\\])[^\\#\u0000-\u0020\u007f-\u{10ffff}]*$/u.test(to) &&
    new URL(to, "http://inner.invalid").origin === "http://inner.invalid" &&
    !new URL(to, "http://inner.invalid").pathname.startsWith("//")
  if (!isInner) throw invalid("to", "must be a path of the console, such as /library")
}
