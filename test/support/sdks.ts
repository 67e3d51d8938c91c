/** What runs the SDKs in tests: the built one of TypeScript, a Python that has httpx, undici. */
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

const ROOT = resolve(import.meta.dir, "../..")
const BUILT = join(ROOT, ".build")
/** Python of another version: `CARREL_TEST_PYTHON=python3.9`. */
const PYTHON = Bun.env.CARREL_TEST_PYTHON ?? "python3"
/** The newest that Node 20 takes. */
const UNDICI = "undici@7.30.2"

/** Go, as new as the SDK's go.mod asks; undefined where there is none, or an older one. */
export function goOfSdk(): string | undefined {
  const go = Bun.which("go")
  const asked = /^go (\S+)/m.exec(readFileSync(join(ROOT, "sdk/go/go.mod"), "utf8"))![1]!
  const env = { ...process.env, GOTOOLCHAIN: "local" }
  const { stdout } = go ? Bun.spawnSync([go, "env", "GOVERSION"], { env }) : { stdout: "" }
  const has = /^go(\d+(?:\.\d+)*)/.exec(stdout.toString())?.[1]
  if (go && has && Bun.semver.order(whole(has), whole(asked)) >= 0) return go
  return undefined
}

const whole = (version: string): string => [...version.split("."), "0", "0"].slice(0, 3).join(".")

/** A Python 3.9 or newer that has httpx, in an environment of its own; undefined where there is none to be had. */
export function pythonWithHttpx(): string | undefined {
  const folder = join(BUILT, `sdk-${PYTHON.replaceAll("/", "-")}`)
  const own = join(folder, "bin/python")
  const works = () => existsSync(own) && Bun.spawnSync([own, "-c", "import httpx"]).exitCode === 0
  if (works()) return own
  const system = Bun.which(PYTHON)
  if (!system) return undefined
  Bun.spawnSync([system, "-m", "venv", folder])
  Bun.spawnSync([own, "-m", "pip", "install", "--quiet", "httpx>=0.26,<1"])
  return works() ? own : undefined
}

/** Makes `@carrel/sdk` importable in the folder, as it is published. */
export function installTypescript(folder: string): void {
  const sdk = join(ROOT, "sdk/typescript")
  const built = join(folder, "node_modules/@carrel/sdk")
  mkdirSync(built, { recursive: true })
  writeFileSync(join(built, "package.json"), readFileSync(join(sdk, "package.json")))
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc")
  const { exitCode, stdout } = Bun.spawnSync([
    ...[process.execPath, tsc, "--project", join(sdk, "tsconfig.build.json"), "--outDir", join(built, "dist")],
  ])
  if (exitCode !== 0) throw new Error(stdout.toString())
  symlinkSync(join(ROOT, "node_modules/@types"), join(folder, "node_modules/@types"))
}

/** The package that Node needs for a proxy. @returns whether it is there: without a registry it is not */
export function installUndici(folder: string): boolean {
  const kept = join(BUILT, "sdk-undici")
  const installed = join(kept, "node_modules/undici")
  if (!existsSync(installed)) {
    mkdirSync(kept, { recursive: true })
    writeFileSync(join(kept, "package.json"), "{}")
    Bun.spawnSync(["npm", "install", "--no-audit", "--no-fund", "--fetch-retries=1", "--loglevel=error", UNDICI], {
      cwd: kept,
    })
  }
  if (!existsSync(installed)) return false
  cpSync(installed, join(folder, "node_modules/undici"), { recursive: true })
  return true
}
