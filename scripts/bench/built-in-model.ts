/** The embedding model that ships with the product, for measurements that start no daemon. */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Embedder } from "../../src/backends/backend.ts"
import { openEmbedder } from "../../src/backends/embedder.ts"

export const openBuiltInModel = (): Promise<Embedder> =>
  openEmbedder({
    name: "",
    directories: [join(import.meta.dir, "../../models")],
    nativeDirectory: mkdtempSync(join(tmpdir(), "bench-native-")),
  })
