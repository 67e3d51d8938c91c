/** Other people's clients as `npm test` has installed them; a test that needs one that is not there skips, and says so. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

const CACHE = join(import.meta.dir, ".cache")

function folderOf(name: string, pins: string): string | undefined {
  const stamp = join(CACHE, name, "installed")
  const wanted = readFileSync(join(import.meta.dir, pins), "utf8")
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return join(CACHE, name)
  console.warn(
    `tests with ${name} clients are skipped: they are not installed (npm test -- test/clients does, from a registry)`,
  )
  return undefined
}

/** Folder with the packages of npm in its node_modules; undefined where they are missing. */
export const npmClients = folderOf("npm", "package.json")

const pythonFolder = folderOf("python", "requirements.txt")

/** A Python with the packages of `requirements.txt`; undefined where they are missing. */
export const python = pythonFolder && join(pythonFolder, "bin/python")

/** Loads a package of npm: `await npmPackage("openai")`. Their types are not there when the tests are checked. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export async function npmPackage(name: string): Promise<any> {
  return await import(Bun.resolveSync(name, npmClients!))
}

/**
 * Runs a script beside this file with that Python.
 * @returns what it printed last, a line of JSON
 * @throws Error with what it wrote to its error output
 */
// biome-ignore lint/suspicious/noExplicitAny: scripts print what they like
export async function runPython(script: string, settings: Record<string, string>): Promise<any> {
  const child = Bun.spawn([python!, join(import.meta.dir, script)], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, ...settings },
  })
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(`${script}: ${errors}`)
  return JSON.parse(output.trim().split("\n").at(-1)!)
}
