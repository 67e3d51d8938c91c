/** The engines that do not come with the product, in a `node_modules` of this folder that git does not know. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setLibraryVariables } from "../../../src/native/environment.ts"

const FOLDER = import.meta.dir

/**
 * Before anything loads LanceDB: installs the pinned versions that are missing. Without npm or a network their engines
 * fail to open, and are reported as not measured.
 */
export function preparePeers(): void {
  // LanceDB's hybrid query warns twice each time of columns that it adds by itself.
  setLibraryVariables({ LANCEDB_LOG: "error" })
  const { dependencies } = readJson(join(FOLDER, "package.json")) as { dependencies: Record<string, string> }
  const missing = Object.keys(dependencies).filter(
    name => readJson(join(FOLDER, "node_modules", name, "package.json"))?.version !== dependencies[name],
  )
  if (missing.length === 0) return
  console.error(`Installing ${missing.join(", ")} …`)
  const installer = Bun.which("npm") ?? process.execPath
  Bun.spawnSync([installer, "install", "--no-save"], { cwd: FOLDER, stdio: ["ignore", 2, 2] })
}

/** A module of those packages. Callers say what they use of it, so that types hold when nothing is installed. */
export async function load<T>(name: string): Promise<T> {
  return (await import(name)) as T
}

function readJson(file: string): Record<string, unknown> | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined
}
