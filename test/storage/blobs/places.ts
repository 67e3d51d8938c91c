/** Object storages that tests open on folders of their own. */
import { afterAll } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { S3Address } from "../../../src/storage/blobs/s3/object-store.ts"
import { openS3 } from "../../../src/storage/blobs/s3.ts"

/** Of an address as it is configured, with its credentials in it. */
export function addressIn(url: string): S3Address & { endpoint: string } {
  const { hostname, pathname, searchParams, username, password } = new URL(url)
  return {
    bucket: hostname,
    prefix: pathname.slice(1),
    region: searchParams.get("region") ?? "us-east-1",
    endpoint: searchParams.get("endpoint")!,
    pathStyle: true,
    credentials: { accessKeyId: decodeURIComponent(username), secretAccessKey: decodeURIComponent(password) },
  }
}

const opened: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of opened) await close()
})

/** With a scratch folder that is removed after the file. */
export async function openPlace(address: S3Address) {
  const dataDirectory = mkdtempSync(join(tmpdir(), "carrel-s3-"))
  const blobs = await openS3(address, { dataDirectory, floorBytes: 0 })
  opened.push(async () => {
    await blobs.close()
    rmSync(dataDirectory, { recursive: true, force: true })
  })
  return blobs
}
