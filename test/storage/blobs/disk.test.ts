import { afterAll, describe } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DiskBlobs } from "../../../src/storage/blobs/disk.ts"
import { conformance } from "./conformance.ts"

const directory = mkdtempSync(join(tmpdir(), "carrel-blobs-"))
const blobs = new DiskBlobs(directory)
afterAll(() => rmSync(directory, { recursive: true, force: true }))

describe("blobs on disk:", () => conformance(() => blobs))
