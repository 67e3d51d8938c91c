/** Repositories and mailboxes that are kept in sync, through the API and with real servers. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { GitServer, hasGit } from "../support/git-server.ts"
import { DovecotServer, hasDovecot, LOGIN } from "../support/mail-server.ts"
import { rejection } from "../support/rejection.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(60_000)

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Body = any

let app: TestApp
let client: Client

beforeAll(async () => {
  app = await startTestApp({ "fetch-allow": "127.0.0.1,localhost" })
  client = await app.client()
}, 60_000)
afterAll(() => app.stop())

async function create(settings: object): Promise<string> {
  const { status, body } = await client.post("/sources", { name: "a place", ...settings })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.id
}

/** Asks for a sync and waits for its end. */
async function sync(id: string, options: object = {}): Promise<Body> {
  const asked = await client.post(`/sources/${id}/sync`, options)
  if (asked.status !== 202) throw new Error(JSON.stringify(asked.body))
  return until(async () => {
    const { body } = await client.get(`/sources/${id}`)
    return body.status !== "syncing" && { status: body.status, ...body.last_sync }
  })
}

/** Waits until all is indexed. */
const covered = (id: string): Promise<Body> =>
  until(async () => {
    const { body } = await client.get(`/sources/${id}/coverage?page_size=100`)
    return body.pending === 0 && body
  })

async function filesOf(id: string): Promise<Body[]> {
  const filter = JSON.stringify({ type: "eq", key: "file.source_id", value: id })
  return (await client.get(`/libraries?page_size=100&filter=${encodeURIComponent(filter)}`)).body.data
}
const keysOf = async (id: string): Promise<string[]> => (await filesOf(id)).map(file => file.source.key).sort()

const found = async (query: string): Promise<string[]> => {
  const { body } = await client.post("/search", { query, mode: "keyword", limit: 10 })
  return body.hits.map((hit: Body) => hit.file_name ?? hit.file?.name ?? hit.name)
}

describe.skipIf(!hasGit)("a repository that is kept in sync", () => {
  let server: GitServer
  beforeEach(() => {
    server = new GitServer()
  })
  afterEach(() => server.close())
  const repositoryOf = (config: object = {}) => ({ type: "git", config: { url: server.url("repo"), ...config } })
  const wants = () => server.requests.filter(({ body }) => body.includes("want ")).length

  test.each([
    ["gives out single files", {}],
    ["gives out whole commits", { filters: false }],
  ])("is taken in, followed, and costs nothing while it stays, where the server %s", async (_, settings) => {
    const repository = server.make("repo", settings)
    repository.commit({ "a.md": "The bittern booms.", "docs/b.md": "The grebe dives.", "c.xyz": "no", "empty.md": "" })
    const id = await create({ ...repositoryOf(), tags: ["birds"] })
    expect(await sync(id)).toMatchObject({ added: 2, skipped: 2, failed: 0, error: null, status: "idle" })
    expect(await covered(id)).toMatchObject({ total: 4, searchable: 2, unsupported: 1, skipped: 1 })
    expect((await filesOf(id)).map(({ name, tags }) => ({ name, tags }))).toContainEqual({
      name: "b.md",
      tags: ["birds"],
    })
    expect(await found("grebe")).toContain("b.md")

    const asked = wants()
    expect(await sync(id)).toMatchObject({ added: 0, updated: 0, deleted: 0, unchanged: 2 })
    expect(wants()).toBe(asked)

    repository.run("mv", "docs/b.md", "moved.md")
    repository.commit({ "a.md": "The bittern hides.", "new.md": "The coot swims.", "empty.md": null })
    expect(await sync(id)).toMatchObject({ added: 1, updated: 2, deleted: 0 })
    expect(await keysOf(id)).toEqual(["a.md", "moved.md", "new.md"])
    await covered(id)
    expect(await found("hides")).toContain("a.md")
    expect(await found("booms")).toEqual([])
    expect(readdirSync(join(app.data, "sources", id)).filter(name => !name.startsWith("packs-"))).toEqual([
      "listing.jsonl",
    ])
  })

  test("files that move keep their ids, and cost nothing; a folder that moves is no mass deletion", async () => {
    const repository = server.make("repo")
    const names = Array.from({ length: 15 }, (_, at) => `docs/${at}.md`)
    repository.commit({
      ...Object.fromEntries(names.map(name => [name, `text of ${name}`])),
      "twin.md": "text of docs/3.md",
    })
    const id = await create(repositoryOf({}))
    await sync(id)
    await covered(id)
    const idsBy = async () => Object.fromEntries((await filesOf(id)).map(file => [file.source.key, file.id]))
    const before = await idsBy()
    repository.run("mv", "docs", "handbook")
    repository.run("mv", "handbook/7.md", "handbook/seven.md")
    repository.run("mv", "twin.md", "twin.txt") // read otherwise
    repository.commit()
    expect((await client.post(`/sources/${id}/sync`, { dry_run: true })).body).toMatchObject({
      updated: 15,
      added: 1,
      deleted: 1,
    })
    const asked = wants()
    expect(await sync(id)).toMatchObject({ status: "idle", updated: 15, added: 1, deleted: 1, guarded: 0 })
    expect(wants()).toBe(asked + 1) // the twin; the dry run has listed the folders
    const after = await idsBy()
    expect(Object.keys(after).length).toBe(16)
    expect(after["handbook/3.md"]).toBe(before["docs/3.md"])
    expect(after["handbook/seven.md"]).toBe(before["docs/7.md"])
    expect(after["twin.txt"]).not.toBe(before["twin.md"])
    expect((await client.get(`/libraries/${after["handbook/seven.md"]}`)).body).toMatchObject({
      name: "seven.md",
      status: "searchable",
    })
    expect(await covered(id)).toMatchObject({ total: 16, searchable: 16, pending: 0 })
    expect(await sync(id)).toMatchObject({ unchanged: 16, added: 0, updated: 0, deleted: 0 })
  })

  test("a dry run says what would happen, and does nothing", async () => {
    server.make("repo").commit({ "a.md": "one", "b.md": "two" })
    const id = await create(repositoryOf())
    const { status, body } = await client.post(`/sources/${id}/sync`, { dry_run: true })
    expect({ status, body }).toMatchObject({ status: 200, body: { dry_run: true, added: 2, deleted: 0 } })
    expect(await keysOf(id)).toEqual([])
  })

  test("a server in trouble, a branch that vanished and a wrong token delete nothing, and are told", async () => {
    const guarded = new GitServer({ login: "oauth2:right" })
    try {
      guarded.make("repo").commit({ "a.md": "one" })
      const url = guarded.url("repo")
      const id = await create({ type: "git", config: { url }, credentials: { token: "right" } })
      await sync(id)
      const failing = async (message: string) => {
        const ended = await sync(id)
        expect(ended).toMatchObject({ status: "failed", deleted: 0, error: { code: "source_unavailable" } })
        expect(ended.error.message).toContain(message)
        expect(await keysOf(id)).toEqual(["a.md"])
      }
      guarded.intercept = () => new Response("no", { status: 503 })
      await failing("status 503")
      guarded.intercept = undefined
      await client.patch(`/sources/${id}`, { config: { url, branch: "gone" } })
      await failing("no branch gone")
      await client.patch(`/sources/${id}`, { config: { url }, credentials: { token: "wrong" } })
      await failing("refuses the user name")
      await client.patch(`/sources/${id}`, { credentials: { token: "right" } })
      expect(await sync(id)).toMatchObject({ status: "idle", unchanged: 1, error: null })
      const shown = await client.get(`/sources/${id}`)
      expect(JSON.stringify(shown.body)).not.toContain("right")
      expect(shown.body.has_credentials).toBe(true)
    } finally {
      await guarded.close()
    }
  })

  test("most files gone at once wait for somebody's word", async () => {
    const repository = server.make("repo")
    const names = Array.from({ length: 15 }, (_, at) => `${at}.md`)
    repository.commit(Object.fromEntries(names.map(name => [name, `text of ${name}`])))
    const id = await create(repositoryOf())
    await sync(id)
    repository.commit(Object.fromEntries(names.slice(0, 12).map(name => [name, null])))
    expect(await sync(id)).toMatchObject({ status: "guarded", deleted: 0, guarded: 12 })
    expect((await keysOf(id)).length).toBe(15)
    expect(await sync(id, { force: true })).toMatchObject({ status: "idle", deleted: 12 })
    expect((await keysOf(id)).length).toBe(3)
  })

  test("addresses that may not be reached, and other protocols, are refused when the source is made", async () => {
    const refused = async (url: string) => {
      const { status, body } = await client.post("/sources", { type: "git", name: "x", config: { url } })
      return `${status} ${body.error.code}`
    }
    expect(await refused("https://10.0.0.1/repo.git")).toBe("403 forbidden")
    expect(await refused("https://[::ffff:10.0.0.1]/repo.git")).toBe("403 forbidden")
    expect(await refused("ssh://git@127.0.0.1/repo.git")).toBe("400 invalid_request")
    expect(await refused("file:///etc")).toBe("400 invalid_request")
  })

  test("with its source its folder goes", async () => {
    server.make("repo").commit({ "a.md": "one" })
    const id = await create(repositoryOf())
    await sync(id)
    const folder = join(app.data, "sources", id)
    expect(existsSync(folder)).toBe(true)
    expect((await client.delete(`/sources/${id}?delete_files=true`)).status).toBe(204)
    await until(() => !existsSync(folder))
    mkdirSync(folder) // as a kill, or another node, leaves it
    await app.restart()
    expect(existsSync(folder)).toBe(false)
  })
})

describe.skipIf(!hasGit || !hasDovecot)("a daemon of its own, with --offline", () => {
  const repositories = new GitServer()
  const mailboxes = new DovecotServer()
  let daemon: Daemon
  beforeAll(async () => {
    await mailboxes.start()
    const listed = [repositories.port, mailboxes.port, mailboxes.tlsPort].map(port => `localhost:${port}`)
    daemon = await startDaemon(["--offline", "--fetch-allow", listed.join(",")], {
      env: { NODE_EXTRA_CA_CERTS: mailboxes.caFile },
    })
  })
  afterAll(async () => {
    await daemon?.remove()
    await repositories.close()
    await mailboxes.close()
  })

  const make = (settings: object): Promise<Body> => daemon.call("POST", "/sources", { name: "x", ...settings })
  const ended = (id: string): Promise<Body> =>
    until(async () => {
      const source = await daemon.call("GET", `/sources/${id}`)
      return source.status !== "syncing" && source
    })
  const gitOf = (name: string) => ({ type: "git", config: { url: `http://localhost:${repositories.port}/${name}` } })
  const imapOf = (config: object) => ({ type: "imap", config: { host: "localhost", ...config }, credentials: LOGIN })

  test("reaches the places that are listed, over TLS too, and no others", async () => {
    repositories.make("repo").commit({ "a.md": "one" })
    await mailboxes.as("INBOX", owner => owner.append("INBOX", "Subject: one\r\n\r\nwords\r\n"))
    for (const settings of [
      gitOf("repo"),
      imapOf({ port: mailboxes.tlsPort }),
      imapOf({ port: mailboxes.port, tls: "starttls" }),
      imapOf({ port: mailboxes.port, tls: false }),
    ]) {
      const { id } = await make(settings)
      await daemon.call("POST", `/sources/${id}/sync`)
      expect(await ended(id)).toMatchObject({ status: "idle", last_sync: { added: 1, error: null } })
    }
    const refused = async (settings: object) => String(await rejection(make(settings)))
    expect(await refused({ type: "git", config: { url: "https://example.org/repo" } })).toContain("403")
    expect(await refused(imapOf({ port: 9 }))).toContain("403")
  })

  test.each([
    ["gives out single files", {}],
    ["gives out whole commits", { filters: false }],
  ])("goes on after a kill with what a server has that %s, each file once", async (what, settings) => {
    const name = what.replaceAll(" ", "-")
    const names = Array.from({ length: 400 }, (_, at) => `${at}.md`)
    repositories.make(name, settings).commit(Object.fromEntries(names.map(each => [each, `text of ${each}`])))
    const { id } = await make(gitOf(name))
    await daemon.call("POST", `/sources/${id}/sync`)
    await until(async () => (await daemon.call("GET", `/sources/${id}/coverage`)).total > 0)
    await daemon.kill()
    await daemon.start()
    expect(await ended(id)).toMatchObject({ status: "idle", last_sync: { error: null } })
    await daemon.settled()
    const { total, searchable } = await daemon.call("GET", `/sources/${id}/coverage`)
    expect({ total, searchable }).toEqual({ total: 400, searchable: 400 })
    const filter = encodeURIComponent(JSON.stringify({ type: "eq", key: "file.source_id", value: id }))
    const files = await daemon.call("GET", `/libraries?page_size=1&filter=${filter}`)
    expect(files.pagination.total_items).toBe(400)
  })
})

describe.skipIf(!hasDovecot)("a mailbox that is kept in sync", () => {
  let server: DovecotServer
  beforeAll(async () => {
    server = new DovecotServer()
    await server.start()
  })
  afterAll(() => server.close())

  const message = (subject: string, body: string) =>
    [
      "From: ann@example.org",
      "To: ben@example.org",
      `Subject: ${subject}`,
      "MIME-Version: 1.0",
      'Content-Type: multipart/mixed; boundary="b"',
      "",
      "--b",
      "Content-Type: text/plain",
      "",
      body,
      "--b",
      'Content-Type: text/plain; name="note.txt"',
      'Content-Disposition: attachment; filename="note.txt"',
      "",
      `The attachment of ${subject} speaks of plovers.`,
      "--b--",
      "",
    ].join("\r\n")
  const mailbox = (name: string) => ({
    type: "imap",
    config: { host: "localhost", port: server.port, tls: false, mailbox: name },
    credentials: LOGIN,
  })

  test("messages with their attachments are found, and go when they go", async () => {
    await server.as("Vögel", async owner => {
      await owner.append("Vögel", message("Herons", "The heron waits."))
      await owner.append("Vögel", message("Egrets", "The egret stalks."))
    })
    const id = await create(mailbox("Vögel"))
    expect(await sync(id)).toMatchObject({ added: 2, failed: 0, error: null })
    await covered(id)
    expect((await filesOf(id)).map(file => file.name).sort()).toEqual(["Egrets.eml", "Herons.eml"])
    expect(await found("egret stalks")).toContain("Egrets.eml")
    expect((await found("plovers")).length).toBeGreaterThan(0)
    expect(await sync(id)).toMatchObject({ added: 0, updated: 0, unchanged: 2 })
    await server.as("Vögel", async owner => {
      const flags = (await owner.fetchAll("1:*", { flags: true })).flatMap(each => [...each.flags!])
      expect(flags).not.toContain("\\Seen")
      await owner.messageDelete("1")
    })
    expect(await sync(id)).toMatchObject({ deleted: 1, unchanged: 1 })
    expect((await filesOf(id)).map(file => file.name)).toEqual(["Egrets.eml"])
  })

  test("a wrong password, a mailbox that vanished and a server that is away delete nothing, and are told", async () => {
    await server.as("Kept", owner => owner.append("Kept", message("Rails", "The rail runs.")))
    const id = await create(mailbox("Kept"))
    await sync(id)
    const failing = async (words: string) => {
      const ended = await sync(id)
      expect(ended).toMatchObject({ status: "failed", deleted: 0 })
      expect(ended.error.message).toContain(words)
      expect((await filesOf(id)).length).toBe(1)
    }
    await client.patch(`/sources/${id}`, { credentials: { ...LOGIN, password: "guess" } })
    await failing("refuses the user name or password")
    await client.patch(`/sources/${id}`, { ...pick(mailbox("Elsewhere")), credentials: LOGIN })
    await failing("no mailbox Elsewhere")
    await client.patch(`/sources/${id}`, pick(mailbox("Kept")))
    await server.stop()
    await failing("no connection to localhost")
    await server.start()
    expect(await sync(id)).toMatchObject({ status: "idle", unchanged: 1, error: null })
  })

  test("a password is told to no other server than the one that it was given for", async () => {
    const id = await create(mailbox("INBOX"))
    const config = { ...mailbox("INBOX").config, port: server.tlsPort }
    const { status } = await client.patch(`/sources/${id}`, { config })
    expect(status).toBe(400)
  })
})

const pick = ({ config }: { config: object }) => ({ config })
