/** A start that fails, at whatever step, leaves nothing behind: the same process can start again at once. */

import { Database as Sqlite } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs"
import net from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Opened, STEPS, startApp } from "../../src/app.ts"
import { readConfig } from "../../src/config.ts"
import { setLogLevel } from "../../src/log.ts"
import { metricsText } from "../../src/metrics.ts"
import { isHeld } from "../../src/storage/sqlite/lock.ts"
import { rejection } from "../support/rejection.ts"
import { until } from "../support/until.ts"

setLogLevel("error")

const data = mkdtempSync(join(tmpdir(), "carrel-start-"))
const { fetch: ownFetch } = globalThis
const ownConnect = net.Socket.prototype.connect
let port = 0

const start = (opened: (step: Opened) => void = () => {}, flags: string[] = []) => {
  const always = ["--data", data, "--port", String(port), "--offline", "true", "--ollama-host", "http://127.0.0.1:9"]
  always.push("--embedding-tier", flags.includes("--embedding-model") ? "auto" : "fast")
  return startApp(readConfig([...always, ...flags], {}).config, { opened })
}

/** Open files of this process below the data directory. */
const openFiles = (): string[] =>
  readdirSync("/proc/self/fd").flatMap(fd => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`)
      return target.startsWith(data) ? [target.slice(data.length)] : []
    } catch {
      return [] // that of the listing itself
    }
  })

/** What goes on beside the event loop. */
const threads = (): string[] =>
  readdirSync("/proc/self/task").flatMap(task => {
    try {
      return readFileSync(`/proc/self/task/${task}/comm`, "utf8").startsWith("Worker") ? [task] : []
    } catch {
      return [] // it has ended
    }
  })

const children = (): string[] =>
  readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").split(" ").filter(Boolean)

async function expectNothingLeft(): Promise<void> {
  expect(globalThis.fetch).toBe(ownFetch)
  expect(net.Socket.prototype.connect).toBe(ownConnect)
  expect(isHeld(data)).toBe(false)
  expect(children()).toEqual([])
  expect(await metricsText()).not.toContain("carrel_files")
  // A thread ends, and closes its files, a moment after it was told to.
  await until(() => openFiles().length + threads().length === 0)
}

beforeAll(async () => {
  const probe = net.createServer().listen(0, "127.0.0.1")
  await new Promise(resolve => probe.once("listening", resolve))
  port = (probe.address() as net.AddressInfo).port
  await new Promise(resolve => probe.close(resolve))
  await (await start()).stop() // with a library that is there already
})
afterAll(() => rmSync(data, { recursive: true, force: true }))

describe("a start that fails after a step leaves nothing behind", () => {
  for (const failing of STEPS)
    test(failing, async () => {
      const error = new Error(`failed after ${failing}`)
      const failed = start(step => {
        if (step === failing) throw error
      })
      expect(await rejection(failed)).toBe(error)
      await expectNothingLeft()
      const app = await start()
      expect((await ownFetch(`${app.url}/healthz`)).status).toBe(200)
      await app.stop()
      await expectNothingLeft()
    })
})

describe("a start that fails within a step leaves nothing behind", () => {
  const failsWith = async (message: string, flags: string[] = []) => {
    expect((await rejection(start(undefined, flags))).message).toContain(message)
    await expectNothingLeft()
  }

  test("storage: written by a newer version", async () => {
    const change = (statement: string) => {
      using sqlite = new Sqlite(join(data, "carrel.db"))
      sqlite.run(statement)
    }
    change("insert into migrations (name, applied_at) values ('9999-later', '')")
    await failsWith("newer version")
    change("delete from migrations where name = '9999-later'")
  })

  test("models: an embedding model that is not there", () =>
    failsWith("there is no embedding model", ["--embedding-model", "absent"]))

  test("search: a keyword index that cannot be opened", async () => {
    const path = join(data, "keyword.db")
    rmSync(path)
    mkdirSync(path)
    await failsWith("")
    rmSync(path, { recursive: true })
  })

  test("server: a port that is taken", async () => {
    const other = net.createServer().listen(port, "127.0.0.1")
    await new Promise(resolve => other.once("listening", resolve))
    const failed = await rejection(start())
    expect(failed).toMatchObject({ code: "EADDRINUSE" })
    await expectNothingLeft()
    await new Promise(resolve => other.close(resolve))
    await (await start()).stop()
  })
})

test("a second stop does nothing, and all parts end though one fails to", async () => {
  const app = await start()
  await app.stop()
  await app.stop()
  await expectNothingLeft()
})
