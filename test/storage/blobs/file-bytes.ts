import { statSync } from "node:fs"
import type { StoredBytes } from "../../../src/storage/blobs/blobs.ts"

/** A file as what is stored. */
export const fileBytes = (path: string): StoredBytes => ({
  size: statSync(path).size,
  stream: async () => Bun.file(path).stream(),
  local: async () => ({ path, async [Symbol.asyncDispose]() {} }),
})
