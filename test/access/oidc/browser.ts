/** A daemon whose people sign in by a provider, and what a browser does between the two, by hand. */
import { expect } from "bun:test"
import { startTestApp, type TestApp } from "../../support/app.ts"
import { People } from "../../support/people.ts"
import { type SignInProvider, startSignInProvider } from "../../support/sign-in-provider.ts"

const PATH = "/external/keys/oidc"

export interface Browser {
  start(query?: string, headers?: Record<string, string>): Promise<Response>
  /** What the provider makes of a start. @returns the address that the browser comes back to, and the cookie that it kept */
  begin(subject: string, query?: string): Promise<{ answer: string; cookie: string }>
  /** Comes back. */
  finish(answer: string, cookie?: string): Promise<Answered>
}

export interface House extends Browser {
  app: TestApp
  provider: SignInProvider
  people: People
  /** All of it. @throws where the person is not let in */
  enter(subject: string, query?: string): Promise<Account>
  /** All of it, for who is not let in. @returns status and code of the page */
  refused(subject: string): Promise<[number, string]>
  stop(): Promise<void>
}

export interface Answered {
  status: number
  location: string
  /** Of the session; empty where none was opened. */
  session: string
  /** Of the page. */
  code: string
  text: string
  headers: Headers
}

export interface Account {
  // biome-ignore lint/suspicious/noExplicitAny: a body of the API
  me: any
  session: string
  location: string
}

export async function startHouse(settings: Record<string, string> = {}): Promise<House> {
  const provider = await startSignInProvider()
  const app = await startTestApp({ ...provider.flags, ...settings })
  await provider.allow(`${app.url}${PATH}/callback`)
  return houseOf(app, provider)
}

/** @param daemon whose address may change */
export function browserAt(daemon: { url: string }, provider: SignInProvider): Browser {
  const start: Browser["start"] = (query = "", headers = {}) =>
    fetch(`${daemon.url}${PATH}/start${query}`, { redirect: "manual", headers })
  return {
    start,
    async begin(subject, query) {
      const response = await start(query)
      expect(response.status).toBe(302)
      const cookie = response.headers.getSetCookie()[0]!.split(";")[0]!
      return { answer: await provider.signIn(response.headers.get("location")!, subject), cookie }
    },
    async finish(answer, cookie) {
      const response = await fetch(answer, { redirect: "manual", headers: cookie ? { cookie } : {} })
      const text = await response.text()
      const session = response.headers.getSetCookie().find(each => each.startsWith("carrel_session="))
      return {
        status: response.status,
        location: response.headers.get("location") ?? "",
        session: session?.split(";")[0] ?? "",
        code: /<code>(\w+)<\/code>/.exec(text)?.[1] ?? "",
        text,
        headers: response.headers,
      }
    },
  }
}

function houseOf(app: TestApp, provider: SignInProvider): House {
  const browser = browserAt(app, provider)
  const people = new People(app)
  return {
    ...{ ...browser, app, provider, people },
    async enter(subject, query) {
      const { answer, cookie } = await browser.begin(subject, query)
      const { status, code, session, location } = await browser.finish(answer, cookie)
      if (status !== 302) throw new Error(`not let in: ${status} ${code}`)
      const me = await people.call("GET", "/me", undefined, { cookie: session })
      expect(me.status).toBe(200)
      return { me: me.body, session, location }
    },
    async refused(subject) {
      const { answer, cookie } = await browser.begin(subject)
      const { status, code, session } = await browser.finish(answer, cookie)
      expect(session).toBe("")
      return [status, code]
    },
    async stop() {
      await app.stop()
      await provider.stop()
    },
  }
}
