/** The keys and console routes on a fresh database, without a daemon: requests go straight to the routes. */
import { setDefaultTimeout } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Elysia } from "elysia"
import { ApiKeys } from "../../src/access/keys.ts"
import { Sessions } from "../../src/access/sessions.ts"
import { LocalSignInFailures, SignInBrake } from "../../src/access/sign-in-brake.ts"
import { Users } from "../../src/access/users.ts"
import { Workspaces } from "../../src/access/workspaces.ts"
import { readJson } from "../../src/http/body.ts"
import { setContext } from "../../src/http/context.ts"
import { errorResponse } from "../../src/http/error-response.ts"
import { LocalRateLimiter } from "../../src/http/rate-limit.ts"
import { administrationRoutes } from "../../src/http/routes/administration.ts"
import { consoleRoutes } from "../../src/http/routes/console.ts"
import { keysRoutes } from "../../src/http/routes/keys.ts"
import type { Services } from "../../src/http/services.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { expectDocumented } from "../support/documented.ts"

// Hashing a password is slow by design; a test that signs in eight times takes long on a busy machine.
setDefaultTimeout(30_000)

export const ORIGIN = "http://127.0.0.1:4747"
export const PASSWORD = "correct horse battery"

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: bodies are checked field by field
  body: any
}

export async function startApi() {
  const directory = mkdtempSync(join(tmpdir(), "carrel-keys-"))
  const database = await openSqlite(directory)
  const delays: number[] = []
  const workspaces = new Workspaces(database)
  const users = new Users(database)
  const sessions = new Sessions(database, workspaces)
  const apiKeys = new ApiKeys(database)
  const signInBrake = new SignInBrake(new LocalSignInFailures(), async ms => void delays.push(ms))
  const services = {
    users,
    sessions,
    workspaces,
    apiKeys,
    signInBrake,
    rateLimiter: new LocalRateLimiter(),
    usage: { countRequest: () => {} },
    version: "1",
  }
  const app = new Elysia()
    .onParse({ as: "global" }, ({ request }) => readJson(request))
    .onError({ as: "global" }, ({ error }) => errorResponse(error, "req_test"))
    .use(keysRoutes(services as unknown as Services))
    .use(consoleRoutes(services as unknown as Services))
    .use(administrationRoutes(services as unknown as Services))

  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const request = new Request(`${ORIGIN}/external/keys${path}`, {
      method,
      headers: {
        host: "127.0.0.1:4747",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const address = "192.0.2.1"
    const keepOpen = () => ({ signal: request.signal, close: () => {} })
    setContext(request, { requestId: "req_test", address, principal: undefined, secure: false, headers: {}, keepOpen })
    const response = await app.handle(request)
    const text = await response.text()
    const type = response.headers.get("content-type")?.split(";")[0]
    expectDocumented({ method, pathname: new URL(request.url).pathname, status: response.status, type })?.(text)
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined }
  }

  return {
    call,
    users,
    sessions,
    workspaces,
    apiKeys,
    database,
    delays,
    /** Claims the daemon and returns the administrator's bearer header. */
    async claim() {
      const token = await users.newSetupToken()
      const { body } = await call("POST", "/setup", { token, email: "ada@example.org", password: PASSWORD })
      return { authorization: `Bearer ${body.token}` }
    },
    async signIn(email: string, password = PASSWORD) {
      const { body } = await call("POST", "/sessions", { email, password })
      return { authorization: `Bearer ${body.token}` }
    },
    async stop() {
      await database.destroy()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
