/** Sources on other machines, kept in sync by the executable itself: what their clients need is inside of it. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { BUILD_TIMEOUT_MS, executable } from "../support/executable.ts"
import { StandIn } from "../support/object-storage.ts"
import { rejection } from "../support/rejection.ts"
import { until } from "../support/until.ts"
import { WebdavStandIn } from "../support/webdav-stand-in.ts"

let path: string
let daemon: Daemon | undefined

beforeAll(async () => {
  path = await executable()
}, BUILD_TIMEOUT_MS)
afterAll(() => daemon?.remove())

test("under --offline, WebDAV and S3 are read where --fetch-allow lists them, and nowhere else", async () => {
  await using dav = new WebdavStandIn()
  await using bucket = await StandIn.start()
  await using unlisted = await StandIn.start()
  dav.files.set("birds/grébe 100%.txt", "The grebe builds a nest that floats.")
  bucket.objects.set("shared/heron.txt", { bytes: Buffer.from("The heron waits."), etag: '"1"', at: new Date() })
  const listed = [dav.url, bucket.endpoint].map(url => new URL(url).host).join(",")
  const env = { PATH: "/usr/bin:/bin", AWS_ACCESS_KEY_ID: "ENVIRONMENT", AWS_SECRET_ACCESS_KEY: "x" }
  daemon = await startDaemon(["--offline", "--fetch-allow", listed], { command: [path], env })
  const { call } = daemon
  const s3 = (endpoint: string) => ({ endpoint, bucket: "files", prefix: "shared/" })
  const sources = [
    { type: "webdav", name: "dav", config: { url: dav.url }, credentials: dav.credentials },
    {
      type: "s3",
      name: "bucket",
      config: s3(bucket.endpoint),
      credentials: { access_key_id: "a", secret_access_key: "b" },
    },
  ]
  for (const source of sources) {
    const { id } = await call("POST", "/sources", source)
    await call("POST", `/sources/${id}/sync`, {})
    const coverage = await until(async () => {
      const found = await call("GET", `/sources/${id}/coverage`)
      return found.total === 1 && found.pending === 0 && found
    })
    expect(coverage).toMatchObject({ searchable: 1, failed: 0 })
  }
  const { hits } = await call("POST", "/search", { query: "nest that floats" })
  expect(hits[0].file.name).toBe("grébe 100%.txt")
  const refused = call("POST", "/sources", { type: "s3", name: "x", config: s3(unlisted.endpoint) })
  expect((await rejection(refused)).message).toContain("answered 403")
  expect(unlisted.asked).toEqual([])
}, 120_000)
