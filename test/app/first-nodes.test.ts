/** Nodes that begin a cluster at the same moment. */
import { afterAll, expect, spyOn, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openEngineStores } from "../../src/app/engines.ts"
import { OperatorError } from "../../src/errors.ts"
import { setLogLevel } from "../../src/log.ts"
import { S3Blobs } from "../../src/storage/blobs/s3.ts"
import { addressOf } from "../search/opensearch/store.ts"
import { addressIn } from "../storage/blobs/places.ts"
import { emptySchema, openSearch, postgres, storage } from "../support/engines.ts"

setLogLevel("error")
const [database, blobs, search] = [await postgres(), await storage(), await openSearch()]
const canRun = database !== undefined && blobs !== undefined && search !== undefined
const folder = mkdtempSync(join(tmpdir(), "first-nodes-"))
const stack = new AsyncDisposableStack()
afterAll(async () => {
  await stack.disposeAsync()
  rmSync(folder, { recursive: true, force: true })
})

const secret = "s".repeat(64)

/** How two of them end that differ in the names of their places. */
async function both(
  of: "blobs" | "search" | "neither",
  order = (open: (nth: number) => Promise<unknown>) => [open(1), open(2)],
): Promise<PromiseSettledResult<unknown>[]> {
  const url = await emptySchema(database!)
  const run = crypto.randomUUID().slice(0, 8)
  const open = (nth: number) => {
    const at = (engine: typeof of) => `${run}${engine === of ? nth : ""}`
    const place = addressIn(blobs!)
    const engines = {
      database: url,
      blobs: { ...place, prefix: `${place.prefix}/${at("blobs")}` },
      search: { ...addressOf(search!), prefix: `${search!.prefix}${at("search")}` },
    }
    const scratch = { dataDirectory: mkdtempSync(join(folder, "node-")), floorBytes: 0 }
    return openEngineStores({ engines, secret, scratch, isPatient: true, makerMs: 5_000 }, stack)
  }
  return Promise.allSettled(order(open))
}

test.skipIf(!canRun).each(["blobs", "search"] as const)(
  "of two with other places for %s one makes the cluster, and the other is refused",
  async of => {
    const [one, other] = (await both(of)).sort((a, b) => a.status.localeCompare(b.status))
    expect([one!.status, other!.status]).toEqual(["fulfilled", "rejected"])
    expect((other as PromiseRejectedResult).reason).toBeInstanceOf(OperatorError)
  },
  120_000,
)

test.skipIf(!canRun)(
  "two with the same places make one cluster",
  async () => expect((await both("neither")).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]),
  120_000,
)

test.skipIf(!canRun).each(["neither", "blobs"] as const)(
  "a node that looks at the places when another has just made the cluster joins it, or is refused where they differ for %s",
  async of => {
    const looks = Promise.withResolvers<void>()
    const made = Promise.withResolvers<void>()
    const check = S3Blobs.prototype.check
    const held = spyOn(S3Blobs.prototype, "check").mockImplementationOnce(async function (this: S3Blobs, signal) {
      looks.resolve()
      await made.promise
      return check.call(this, signal)
    })
    const [late, first] = await both(of, open => {
      const late = open(1)
      const first = looks.promise.then(() => open(2))
      first.finally(made.resolve).catch(() => {})
      return [late, first]
    })
    held.mockRestore()
    expect([first!.status, late!.status]).toEqual(["fulfilled", of === "neither" ? "fulfilled" : "rejected"])
  },
  120_000,
)
