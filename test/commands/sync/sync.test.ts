/** `carrel sync` from a folder to a daemon, both as processes. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { COMMAND, type Daemon, startDaemon } from "../../support/daemon.ts"
import { until } from "../../support/until.ts"
import { carrel } from "../carrel.ts"

let daemon: Daemon
let token: string
const folders: string[] = []

beforeAll(async () => {
  daemon = await startDaemon()
  const { credentials } = daemon
  token = [credentials["client-id"], credentials["private-key"], credentials.secret].join(".")
}, 60_000)
afterAll(() => daemon.remove())
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}, 60_000)

/** A folder with these files. */
function folderOf(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "carrel-place-"))
  folders.push(folder)
  for (const [name, text] of Object.entries(files)) write(folder, name, text)
  return folder
}

function write(folder: string, name: string, text: string): void {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const many = (count: number, prefix = "folder") =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`${prefix} ${i % 50}/${i}.txt`, `text ${i} of ${prefix}`]),
  )

const environment = () => ({ PATH: Bun.env.PATH ?? "", CARREL_TOKEN: token })

/** `carrel sync FOLDER …` as JSON, with its exit status. */
async function sync(folder: string, ...more: string[]) {
  const { code, out, err } = await carrel(["sync", folder, "--url", daemon.url, "--json", ...more], {
    env: environment(),
  })
  return { code, err, ...(out ? JSON.parse(out) : {}) }
}

/** What the library has of a source. */
async function held(name: string): Promise<{ total: number; keys: Set<string> }> {
  const keys = new Set<string>()
  let total = 0
  const { data } = await daemon.call("GET", "/sources?page_size=100")
  const found = data.find((source: { name: string }) => source.name === name)
  if (!found) return { total: 0, keys }
  const filter = encodeURIComponent(JSON.stringify({ type: "eq", key: "file.source_id", value: found.id }))
  for (let page = 1, pages = 1; page <= pages; page++) {
    const answer = await daemon.call("GET", `/libraries?page=${page}&page_size=100&filter=${filter}`)
    for (const file of answer.data) keys.add(file.source.key)
    total = answer.pagination.total_items
    pages = answer.pagination.total_pages
  }
  return { total, keys }
}

/** The command as a process of its own. */
function start(folder: string, ...more: string[]) {
  return Bun.spawn([...COMMAND, "sync", folder, "--url", daemon.url, ...more], {
    env: environment(),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
}

const uploadedSome = (name: string) => until(async () => (await held(name)).total > 0, { everyMs: 50 })

describe("a folder", () => {
  test("is brought whole, then only what changes of it", async () => {
    const files = many(10_000)
    const folder = folderOf(files)
    const name = `${hostname()}:${folder}`
    expect(await sync(folder)).toMatchObject({
      ...{ code: 0, complete: true, entries: 10_000, uploaded: 10_000, unchanged: 0, deleted: 0, failed: [] },
      source: { name },
    })
    expect((await held(name)).total).toBe(10_000)
    expect(await sync(folder)).toMatchObject({ code: 0, uploaded: 0, unchanged: 10_000 })
    for (let i = 0; i < 5; i++) write(folder, `folder ${i}/${i}.txt`, `text ${i} changed`)
    for (let i = 0; i < 3; i++) write(folder, `new/${i}.txt`, `text ${i} new`)
    for (let i = 10; i < 14; i++) rmSync(join(folder, `folder ${i}/${i}.txt`))
    expect(await sync(folder, "--dry-run", "--delete")).toMatchObject({ code: 0, upload: 8, deleted: 4 })
    expect(await sync(folder)).toMatchObject({ code: 0, uploaded: 8, unchanged: 9_991, deleted: 0 })
    expect((await held(name)).total).toBe(10_003)
    expect(await sync(folder, "--delete")).toMatchObject({ code: 0, uploaded: 0, unchanged: 9_999, deleted: 4 })
    const { total, keys } = await held(name)
    expect(total).toBe(9_999)
    expect(keys.size).toBe(9_999)
    expect(keys.has("new/2.txt")).toBe(true)
    expect(keys.has("folder 10/10.txt")).toBe(false)
  }, 240_000)

  test("is complete and without doubles though the command was killed again and again", async () => {
    const folder = folderOf(many(2_000, "killed"))
    for (const wanted of [1, 500, 1_000]) {
      const child = start(folder, "--name", "killed")
      await until(async () => (await held("killed")).total >= wanted || child.exitCode !== null, { everyMs: 10 })
      child.kill("SIGKILL")
      await child.exited
    }
    const rest = await sync(folder, "--name", "killed")
    expect(rest).toMatchObject({ code: 0, complete: true, entries: 2_000 })
    expect(rest.uploaded).toBeLessThan(2_000)
    const { total, keys } = await held("killed")
    expect(total).toBe(2_000)
    expect(keys.size).toBe(2_000)
  }, 120_000)

  test("is complete and without doubles though the daemon was killed amid it and came back", async () => {
    const folder = folderOf(many(3_000, "away"))
    const { port } = new URL(daemon.url)
    const child = start(folder, "--name", "away", "--json")
    const out = new Response(child.stdout).text()
    await uploadedSome("away")
    await daemon.kill()
    await daemon.start("--port", port)
    expect(await child.exited).toBe(0)
    expect(JSON.parse(await out)).toMatchObject({ complete: true, uploaded: 3_000 })
    const { total, keys } = await held("away")
    expect(total).toBe(3_000)
    expect(keys.size).toBe(3_000)
    expect(await sync(folder, "--name", "away")).toMatchObject({ code: 0, uploaded: 0, unchanged: 3_000 })
  }, 120_000)

  test("of which much is gone deletes nothing until it is forced", async () => {
    const folder = folderOf(many(40, "guard"))
    await sync(folder, "--name", "guard")
    for (let i = 0; i < 30; i++) rmSync(join(folder, `guard ${i % 50}/${i}.txt`))
    const refused = await sync(folder, "--name", "guard", "--delete")
    expect(refused.code).toBe(1)
    expect(refused.err).toContain("30 files are gone")
    expect(refused.err).toContain("--force")
    expect((await held("guard")).total).toBe(40)
    expect(await sync(folder, "--name", "guard", "--delete", "--dry-run")).toMatchObject({ guarded: true, deleted: 30 })
    expect(await sync(folder, "--name", "guard", "--delete", "--force")).toMatchObject({ code: 0, deleted: 30 })
    expect((await held("guard")).total).toBe(10)
    // As where a disk is not mounted.
    rmSync(folder, { recursive: true })
    mkdirSync(folder)
    const empty = await sync(folder, "--name", "guard", "--delete")
    expect(empty.code).toBe(1)
    expect(empty.err).toContain("--force takes it for empty")
    expect((await held("guard")).total).toBe(10)
  }, 60_000)

  test("that was made anew brings nothing where its bytes are told", async () => {
    const files = many(30, "anew")
    const folder = folderOf(files)
    expect(await sync(folder, "--name", "anew", "--checksum")).toMatchObject({ code: 0, uploaded: 30 })
    for (const name of Object.keys(files)) rmSync(join(folder, name))
    for (const [name, text] of Object.entries(files)) write(folder, name, text)
    write(folder, "anew 1/1.txt", "other")
    expect(await sync(folder, "--name", "anew", "--checksum")).toMatchObject({ code: 0, uploaded: 1, unchanged: 29 })
    expect(await sync(folder, "--name", "anew", "--checksum")).toMatchObject({ code: 0, uploaded: 0, unchanged: 30 })
  }, 30_000)

  test("goes with what the globs mean, into the context that is named", async () => {
    const folder = folderOf({ "a.txt": "a", "b.md": "b", "drafts/c.txt": "c", "deep/er/d.txt": "d" })
    symlinkSync(tmpdir(), join(folder, "elsewhere"))
    const globs = ["--include", "*.txt", "--include", "*.md", "--exclude", "drafts/"]
    expect(await sync(folder, "--name", "globs", "--context", "ctx", ...globs)).toMatchObject({ code: 0, uploaded: 3 })
    expect([...(await held("globs")).keys].sort()).toEqual(["a.txt", "b.md", "deep/er/d.txt"])
    const { data } = await daemon.call("GET", "/libraries?context_id=ctx")
    expect(data).toHaveLength(3)
    expect(await sync(folder, "--name", "globs", "--context", "other")).toMatchObject({
      code: 2,
      err: expect.stringContaining("into ctx"),
    })
  }, 30_000)
})

describe("--check", () => {
  test("says what cannot be found and why, and brings nothing", async () => {
    const folder = folderOf({ "fine.txt": "fine", "video.mp4": "?", "broken.pdf": "no pdf", "later.txt": "later" })
    expect(await sync(folder, "--name", "check", "--check")).toMatchObject({ code: 3, source: null, entries: 4 })
    expect((await held("check")).total).toBe(0)
    expect(await sync(folder, "--name", "check", "--exclude", "later.txt")).toMatchObject({ code: 3, uploaded: 2 })
    await daemon.settled()
    const checked = await sync(folder, "--name", "check", "--check")
    expect(checked).toMatchObject({ code: 3, complete: false })
    const status = Object.fromEntries(
      checked.missing.map((each: { key: string; status: string }) => [each.key, each.status]),
    )
    expect(status).toEqual({ "video.mp4": "unsupported", "broken.pdf": "failed", "later.txt": "missing" })
    const said = await carrel(["sync", folder, "--url", daemon.url, "--name", "check", "--check"], {
      env: environment(),
    })
    expect(said.code).toBe(3)
    expect(said.out).toContain("1 of 4 files can be found")
    expect(said.out).toMatch(/unsupported +video\.mp4 +files of the type \.mp4 cannot be read/)
    expect(said.out).toMatch(/missing +later\.txt +not uploaded/)
    const rest = ["--exclude", "*.mp4", "--exclude", "*.pdf"]
    await sync(folder, "--name", "check", ...rest)
    await daemon.settled()
    expect(await sync(folder, "--name", "check", "--check", ...rest)).toMatchObject({ code: 0, complete: true })
    // What the place has no more is none of its files.
    rmSync(join(folder, "later.txt"))
    expect(await sync(folder, "--name", "check", "--check", ...rest)).toMatchObject({ code: 0, complete: true })
    expect(await sync(folder, "--name", "check", "--check", "--delete", ...rest)).toMatchObject({ code: 3 })
  }, 60_000)
})

describe("--watch", () => {
  test("brings each change soon, and ends well with Ctrl-C", async () => {
    const folder = folderOf({ "a.txt": "a" })
    const child = start(folder, "--name", "watch", "--watch", "--delete", "--every", "1s")
    const has = (...keys: string[]) =>
      until(async () => {
        const now = (await held("watch")).keys
        return now.size === keys.length && keys.every(key => now.has(key))
      })
    await has("a.txt")
    write(folder, "sub/b.txt", "b")
    await has("a.txt", "sub/b.txt")
    rmSync(join(folder, "a.txt"))
    await has("sub/b.txt")
    child.kill("SIGINT")
    expect(await child.exited).toBe(0)
  }, 60_000)
})

describe("the command", () => {
  test("ends with Ctrl-C amid its work, and the next run goes on", async () => {
    const folder = folderOf(many(3_000, "stopped"))
    const child = start(folder, "--name", "stopped")
    await uploadedSome("stopped")
    child.kill("SIGINT")
    expect(await child.exited).toBe(3)
    expect(await new Response(child.stderr).text()).toContain("the next run goes on")
    expect(await sync(folder, "--name", "stopped")).toMatchObject({ code: 0, complete: true })
    expect((await held("stopped")).total).toBe(3_000)
  }, 60_000)

  test("says what is wrong with how it was called", async () => {
    const folder = folderOf({ "a.txt": "a" })
    const env = environment()
    const url = ["--url", daemon.url]
    const said = (args: string[], more: object = { env }) => carrel(["sync", ...args], more)
    expect(await said(url)).toMatchObject({ code: 2, err: expect.stringContaining("of what?") })
    expect(await said([folder, "b", ...url])).toMatchObject({ code: 2 })
    expect(await said([join(folder, "none"), ...url])).toMatchObject({
      code: 1,
      err: expect.stringContaining("does not"),
    })
    expect(await said([join(folder, "a.txt"), ...url])).toMatchObject({
      code: 2,
      err: expect.stringContaining("folder"),
    })
    expect(await said(["ftp://host/", ...url])).toMatchObject({ code: 2, err: expect.stringContaining("ftp://") })
    expect(await said([folder, "--url", "nowhere"])).toMatchObject({ code: 2 })
    expect(await said([folder, ...url, "--check", "--watch"])).toMatchObject({ code: 2 })
    expect(await said([folder, ...url, "--every", "often"])).toMatchObject({ code: 2 })
    expect(await said([folder, ...url], { env: { PATH: env.PATH } })).toMatchObject({
      code: 2,
      err: expect.stringContaining("CARREL_TOKEN"),
    })
    expect(await said(["s3://KEY@bucket/", ...url])).toMatchObject({ code: 2, err: expect.stringContaining("secret") })
    expect(await said(["s3://bucket/?zone=eu", ...url])).toMatchObject({
      code: 2,
      err: expect.stringContaining("zone"),
    })
    expect(await said(["git+https://host/a.git?tag=1", ...url])).toMatchObject({ code: 2 })
  }, 60_000)

  test("says who cannot be reached, and what a key may not", async () => {
    const folder = folderOf({ "a.txt": "a" })
    const at = (url: string, given = token) => carrel(["sync", folder, "--url", url], { env: { CARREL_TOKEN: given } })
    expect(await at("http://127.0.0.1:9")).toMatchObject({ code: 1, err: expect.stringContaining("cannot be reached") })
    const pages = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("<html>") })
    expect(await at(pages.url.href)).toMatchObject({ code: 1, err: expect.stringContaining("there is no Carrel at") })
    pages.stop(true)
    expect(await at(daemon.url, "a.b.c")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/credentials.*\n.*CARREL_TOKEN.* holds the token of a key/),
    })
    const made = await daemon.run("keys", "create", "--name", "narrow", "--scopes", "files:write,files:read", "--json")
    expect(await at(daemon.url, JSON.parse(made.out).token)).toMatchObject({
      code: 1,
      err: expect.stringContaining("lacks the scope sources"),
    })
  }, 60_000)

  test("takes its token from a file, and shows it nobody", async () => {
    const folder = folderOf({ "a.txt": "a", token })
    const given = join(folder, "token")
    await Bun.$`chmod 600 ${given}`.quiet()
    const args = [folder, "--url", daemon.url, "--name", "token", "--token-file", given, "--exclude", "token"]
    const env = { PATH: Bun.env.PATH ?? "" }
    expect(await carrel(["sync", ...args], { env })).toMatchObject({ code: 0, err: "" })
    await Bun.$`chmod 644 ${given}`.quiet()
    expect(await carrel(["sync", ...args], { env })).toMatchObject({
      code: 2,
      err: expect.stringContaining("chmod 600"),
    })
    const child = start(folder, "--name", "token", "--watch", "--exclude", "token")
    await until(() => readFileSync(`/proc/${child.pid}/cmdline`, "utf8").includes("--watch"))
    expect(readFileSync(`/proc/${child.pid}/cmdline`, "utf8")).not.toContain(token)
    child.kill("SIGKILL")
    await child.exited
  }, 60_000)
})
