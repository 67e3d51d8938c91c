/** A real provider of sign-ins on the loopback: the library `oidc-provider`, which tests make answer as none should. */
import { generateKeyPairSync } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Provider, { type Configuration } from "oidc-provider"

export const CLIENT_ID = "carrel"
const SECRET = "a secret that both sides know"

type Claims = Record<string, unknown>

export interface SignInProvider {
  /** Of another site than `127.0.0.1`, as browsers see it. */
  issuer: string
  /** Settings of a daemon that trusts it. */
  flags: Record<string, string>
  /** By subject; what the provider says of them. Changes hold at the next sign-in. */
  people: Map<string, Claims>
  /** Sends people back to these addresses; to be called before the first sign-in. */
  allow(...callbacks: string[]): Promise<void>
  /** New keys, the old ones are gone. */
  rotate(): Promise<void>
  /** The private key that it signs with. */
  key(): SigningKey
  /** Changes what the token endpoint answers. Undefined: nothing. */
  tamper: ((body: Claims) => Promise<void> | void) | undefined
  /** Answers in its place; undefined: the provider itself does. */
  instead: RequestListener | undefined
  /** Paths that were asked for. */
  asked: string[]
  /** Goes through its pages as a browser does. @returns the address that it sends the browser back to */
  signIn(address: string, subject: string): Promise<string>
  /** Takes no connections any more; `up` takes them again. */
  down(): Promise<void>
  up(): Promise<void>
  stop(): Promise<void>
}

export async function startSignInProvider(options: Partial<Configuration> = {}): Promise<SignInProvider> {
  const folder = mkdtempSync(join(tmpdir(), "carrel-provider-"))
  const secretFile = join(folder, "secret")
  writeFileSync(secretFile, `${SECRET}\n`, { mode: 0o600 })
  let key = newKey()
  let callbacks: string[] = []
  let serve: RequestListener = (_, response) => response.writeHead(500).end()
  let server = createServer()
  const listen = async (port: number) => {
    server = createServer((request, response) => {
      found.asked.push(request.url!.split("?")[0]!)
      return (found.instead ?? serve)(request, response)
    })
    await new Promise<void>(resolve => server.listen(port, "127.0.0.1", resolve))
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  const issuer = `http://localhost:${port}`
  const make = () => {
    const provider = new Provider(issuer, { ...configuration(key, callbacks, people), ...options })
    provider.use(async (ctx, next) => {
      await next()
      if (ctx.path === "/token" && found.tamper) await found.tamper(ctx.body as Claims)
    })
    serve = provider.callback()
  }
  const people = new Map<string, Claims>()
  const found: SignInProvider = {
    issuer,
    people,
    flags: { "oidc-issuer": issuer, "oidc-client-id": CLIENT_ID, "oidc-client-secret-file": secretFile },
    tamper: undefined,
    instead: undefined,
    asked: [],
    key: () => key,
    async allow(...addresses) {
      callbacks = addresses
      make()
    },
    async rotate() {
      key = newKey()
      make()
    },
    signIn: (address, subject) => throughPages(issuer, address, subject),
    async down() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
    up: () => listen(port),
    async stop() {
      await this.down().catch(() => {})
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return found
}

type SigningKey = ReturnType<typeof newKey>

let keys = 0
export function newKey() {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  return { ...privateKey.export({ format: "jwk" }), kid: `key-${++keys}`, alg: "RS256", use: "sig" }
}

const configuration = (key: SigningKey, callbacks: string[], people: Map<string, Claims>): Configuration => ({
  jwks: { keys: [key as never] },
  clients: [{ client_id: CLIENT_ID, client_secret: SECRET, redirect_uris: callbacks, response_types: ["code"] }],
  claims: {
    openid: ["sub"],
    profile: ["name", "preferred_username"],
    email: ["email", "email_verified"],
    groups: ["groups"],
    department: ["department"],
  },
  scopes: ["openid", "profile", "email", "groups", "department"],
  cookies: { keys: ["for tests alone"] },
  pkce: { required: () => true },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, ...people.get(id) }),
  }),
  // Nobody is asked whether the client may know what it asks for.
  async loadExistingGrant(ctx) {
    const { provider, session, client, params } = ctx.oidc
    const grant = new provider.Grant({ accountId: session!.accountId!, clientId: client!.clientId })
    grant.addOIDCScope(String(params!.scope))
    await grant.save()
    return grant
  },
})

/** Cookies of the provider, kept as a browser keeps them. */
async function throughPages(issuer: string, address: string, subject: string): Promise<string> {
  const jar = new Map<string, string>()
  let next = address
  for (let steps = 0; steps < 12; steps++) {
    const isForm = new URL(next).pathname.startsWith("/interaction/")
    const response = await fetch(next, {
      redirect: "manual",
      method: isForm ? "POST" : "GET",
      headers: {
        cookie: [...jar].map(pair => pair.join("=")).join("; "),
        ...(isForm ? { "content-type": "application/x-www-form-urlencoded" } : {}),
      },
      ...(isForm ? { body: new URLSearchParams({ prompt: "login", login: subject, password: "any" }) } : {}),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [name, value] = cookie.split(";")[0]!.split("=") as [string, string]
      jar.set(name, value)
    }
    const location = response.headers.get("location")
    if (!location) throw new Error(`the provider answered ${response.status}: ${(await response.text()).slice(0, 500)}`)
    next = new URL(location, next).href
    if (!next.startsWith(issuer)) return next
  }
  throw new Error("the provider sends round in a circle")
}
