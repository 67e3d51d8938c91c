/** What makes a daemon a node of a new cluster on the engines of the test file. */
import { afterAll } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openSearch, postgres, storage } from "./engines.ts"
import { freePort } from "./live-node.ts"

/**
 * Settings by flag name, each call those of another node of the same cluster; undefined where the machine cannot run the
 * engines. To be awaited at the top of the file.
 */
export async function nodeSettings(): Promise<(() => Record<string, string>) | undefined> {
  const [database, blobs, search] = [await postgres(), await storage(), await openSearch()]
  if (!database || !blobs || !search) return undefined
  const folder = mkdtempSync(join(tmpdir(), "carrel-nodes-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const secret = join(folder, "secret")
  writeFileSync(secret, "0123456789abcdef".repeat(4), { mode: 0o600 })
  const searchUrl = new URL(search.url)
  searchUrl.searchParams.set("prefix", search.prefix)
  searchUrl.searchParams.set("ca_file", search.caFile)
  return () => {
    const port = freePort()
    return {
      "database-url": database,
      "blob-url": blobs,
      "search-url": searchUrl.href,
      "cluster-secret-file": secret,
      "node-url": `http://127.0.0.1:${port}`,
      port: String(port),
    }
  }
}

/** As `startDaemon` takes them: passwords stand in no list of processes. */
export const inEnvironment = (settings: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`CARREL_${name.toUpperCase().replaceAll("-", "_")}`, value]),
  )
