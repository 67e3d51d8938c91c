/** A real storage whose keys may do less than is needed: a node does not start with one, and says which right it lacks. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { lacks, missingPackages, start, stop } from "../../../scripts/cluster/index.ts"
import { seaweedfs } from "../../../scripts/cluster/seaweedfs.ts"
import { StateFile } from "../../../scripts/cluster/state.ts"
import { ObjectStore } from "../../../src/storage/blobs/s3/object-store.ts"
import { content, piecesOf } from "./conformance.ts"
import { addressIn, openPlace } from "./places.ts"

const START_TIMEOUT_MS = 120_000

const rights: Record<string, string[]> = {
  enough: ["Read:carrel", "List:carrel", "Write:carrel"],
  reader: ["Read:carrel", "List:carrel"],
  writer: ["Write:carrel", "List:carrel"],
  blind: ["Read:carrel", "Write:carrel"],
  elsewhere: ["Read:other", "List:other", "Write:other"],
}
const engine = seaweedfs(
  Object.entries(rights).map(([name, actions]) => ({
    name,
    credentials: [{ accessKey: `${name}-key`, secretKey: `${name}-secret` }],
    actions,
  })),
)
const reasons = [...lacks([engine]), ...missingPackages([engine]).map(({ package: name }) => `${name} is not fetched`)]
if (reasons.length > 0) console.log(`rights in a storage: not tested, because ${reasons.join("; ")}`)

describe.skipIf(reasons.length > 0)("a key", () => {
  const folder = mkdtempSync(join(tmpdir(), "carrel-rights-"))
  const file = new StateFile(join(folder, "up.json"))
  let url: string
  beforeAll(async () => {
    url = (await start(file, { nodes: 1, engines: { storage: engine } })).blob_url
  }, START_TIMEOUT_MS)
  afterAll(async () => {
    await stop(file)
    rmSync(folder, { recursive: true, force: true })
  }, START_TIMEOUT_MS)

  const placeOf = (name: string) => {
    const credentials = { accessKeyId: `${name}-key`, secretAccessKey: `${name}-secret` }
    return openPlace({ ...addressIn(url), prefix: name, credentials })
  }

  test("that may read, list and write in the bucket is enough", async () => {
    const place = await placeOf("enough")
    await place.prove("clus_1")
    await place.write("file_1", piecesOf(content(20_000_000)), 1e9)
    expect((await place.findOriginal("file_1"))?.size).toBe(20_000_000)
    await place.remove("file_1")
    expect(await place.findOriginal("file_1")).toBeUndefined()
    expect(await place.removeUnfinished(Number.POSITIVE_INFINITY)).toBe(0)
  })

  test.each([
    ["reader", "delete (s3:DeleteObject)"],
    ["writer", "read (s3:GetObject)"],
    ["blind", "list (s3:ListBucket)"],
    ["elsewhere", "list (s3:ListBucket)"],
  ])("of a %s is refused, for it may not %s, and nothing is left behind", async (name, right) => {
    await expect((await placeOf(name)).prove("clus_1")).rejects.toMatchObject({
      name: "OperatorError",
      message: `the blob storage: it does not let these credentials ${right} in the bucket carrel`,
    })
    const store = await ObjectStore.open(addressIn(url))
    expect((await Array.fromAsync(store.list(`${name}/`))).flat()).toEqual([])
    expect((await Array.fromAsync(store.unfinished(`${name}/`))).flat()).toEqual([])
  })
})
