/** The compiled executable, for tests that run the product as users do. */
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Glob } from "bun"
import { until } from "./until.ts"

const PROJECT = resolve(import.meta.dir, "../..")
const EXECUTABLE = join(PROJECT, "dist/carrel")
const LOCK = join(PROJECT, ".build/executable.lock")
/** What a build takes on a slow machine with nothing cached; also the `beforeAll` timeout of those who call this. */
export const BUILD_TIMEOUT_MS = 300_000

/** Path of `dist/carrel`, built first when it is missing or older than its sources. Test files may call it at once. */
export async function executable(): Promise<string> {
  await until(async () => isFresh() || (takeLock() && (await buildAlone())), { within: BUILD_TIMEOUT_MS, everyMs: 200 })
  return EXECUTABLE
}

/** What runs the executable: the one that CARREL_BIN names, else `executable()`. */
export const executableCommand = async (): Promise<string[]> => [Bun.env.CARREL_BIN ?? (await executable())]

/** While holding the lock, which it gives back. */
async function buildAlone(): Promise<void> {
  try {
    if (!isFresh()) await build()
  } finally {
    rmSync(LOCK, { force: true })
  }
}

async function build(): Promise<void> {
  const child = Bun.spawn([process.execPath, "scripts/build.ts"], { cwd: PROJECT, stdout: "pipe", stderr: "pipe" })
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(`the executable could not be built:\n${output}${errors}`)
}

function isFresh(): boolean {
  if (!existsSync(EXECUTABLE) || existsSync(LOCK)) return false
  const built = statSync(EXECUTABLE).mtimeMs
  const sources = ["package.json", "scripts/build.ts"]
  for (const folder of ["src", "models", "scripts/build"])
    sources.push(...[...new Glob("**/*").scanSync({ cwd: join(PROJECT, folder) })].map(file => join(folder, file)))
  return sources.every(file => statSync(join(PROJECT, file)).mtimeMs <= built)
}

/** A lock whose holder is gone counts as free. */
function takeLock(): boolean {
  mkdirSync(join(PROJECT, ".build"), { recursive: true })
  try {
    const file = openSync(LOCK, "wx")
    writeFileSync(file, String(process.pid))
    closeSync(file)
    return true
  } catch {
    const holder = existsSync(LOCK) ? Number(readFileSync(LOCK, "utf8")) : 0
    if (holder > 0 && !existsSync(`/proc/${holder}`)) rmSync(LOCK, { force: true })
    return false
  }
}
