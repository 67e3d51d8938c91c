/**
 * Other people's clients, which the tests in `test/clients` use: installed once, into an ignored folder beside them, under
 * the versions of `package.json` and `requirements.txt` there. Without a registry those tests skip.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

const CLIENTS = resolve(import.meta.dir, "../../test/clients")
/** The slowest takes a minute; a registry that lets one wait is none. */
const LIMIT_MS = 300_000

interface Installation {
  name: string
  /** What it is made of; another text means that it is made anew. */
  pins: string
  /** Commands, run one after the other in the folder. */
  commands(folder: string): string[][]
}

const NPM = [
  "--ignore-scripts",
  "--no-audit",
  "--no-fund",
  "--no-package-lock",
  "--loglevel=error",
  "--fetch-retries=1",
]

const INSTALLATIONS: Installation[] = [
  {
    name: "npm",
    pins: "package.json",
    commands: () => [Bun.which("npm") ? ["npm", "install", ...NPM] : [process.execPath, "install", "--no-save"]],
  },
  {
    name: "python",
    pins: "requirements.txt",
    commands: folder => [
      ["python3", "-m", "venv", folder],
      [join(folder, "bin/python"), "-m", "pip", "install", "--quiet", "--retries=1", "-r", "requirements.txt"],
    ],
  },
]

/** Installs what the named test files need and is not there. */
export async function ensureClients(files: string[]): Promise<void> {
  if (!files.some(file => file.startsWith("test/clients/"))) return
  await Promise.all(INSTALLATIONS.map(ensure))
}

async function ensure({ name, pins, commands }: Installation): Promise<void> {
  const folder = join(CLIENTS, ".cache", name)
  const wanted = readFileSync(join(CLIENTS, pins), "utf8")
  const stamp = join(folder, "installed")
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return
  console.error(`Installing other people's clients for the tests (${name}) …`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, pins), wanted)
  for (const argv of commands(folder))
    if (!(await succeeds(argv, folder))) {
      console.error(`They could not be installed (${argv.slice(0, 3).join(" ")}); tests that need them are skipped.`)
      return
    }
  writeFileSync(stamp, wanted)
}

async function succeeds(argv: string[], cwd: string): Promise<boolean> {
  if (!Bun.which(argv[0]!)) return false
  const child = Bun.spawn(argv, { cwd, stdio: ["ignore", "ignore", "inherit"], timeout: LIMIT_MS })
  return (await child.exited) === 0
}
