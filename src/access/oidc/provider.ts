/** The provider as the network knows it: where it sends people, and what it says of those who come back. */
import * as oidc from "openid-client"
import type { Egress } from "../../egress/egress.ts"
import type { Claims } from "./person.ts"
import { type RefusalReason, SignInRefused } from "./refusal.ts"
import type { SignInSettings } from "./settings.ts"

/** What ties an answer of the provider to the request that it answers. */
export interface Ties {
  state: string
  nonce: string
  /** Of PKCE: only who began the sign-in can turn its code into tokens. */
  verifier: string
}

export interface Told {
  issuer: string
  subject: string
  /** Of the ID token, and beside it those of the endpoint userinfo. */
  claims: Claims
}

/** A provider that is slower than this counts as one that is down. */
const REQUEST_MS = 10_000
/** Descriptions, keys and tokens have some kilobytes. */
const MAX_BYTES = 1_048_576
/** How long its description is taken as it was: a provider that went down is noticed, many sign-ins ask once. */
const DESCRIPTION_MS = 15_000
const MAX_DETAIL = 300
/** The specification of OpenID Connect allows no more. */
const MAX_SUBJECT = 255

type Description = { metadata: oidc.ServerMetadata; readAt: number }

export class Provider {
  private known: Description | undefined
  private reading: Promise<oidc.ServerMetadata> | undefined
  private readonly isInsecure: boolean

  constructor(
    private readonly settings: SignInSettings,
    private readonly egress: Pick<Egress, "fetch">,
  ) {
    this.isInsecure = new URL(settings.issuer).protocol === "http:" // the settings allow it on this machine alone
  }

  /** Where the browser is sent. @throws SignInRefused provider_unavailable */
  async address({ state, nonce, verifier }: Ties, callback: string): Promise<URL> {
    const metadata = await this.describe()
    return oidc.buildAuthorizationUrl(this.client(metadata), {
      redirect_uri: callback,
      response_type: "code",
      scope: scopesOf(metadata, this.settings).join(" "),
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    })
  }

  /**
   * Turns the code of an answer into what the provider says of the person. The keys of signatures are read anew each time:
   * what the provider has taken back or replaced holds at once.
   * @param answer the address that the browser came back to, as it was given to the provider
   * @throws SignInRefused
   */
  async claims(answer: URL, { state, nonce, verifier }: Ties): Promise<Told> {
    const metadata = await this.describe()
    const client = this.client(metadata)
    try {
      const tokens = await oidc.authorizationCodeGrant(client, answer, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const said = tokens.claims()!
      if (said.sub === "" || said.sub.length > MAX_SUBJECT) throw new SignInRefused("bad_token")
      const isMissing = wantedClaims(this.settings).some(name => said[name] === undefined)
      const more =
        isMissing && metadata.userinfo_endpoint
          ? await oidc.fetchUserInfo(client, tokens.access_token, said.sub)
          : undefined
      return { issuer: metadata.issuer, subject: said.sub, claims: joined(said, more) }
    } catch (error) {
      throw refusalOf(error)
    }
  }

  /** What the provider publishes of itself. Asked once by all who need it at a time. @throws SignInRefused */
  describe(): Promise<oidc.ServerMetadata> {
    const { known } = this
    if (known && performance.now() - known.readAt < DESCRIPTION_MS) return Promise.resolve(known.metadata)
    this.reading ??= this.read().finally(() => {
      this.reading = undefined
    })
    return this.reading
  }

  private async read(): Promise<oidc.ServerMetadata> {
    const { issuer, clientId } = this.settings
    try {
      const found = await oidc.discovery(new URL(issuer), clientId, undefined, undefined, {
        execute: this.isInsecure ? [oidc.allowInsecureRequests] : [],
        [oidc.customFetch]: this.fetch,
        timeout: REQUEST_MS / 1000,
      })
      const metadata = found.serverMetadata()
      this.checkEndpoints(metadata)
      this.known = { metadata, readAt: performance.now() }
      return metadata
    } catch (error) {
      throw new SignInRefused("provider_unavailable", { detail: detailOf(error, issuer), cause: error })
    }
  }

  /** The browser is sent to one of them, where nothing else looks at its scheme. */
  private checkEndpoints({ authorization_endpoint, token_endpoint, jwks_uri }: oidc.ServerMetadata): void {
    const scheme = this.isInsecure ? /^https?:\/\//i : /^https:\/\//i
    if (![authorization_endpoint, token_endpoint, jwks_uri].every(address => address && scheme.test(address)))
      throw new Error("its description names no https endpoints for sign-in")
  }

  private client(metadata: oidc.ServerMetadata): oidc.Configuration {
    const { clientId, clientSecret } = this.settings
    const methods = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"]
    const authentication = methods.includes("client_secret_basic")
      ? oidc.ClientSecretBasic(clientSecret)
      : oidc.ClientSecretPost(clientSecret)
    const client = new oidc.Configuration(metadata, clientId, undefined, authentication)
    client[oidc.customFetch] = this.fetch
    client.timeout = REQUEST_MS / 1000
    if (this.isInsecure) oidc.allowInsecureRequests(client)
    // Without it the signature of an ID token that came straight from the provider would not be looked at.
    oidc.enableNonRepudiationChecks(client)
    return client
  }

  private readonly fetch: oidc.CustomFetch = (url, { body, headers, method, signal }) =>
    this.egress.fetch(url, {
      method,
      headers,
      ...(body === undefined || body === null ? {} : { body: bodyOf(body) }),
      ...(signal ? { signal } : {}),
      timeoutMs: REQUEST_MS,
      maxBytes: MAX_BYTES,
    })
}

/** The library sends forms alone. */
function bodyOf(body: oidc.FetchBody): string {
  if (body instanceof URLSearchParams || typeof body === "string") return String(body)
  throw new TypeError("a request to the provider has a body of another kind")
}

/** Providers that know no such scope would refuse it. */
function scopesOf({ scopes_supported = [] }: oidc.ServerMetadata, { workspaceClaim }: SignInSettings): string[] {
  const further = ["groups", ...(workspaceClaim ? [workspaceClaim] : [])]
  return [...new Set(["openid", "profile", "email", ...further.filter(name => scopes_supported.includes(name))])]
}

const wantedClaims = ({ workspaceClaim }: SignInSettings): string[] => [
  "email",
  "groups",
  ...(workspaceClaim ? [workspaceClaim] : []),
]

/** What the signed token says wins; an address is vouched for by whoever named it. */
function joined(token: Claims, more: Claims = {}): Claims {
  const { email_verified, ...rest } = more
  const isSameAddress = token.email === undefined || token.email === more.email
  return { ...rest, ...(isSameAddress ? { email_verified } : {}), ...token }
}

/** What the library or the network threw. */
function refusalOf(error: unknown): SignInRefused {
  if (error instanceof SignInRefused) return error
  const { code, error: said, message } = error as Error & { code?: string; error?: string }
  const detail = [code, said, message].filter(Boolean).join(": ").slice(0, MAX_DETAIL)
  return new SignInRefused(reasonOf(error), { detail, cause: error })
}

/** Of the library's codes those that say: the provider answered, and what it says is wrong. */
const UNTRUSTED = new Set([
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
  "OAUTH_KEY_SELECTION_FAILED",
  "OAUTH_UNSUPPORTED_OPERATION",
])
/** It answered, with what is no answer. */
const UNREADABLE = new Set(["OAUTH_PARSE_ERROR", "OAUTH_RESPONSE_IS_NOT_JSON"])

function reasonOf(error: unknown): RefusalReason {
  if (error instanceof oidc.AuthorizationResponseError) return "denied"
  if (error instanceof oidc.WWWAuthenticateChallengeError) return "client_refused"
  if (error instanceof oidc.ResponseBodyError) {
    if (error.error === "invalid_grant") return "code_refused"
    return error.error === "invalid_client" || error.error === "unauthorized_client"
      ? "client_refused"
      : "provider_error"
  }
  const { code = "" } = error as { code?: string }
  if (UNREADABLE.has(code)) return "provider_error"
  return UNTRUSTED.has(code) ? "bad_token" : "provider_unavailable"
}

/** Of a description that could not be read. */
function detailOf(error: unknown, issuer: string): string {
  const { message, code, cause } = error as Error & { code?: string }
  if (code === "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED")
    return `it calls itself something else than ${issuer}: --oidc-issuer must be what stands as "issuer" in its /.well-known/openid-configuration, to the last slash`
  const within = cause instanceof Error ? cause : undefined
  const { hint } = (within ?? {}) as { hint?: string }
  return [message, within?.message, hint].filter(Boolean).join(": ").slice(0, MAX_DETAIL)
}
