/** Users of the console of a real application, and the routes under `/external/keys` as they call them. */
import { usersAdd } from "../../src/access/users.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import type { Answer, TestApp } from "./app.ts"

export const PASSWORD = "correct horse battery"

export type Session = { authorization: string }

export class People {
  private count = 0

  constructor(private readonly app: TestApp) {}

  /** `path` lies below `/external/keys`. */
  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`${this.app.url}/external/keys${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined }
  }

  async signIn(email: string): Promise<Session> {
    const { body } = await this.call("POST", "/sessions", { email, password: PASSWORD })
    return { authorization: `Bearer ${body.token}` }
  }

  /** A new user, signed in. */
  async add({ admin = false } = {}): Promise<{ id: string; email: string; session: Session }> {
    const made = await this.make({ admin })
    return { ...made, session: await this.signIn(made.email) }
  }

  /** A new user. */
  async make({ admin = false } = {}): Promise<{ id: string; email: string }> {
    const email = `user${++this.count}@example.org`
    const database = await openSqlite(this.app.data)
    const { id } = await usersAdd(database, { email, password: PASSWORD, admin })
    await database.destroy()
    return { id, email }
  }
}
