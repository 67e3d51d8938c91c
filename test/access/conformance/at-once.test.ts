/** What one node changes about keys, sessions, users and workspaces holds on another with its next request. */
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ApiKeys, ensureWorkspace, type NewApiKey } from "../../../src/access/keys.ts"
import { Sessions } from "../../../src/access/sessions.ts"
import { setupLink, Users } from "../../../src/access/users.ts"
import { Workspaces } from "../../../src/access/workspaces.ts"
import type { Database } from "../../../src/storage/database.ts"
import { openPostgres } from "../../../src/storage/postgres/open.ts"
import { openSqlite } from "../../../src/storage/sqlite/open.ts"
import { postgres } from "../../support/engines.ts"

// Hashing a password is slow by design.
setDefaultTimeout(30_000)
const data = mkdtempSync(join(tmpdir(), "carrel-at-once-"))
const url = await postgres()
const opened: Database[] = []
afterAll(async () => {
  for (const database of opened) await database.destroy()
  rmSync(data, { recursive: true })
})

/** One node, or on one machine a command beside the daemon. */
async function node(open: () => Promise<Database>) {
  const database = await open()
  opened.push(database)
  const workspaces = new Workspaces(database)
  return {
    database,
    workspaces,
    users: new Users(database),
    apiKeys: new ApiKeys(database),
    sessions: new Sessions(database, workspaces),
  }
}
type Node = Awaited<ReturnType<typeof node>>

const SIDES: [string, (() => Promise<Database>) | undefined][] = [
  ["SQLite", () => openSqlite(data)],
  ["PostgreSQL", url ? () => openPostgres(url, { poolSize: 2 }) : undefined],
]
const PASSWORD = "correct horse battery"
const from = { userAgent: "", address: "" }
const newName = () => `w${crypto.randomUUID().slice(0, 8)}`

describe.each(SIDES)("two processes on one %s", (_, open) => {
  const start = async (): Promise<[Node, Node]> => [await node(open!), await node(open!)]
  const credentialsOf = ({ client_id, private_key, secret }: NewApiKey) => ({
    clientId: client_id,
    privateKey: private_key,
    secret,
  })
  /** As a request finds its principal. */
  const known = ({ apiKeys }: Node, key: NewApiKey) =>
    apiKeys.recall(credentialsOf(key)) ?? apiKeys.verify(credentialsOf(key))

  test.skipIf(!open)("a key that one revokes, changes or rotates is another for the other at once", async () => {
    const [one, other] = await start()
    const workspaceId = await ensureWorkspace(one.database, newName())
    const key = await one.apiKeys.create(workspaceId, { name: "k" })
    for (let i = 0; i < 3; i++) expect(await known(other, key)).toMatchObject({ keyId: key.id })
    await one.apiKeys.change(key.id, { rate_limit_per_minute: 7, scopes: ["chat"] })
    expect(await known(other, key)).toMatchObject({ rateLimitPerMinute: 7, scopes: ["chat"] })
    const { credential } = (await known(other, key))!
    const rotated = await one.apiKeys.rotate(key.id)
    expect(await known(other, key)).toBeNull()
    expect(await other.apiKeys.alive([credential])).toEqual(new Set())
    expect(await known(other, rotated)).toMatchObject({ keyId: key.id })
    await one.apiKeys.revoke(key.id)
    expect(await known(other, rotated)).toBeNull()
  })

  test.skipIf(!open)("a user that one disables or takes out loses sessions and keys on the other at once", async () => {
    const [one, other] = await start()
    const workspace = newName()
    const workspaceId = await ensureWorkspace(one.database, workspace)
    const email = `${newName()}@example.org`
    const user = await one.users.add({ email, password: PASSWORD, role: "member", workspaceId })
    const key = await one.apiKeys.create(workspaceId, { name: "k" }, user.id)
    const { token } = await one.sessions.open(user.id, from)
    expect(await other.sessions.verify(token)).toMatchObject({ userId: user.id })
    expect(await known(other, key)).not.toBeNull()
    await one.users.change(user.id, { disabled: true })
    expect(await other.sessions.verify(token)).toBeNull()
    expect(await known(other, key)).toBeNull()
    await other.users.change(user.id, { disabled: false })
    expect(await known(one, key)).not.toBeNull()
    const elsewhere = await ensureWorkspace(one.database, newName())
    await one.workspaces.addMember(elsewhere, user.id)
    await other.workspaces.removeMember(workspaceId, user.id)
    expect(await known(one, key)).toBeNull()
  })

  test.skipIf(!open)("redaction that one enforces in a workspace holds for the other's next turn", async () => {
    const [one, other] = await start()
    const id = await ensureWorkspace(one.database, newName())
    expect(await other.workspaces.enforcesRedaction(id)).toBe(false)
    await one.workspaces.change(id, { enforce_redaction: true })
    expect(await other.workspaces.enforcesRedaction(id)).toBe(true)
    await other.workspaces.change(id, { enforce_redaction: false })
    expect(await one.workspaces.enforcesRedaction(id)).toBe(false)
  })

  test.skipIf(!open)("links of nodes that start one after the other all open the door, once", async () => {
    const [one, other] = await start()
    const tokenOf = async ({ database }: Node) => (await setupLink(database, "http://n", true))!.split("token=")[1]!
    const [first, second] = [await tokenOf(one), await tokenOf(other)]
    expect([await other.users.isSetupToken(first), await one.users.isSetupToken(second)]).toEqual([true, true])
    await other.users.claim(first, { email: `${newName()}@example.org`, password: PASSWORD })
    expect([await one.users.isSetupToken(second), await one.users.isClaimed()]).toEqual([false, true])
    expect(await setupLink(one.database, "http://n", true)).toBeNull()
  })
})
