/** Links that set a new password: once, for a day, for nobody who is disabled; on both databases. */
import { describe, expect, setSystemTime, test } from "bun:test"
import { ensureWorkspace } from "../../src/access/keys.ts"
import { ResetLinks } from "../../src/access/reset-links.ts"
import { Users } from "../../src/access/users.ts"
import type { Database } from "../../src/storage/database.ts"
import { databases } from "../support/databases.ts"
import { rejection } from "../support/rejection.ts"

const OLD = "correct horse battery"
const NEW = "a quite different phrase"

async function house(database: Database, provider?: string) {
  const users = new Users(database, provider)
  const workspaceId = await ensureWorkspace(database)
  const { id: admin } = await users.add({ email: "ada@x.org", password: OLD, role: "administrator", workspaceId })
  const { id: bob } = await users.add({ email: "bob@x.org", password: OLD, role: "member", workspaceId })
  return { users, links: new ResetLinks(database, users), admin, bob }
}

for (const kind of await databases())
  describe(`reset links on ${kind.name}`, () => {
    test("a link sets the password once, and a wrong password does not use it up", async () => {
      await using stack = new AsyncDisposableStack()
      const { users, links, admin, bob } = await house(await kind.open(stack))
      const { token } = await links.create(bob, admin)
      expect(await users.authenticate("bob@x.org", OLD)).toBe(bob) // nothing has changed yet
      expect(await rejection(links.use(token, "short"))).toMatchObject({ code: "invalid_request" })
      expect(await links.read(token)).toMatchObject({ email: "bob@x.org" })
      const tries = await Promise.allSettled([links.use(token, NEW), links.use(token, "another one yet")])
      expect(tries.filter(({ status }) => status === "fulfilled").length).toBe(1)
      expect(await users.authenticate("bob@x.org", OLD)).toBeNull()
      expect(await rejection(links.use(token, OLD))).toMatchObject({ code: "forbidden" })
    })

    test("a link ends with a later one, with a changed password, with its day, and while its user is disabled", async () => {
      await using stack = new AsyncDisposableStack()
      const database = await kind.open(stack)
      const { users, links, admin, bob } = await house(database)
      const dead = async (token: string) => (await rejection(links.read(token))) as { code?: string }
      const first = await links.create(bob, admin)
      const second = await links.create(bob, admin)
      expect(await dead(first.token)).toMatchObject({ code: "forbidden" })
      await users.change(bob, { disabled: true })
      expect(await dead(second.token)).toMatchObject({ code: "forbidden" })
      expect(await rejection(links.create(bob, admin))).toMatchObject({ code: "conflict" })
      await users.change(bob, { disabled: false })
      expect((await links.read(second.token)).id).toBe(bob)
      await users.setPassword(bob, NEW)
      expect(await dead(second.token)).toMatchObject({ code: "forbidden" })
      const third = await links.create(bob, admin)
      setSystemTime(new Date(Date.parse(third.expires_at) + 1))
      stack.defer(() => void setSystemTime())
      expect(await dead(third.token)).toMatchObject({ code: "forbidden" })
      const rows = await database.selectFrom("reset_links").selectAll().execute()
      expect(JSON.stringify(rows)).not.toContain(third.token)
    })

    test("members who sign in by a provider alone get none; a user who is removed takes the link along", async () => {
      await using stack = new AsyncDisposableStack()
      const { users, links, admin, bob } = await house(await kind.open(stack), "id.example.org")
      expect(await rejection(links.create(bob, admin))).toMatchObject({ code: "forbidden" })
      const { token } = await links.create(admin, admin)
      await users.change(bob, { role: "administrator" })
      await users.remove(admin)
      expect(await rejection(links.read(token))).toMatchObject({ code: "forbidden" })
    })
  })
