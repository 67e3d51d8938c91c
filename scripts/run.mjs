/**
 * What `npm start`, `npm test` and `npm run` check, build, package:deb, packs, carrel, cluster, real-models, test:real, release, sdk:generate and sdk:conformance call, under Node or Bun, before anything is
 * installed: installs what is missing, then hands over to the project's own Bun. Plain JavaScript, because Node 20 must read it.
 */
import { spawn, spawnSync } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const PROJECT = dirname(dirname(fileURLToPath(import.meta.url)))
const MODULES = join(PROJECT, "node_modules")
const BUN = join(MODULES, "bun/bin/bun.exe")
/** Without its install script the package holds a placeholder of a few lines instead of the runtime. */
const PLACEHOLDER_BYTES = 1_000_000

const COMMANDS = {
  start: ["src/main.ts", "serve"],
  carrel: ["src/main.ts"],
  test: ["scripts/test.ts"],
  check: ["scripts/check.ts"],
  build: ["scripts/build.ts"],
  "package:deb": ["scripts/package-deb.ts"],
  packs: ["scripts/packs.ts"],
  cluster: ["scripts/cluster.ts"],
  "real-models": ["scripts/real-models.ts"],
  "test:real": ["scripts/test-real.ts"],
  release: ["scripts/release.ts"],
  "sdk:generate": ["scripts/sdk/generate.ts"],
  "sdk:conformance": ["scripts/sdk/conformance.ts"],
}

const [name, ...args] = process.argv.slice(2)
if (!(name in COMMANDS)) fail(`usage: run.mjs ${Object.keys(COMMANDS).join("|")}`)
installDependencies()
runBun([...COMMANDS[name], ...args])

function installDependencies() {
  const missing = missingPackages()
  if (missing.length > 0) {
    console.error(`Installing ${missing.length > 3 ? `${missing.length} packages` : missing.join(", ")} …`)
    const [command, ...install] = installer()
    const { status } = spawnSync(command, install, { cwd: PROJECT, stdio: ["ignore", 2, 2] })
    if (status !== 0) fail(`${command} could not install the packages; see above`)
  }
  if ((statSync(BUN, { throwIfNoEntry: false })?.size ?? 0) < PLACEHOLDER_BYTES) {
    const script = join(MODULES, "bun/install.js")
    const { status } = spawnSync(process.execPath, [script], { cwd: dirname(script), stdio: ["ignore", 2, 2] })
    if (status !== 0) fail("the bun package could not be set up; see above")
  }
}

/** Packages whose installed version is not the pinned one; those inside the project (`file:`) have no pin. */
function missingPackages() {
  const { dependencies, devDependencies } = readJson(join(PROJECT, "package.json"))
  return Object.entries({ ...dependencies, ...devDependencies })
    .filter(([name, pinned]) => {
      const installed = readJson(join(MODULES, name, "package.json"))?.version
      return pinned.startsWith("file:") ? installed === undefined : installed !== pinned
    })
    .map(([name]) => name)
}

function readJson(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined
}

function installer() {
  if (spawnSync("npm", ["--version"], { stdio: "ignore" }).status === 0) {
    // Not `npm ci`: it refuses a lock file made where the optional packages of other platforms could not be had.
    return ["npm", "install", "--no-save", "--loglevel=error"]
  }
  if (process.versions.bun) return [process.execPath, "install", "--no-save", "--silent"]
  return fail("neither npm nor bun is installed")
}

/** Signals reach all processes from a terminal; from a supervisor only the first, and `bun run` does not pass them on. */
function runBun(argv) {
  const child = spawn(BUN, argv, { cwd: PROJECT, stdio: "inherit" })
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && child.kill("SIGTERM"), 1_000).unref()
  child.on("error", error => fail(error.message))
  child.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}

function fail(message) {
  console.error(`carrel: ${message}`)
  process.exit(1)
}
