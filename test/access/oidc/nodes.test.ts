/** Sign-ins of several nodes that share a database: any of them takes the answer, and one alone. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { ensureWorkspace } from "../../../src/access/keys.ts"
import { Identities } from "../../../src/access/oidc/identities.ts"
import { PendingSignIns } from "../../../src/access/oidc/pending.ts"
import { type Person, personOf } from "../../../src/access/oidc/person.ts"
import { Users } from "../../../src/access/users.ts"
import type { Database } from "../../../src/storage/database.ts"
import { Sealer } from "../../../src/storage/sealed.ts"
import { secretNamed } from "../../../src/storage/secrets.ts"
import { databases } from "../../support/databases.ts"
import { rejection } from "../../support/rejection.ts"

const RULES = { adminGroup: "admins", workspaceClaim: "department" }

const someone = (subject: string, claims: Record<string, unknown> = {}): Person =>
  personOf(
    { issuer: "https://id.example", subject },
    { email: `${subject}@example.org`, email_verified: true, department: "sales", ...claims },
    RULES,
  )

for (const { name, open } of await databases())
  describe(`nodes on ${name}`, () => {
    const stack = new AsyncDisposableStack()
    let database: Database
    const node = async (now?: () => number) =>
      new PendingSignIns(database, new Sealer(await secretNamed(database, "sign_in")), now)
    beforeAll(async () => {
      database = await open(stack)
      await ensureWorkspace(database)
    })
    afterAll(() => stack.disposeAsync())

    test("one begins, another takes the answer, and of all that try to at once one does", async () => {
      const nodes = await Promise.all([node(), node(), node()])
      const { begun, kept } = nodes[0]!.begin("/library")
      const taken = await Promise.allSettled(nodes.map(each => each.take(kept, begun.state)))
      const fulfilled = taken.filter(({ status }) => status === "fulfilled")
      expect(fulfilled).toEqual([{ status: "fulfilled", value: begun }])
      expect((await rejection(nodes[1]!.take(kept, begun.state))) as Error).toMatchObject({ reason: "used" })
    })

    test("an answer is over after ten minutes; one that was used stays used till then", async () => {
      let at = Date.now()
      const clock = await node(() => at)
      const { begun, kept } = clock.begin("/")
      at += 9 * 60_000
      await clock.take(kept, begun.state)
      const late = clock.begin("/")
      await rejection(clock.take(kept, begun.state))
      at += 10 * 60_000 + 1
      expect(await rejection(clock.take(late.kept, late.begun.state))).toMatchObject({ reason: "expired" })
      expect(await rejection(clock.take(kept, begun.state))).toMatchObject({ reason: "expired" })
    })

    test("what a start seals tells the browser nothing, and opens nothing elsewhere", async () => {
      const { begun, kept } = (await node()).begin("/")
      const text = Buffer.from(kept, "base64url").toString("latin1")
      for (const secret of [begun.state, begun.nonce, begun.verifier]) expect(text).not.toContain(secret)
      const foreign = new PendingSignIns(database, new Sealer(await secretNamed(database, "credentials")))
      expect(await rejection(foreign.take(kept, begun.state))).toMatchObject({ reason: "no_browser" })
    })

    test("somebody who comes to several at once for the first time is one user, in one workspace", async () => {
      const identities = [new Identities(database, RULES), new Identities(database, RULES)]
      const entered = await Promise.all([1, 2, 3, 4].map(i => identities[i % 2]!.enter(someone("ada"))))
      expect(new Set(entered.map(({ userId }) => userId)).size).toBe(1)
      expect(new Set(entered.map(({ workspaceId }) => workspaceId)).size).toBe(1)
      const users = await new Users(database).list()
      expect(users.map(({ email, workspaces }) => [email, workspaces])).toEqual([["ada@example.org", ["sales"]]])
    })

    test("two administrators who lose the group at once leave one who is refused", async () => {
      const identities = new Identities(database, RULES)
      const admins = { groups: ["admins"] }
      await identities.enter(someone("bea", admins))
      await identities.enter(someone("cleo", admins))
      const lost = await Promise.allSettled([identities.enter(someone("bea")), identities.enter(someone("cleo"))])
      expect(lost.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
      expect(await new Users(database).isClaimed()).toBe(true)
    })

    test("the first administrator by the provider ends the setup links", async () => {
      await database.updateTable("users").set({ role: "member" }).execute()
      const users = new Users(database)
      const link = (await users.newSetupToken())!
      await new Identities(database, RULES).enter(someone("dora", { groups: ["admins"] }))
      expect(await users.isSetupToken(link)).toBe(false)
    })
  })
