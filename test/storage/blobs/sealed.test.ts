import { afterAll, beforeAll, describe } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DiskBlobs } from "../../../src/storage/blobs/disk.ts"
import type { Database } from "../../../src/storage/database.ts"
import { keyringOf } from "../../../src/storage/encryption/keyring.ts"
import { SealedBlobs } from "../../../src/storage/encryption/sealed-blobs.ts"
import { unlock } from "../../../src/storage/encryption/unlock.ts"
import { openSqlite } from "../../../src/storage/sqlite/open.ts"
import { conformance, OWNER } from "./conformance.ts"

const directory = mkdtempSync(join(tmpdir(), "carrel-sealed-"))
let database: Database
let blobs: SealedBlobs

beforeAll(async () => {
  const keyFile = join(directory, "key")
  writeFileSync(keyFile, "ab".repeat(32), { mode: 0o600 })
  database = await unlock(await openSqlite(directory), keyFile)
  await database
    .insertInto("workspaces")
    .values({ id: OWNER, name: OWNER, created_at: new Date().toISOString() })
    .execute()
  blobs = new SealedBlobs(new DiskBlobs(directory), keyringOf(database))
})
afterAll(async () => {
  await database.destroy()
  rmSync(directory, { recursive: true, force: true })
})

describe("encrypted blobs on disk:", () => conformance(() => blobs))
