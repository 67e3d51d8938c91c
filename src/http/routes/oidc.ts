/** Sign-in by a provider: to it, back from it, and what administrators see of it. */
import { Elysia, type HTTPHeaders } from "elysia"
import { BEGUN_S } from "../../access/oidc/pending.ts"
import { SignInRefused } from "../../access/oidc/refusal.ts"
import type { ProviderSignIn } from "../../access/oidc/sign-in.ts"
import { AppError, asStorageError } from "../../errors.ts"
import { log } from "../../log.ts"
import { contextOf } from "../context.ts"
import { cookieOf, setCookie } from "../cookies.ts"
import { noteActor } from "../noting.ts"
import { spend } from "../rate-limit.ts"
import type { Services } from "../services.ts"
import { openSession, sessionCaller } from "../session.ts"
import { VIEW_HEADERS } from "../view/page.ts"
import { signInPage } from "../view/sign-in-page.ts"
import * as docs from "./oidc.docs.ts"

/** Starts and answers of an address in a minute; whole offices may have one address. */
const CALLS_PER_MINUTE = 120
const COOKIE = "carrel_sign_in"
/** Tells the console that there is an account to ask for; the browser sends it nowhere. */
const SIGNED_IN = "#signed-in"

export const oidcRoutes = (services: Services) =>
  new Elysia({ prefix: "/external/keys/oidc" })
    .use(sessionCaller(services))
    .get(
      "/start",
      async ({ query, request }) => {
        try {
          return await start(request, query.to ?? "/", services)
        } catch (error) {
          // A browser that was sent here shows what it is given; all others read JSON.
          if (!request.headers.get("accept")?.includes("text/html")) throw error
          return refused(request, error, services)
        }
      },
      docs.startProviderSignIn(),
    )
    .get(
      "/callback",
      ({ request }) => finish(request, services).catch(error => refused(request, error, services)),
      docs.finishProviderSignIn(),
    )
    .get("/settings", () => describe(services.providerSignIn), docs.getProviderSignIn())
    .post("/test", () => test(services.providerSignIn), docs.testProviderSignIn())

async function start(request: Request, to: string, services: Services): Promise<Response> {
  const signIn = await entered(request, services)
  const { address, kept } = await signIn.start(to)
  return redirect(address.href, [keep(request, signIn, kept, BEGUN_S)])
}

async function finish(request: Request, services: Services): Promise<Response> {
  const signIn = await entered(request, services)
  const answer = new URL(request.url).searchParams
  const { userId, workspaceId, address } = await signIn.finish(answer, cookieOf(request, COOKIE))
  const headers: HTTPHeaders = {}
  await openSession(request, userId, services.sessions, headers, {
    provider: signIn.settings.issuer,
    ...(workspaceId ? { workspaceId } : {}),
  })
  return redirect(address + SIGNED_IN, [String(headers["set-cookie"]), keep(request, signIn, "", 0)])
}

/** @throws AppError not_found where nobody signs in by a provider, rate_limited */
async function entered(request: Request, { providerSignIn, rateLimiter }: Services): Promise<ProviderSignIn> {
  if (!providerSignIn) throw new AppError("not_found")
  await spend(rateLimiter, `oidc:${contextOf(request).address}`, CALLS_PER_MINUTE)
  return providerSignIn
}

/** The provider, which is another site, sends the browser back with it, and to that one address alone. */
const keep = (request: Request, { callback }: ProviderSignIn, value: string, maxAgeSeconds: number): string =>
  setCookie(request, { name: COOKIE, value, maxAgeSeconds, path: new URL(callback).pathname, sameSite: "Lax" })

function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({
    Location: location,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer", // the address holds the provider's code
  })
  for (const cookie of cookies) headers.append("Set-Cookie", cookie)
  return new Response(null, { status: 302, headers })
}

/** What is wrong is said by a page; what the browser kept is of no use any more. */
function refused(request: Request, thrown: unknown, { providerSignIn }: Services): Response {
  const error = thrown instanceof AppError ? thrown : asStorageError(thrown)
  if (!error) throw thrown
  const reason = error instanceof SignInRefused ? error.reason : error.code
  if (error instanceof SignInRefused) {
    const { detail, userId: user_id } = error
    if (user_id) noteActor(contextOf(request), "anonymous", user_id)
    log.warn("a sign-in was refused", { request_id: contextOf(request).requestId, reason, detail, user_id })
  }
  const home = providerSignIn ? new URL("../../..", providerSignIn.callback).href : "/"
  const again = providerSignIn && error.status !== 400 ? new URL("start", providerSignIn.callback).href : null
  const headers = new Headers({ ...VIEW_HEADERS, "Content-Type": "text/html; charset=utf-8" })
  if (error.retryAfter !== undefined) headers.set("Retry-After", String(Math.ceil(error.retryAfter)))
  if (providerSignIn) headers.append("Set-Cookie", keep(request, providerSignIn, "", 0))
  return new Response(signInPage(error, { code: reason, again, home }).text, { status: error.status, headers })
}

async function test(signIn: ProviderSignIn | undefined) {
  const problem = signIn ? await signIn.problem() : "nobody signs in by a provider here: --oidc-issuer is not set"
  return { reachable: problem === null, problem }
}

function describe(signIn: ProviderSignIn | undefined) {
  if (!signIn) return { provider: null }
  const { issuer, clientId, only, adminGroup, workspaceClaim } = signIn.settings
  return {
    provider: {
      issuer,
      client_id: clientId,
      redirect_uri: signIn.callback,
      only,
      admin_group: adminGroup,
      workspace_claim: workspaceClaim,
    },
  }
}
