/** WebDAV servers and an object storage as people run them, where this machine has them, kept in sync over the API. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DeleteObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3"
import { addressIn } from "../storage/blobs/places.ts"
import { startTestApp, type TestApp } from "../support/app.ts"
import { storage } from "../support/engines.ts"
import { SourceClient } from "../support/sources.ts"
import { CREDENTIALS, WEBDAV_SERVERS, type WebdavServerName, webdavServer } from "../support/webdav-servers.ts"

setDefaultTimeout(60_000)

const url = await storage()
let app: TestApp
let sources: SourceClient
const room = mkdtempSync(join(tmpdir(), "carrel-served-"))

beforeAll(async () => {
  chmodSync(room, 0o755) // Apache reads as another user
  app = await startTestApp({ "fetch-allow": "127.0.0.1" })
  sources = new SourceClient(await app.client())
})
afterAll(async () => {
  await app.stop()
  rmSync(room, { recursive: true, force: true })
})

describe.each(Object.keys(WEBDAV_SERVERS) as WebdavServerName[])("a folder of %s", name => {
  const lacks = WEBDAV_SERVERS[name].lacks()
  if (lacks) console.log(`${name}: skipped, because ${lacks}`)

  test.skipIf(!!lacks)("is followed, and keeps its files while a folder of it cannot be seen", async () => {
    const folder = join(room, name.replaceAll(" ", "-"))
    mkdirSync(join(folder, "Vögel & mehr 100%"), { recursive: true })
    const put = (path: string, text: string, ageS = 3_600) => {
      writeFileSync(join(folder, path), text)
      utimesSync(join(folder, path), Date.now() / 1000 - ageS, Date.now() / 1000 - ageS)
    }
    put("heron.txt", "The heron waits.")
    put("Vögel & mehr 100%/grèbe.md", "The grebe floats.")
    await using server = await webdavServer(name, folder)
    const id = await sources.create({ type: "webdav", config: { url: server.url }, credentials: CREDENTIALS })
    await sources.sync(id)
    expect(await sources.covered(id)).toMatchObject({ total: 2, searchable: 2 })

    put("heron.txt", "The heron flies.", 1_800)
    put("owl.txt", "The owl hoots.")
    rmSync(join(folder, "Vögel & mehr 100%/grèbe.md"))
    put("Vögel & mehr 100%/otter.md", "The otter swims.")
    expect((await sources.sync(id)).last_sync).toMatchObject({ added: 2, updated: 1, deleted: 1, error: null })
    expect(await sources.keys(id)).toEqual(["Vögel & mehr 100%/otter.md", "heron.txt", "owl.txt"])
    expect((await sources.sync(id)).last_sync).toMatchObject({ added: 0, updated: 0, deleted: 0, unchanged: 3 })

    renameSync(folder, `${folder}-away`)
    mkdirSync(folder, { mode: 0o755 }) // as where a disk is not mounted
    expect((await sources.sync(id)).status).toBe("failed")
    rmSync(folder, { recursive: true })
    expect((await sources.sync(id)).status).toBe("failed")
    expect(await sources.keys(id)).toHaveLength(3)
    renameSync(`${folder}-away`, folder)
    expect((await sources.sync(id)).last_sync).toMatchObject({ unchanged: 3, deleted: 0, error: null })
  })
})

test.skipIf(!url)("a bucket of a real object storage is followed", async () => {
  const { bucket, prefix, region, endpoint, credentials } = addressIn(url!)
  if (!("accessKeyId" in credentials)) throw new Error("no credentials")
  const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials })
  const at = (key: string) => ({ Bucket: bucket, Key: `${prefix}/shared/${key}` })
  const put = (key: string, text: string) => client.send(new PutObjectCommand({ ...at(key), Body: text }))
  await put("heron.txt", "The heron waits.")
  await put("Vögel & mehr 100%/grèbe.md", "The grebe floats.")
  const id = await sources.create({
    type: "s3",
    config: { endpoint, bucket, region, prefix: `${prefix}/shared/` },
    credentials: { access_key_id: credentials.accessKeyId, secret_access_key: credentials.secretAccessKey },
  })
  await sources.sync(id)
  expect(await sources.covered(id)).toMatchObject({ total: 2, searchable: 2 })
  await put("heron.txt", "The heron flies.")
  await put("owl.txt", "The owl hoots.")
  await client.send(new DeleteObjectCommand(at("Vögel & mehr 100%/grèbe.md")))
  expect((await sources.sync(id)).last_sync).toMatchObject({ added: 1, updated: 1, deleted: 1, error: null })
  expect(await sources.keys(id)).toEqual(["heron.txt", "owl.txt"])
  expect((await sources.sync(id)).last_sync).toMatchObject({ added: 0, updated: 0, deleted: 0, unchanged: 2 })
  client.destroy()
})
