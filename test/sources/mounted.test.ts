/** A folder on a file system of another machine: it does not tell of changes, and it may be gone at any time. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test"
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { watchFolder } from "../../src/sources/connectors/folder-watch.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(60_000)

const base = realpathSync(mkdtempSync(join(tmpdir(), "carrel-mounted-")))
/** What the other machine has, and where it shows here. */
const there = join(base, "there")
const here = join(base, "root", "share")
let mount: Bun.Subprocess | undefined

const lacking = await lacksMounts()
if (lacking) console.log(`mounted folders: not tried, because ${lacking}`)

async function lacksMounts(): Promise<string | undefined> {
  for (const tool of ["rclone", "fusermount3"]) if (!Bun.which(tool)) return `${tool} is not installed`
  for (const folder of [there, here]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(there, "probe.txt"), "probe")
  try {
    await mounted()
    return undefined
  } catch {
    return "the system mounts nothing for programs"
  } finally {
    await unmounted()
    rmSync(join(there, "probe.txt"))
  }
}

async function mounted(): Promise<void> {
  const flags = ["--dir-cache-time", "0s", "--attr-timeout", "0s", "--config", "/dev/null", "--allow-other"]
  mount = Bun.spawn(["rclone", "mount", there, here, ...flags], { stdio: ["ignore", "ignore", "ignore"] })
  await until(() => readdirSync(here).length > 0, { within: 10_000 })
}

/** The server is gone, and the folder answers with errors. */
async function vanished(): Promise<void> {
  mount?.kill("SIGKILL")
  await mount?.exited
}

async function unmounted(): Promise<void> {
  Bun.spawnSync(["fusermount3", "-u", "-z", here])
  await vanished()
}

describe.skipIf(lacking !== undefined)("a mounted folder", () => {
  let app: TestApp
  let client: Client
  beforeAll(async () => {
    app = await startTestApp({ "source-root": join(base, "root") })
    client = await app.client()
  }, 60_000)
  beforeEach(async () => {
    for (let i = 0; i < 30; i++) writeFileSync(join(there, `${i}.txt`), `The heron of ${i} waits.`)
    await mounted()
  })
  afterEach(() => unmounted())
  afterAll(async () => {
    await app?.stop()
    rmSync(base, { recursive: true, force: true })
  })

  test("that vanishes, is not mounted and comes back loses no file", async () => {
    const source = { type: "folder", name: "share", config: { path: here } }
    const { id } = (await client.post("/sources", source)).body
    const sync = async () => {
      await client.post(`/sources/${id}/sync`, {})
      return until(async () => {
        const { body } = await client.get(`/sources/${id}`)
        return body.status !== "syncing" && body.last_sync
      })
    }
    const files = async () => (await client.get("/libraries?page_size=1")).body.pagination.total_items
    expect(await sync()).toMatchObject({ added: 30, error: null })
    await vanished()
    expect(await sync()).toMatchObject({ deleted: 0, error: { code: "source_unavailable" } })
    await unmounted()
    expect(readdirSync(here)).toEqual([])
    expect(await sync()).toMatchObject({ deleted: 0, error: { code: "source_unavailable" } })
    expect(await files()).toBe(30)
    rmSync(join(there, "7.txt"))
    await mounted()
    expect(await sync()).toMatchObject({ unchanged: 29, deleted: 1, error: null })
    expect(await files()).toBe(29)
  })

  test("is looked at again and again, for nobody tells of its changes, and is an outage when it has gone", async () => {
    let told = 0
    const pace = { lookEveryMs: 50, pollMs: 100 }
    const watching = watchFolder(
      async () => here,
      () => told++,
      new AbortController().signal,
      pace,
    )
    const failure = watching.then(
      () => "ended",
      error => error.message as string,
    )
    await until(() => told > 3)
    await unmounted()
    expect(await failure).toBe("the folder was replaced")
  })
})
