/** The programs of the machine that installing and starting the engines takes. */
import { statSync } from "node:fs"
import { dirname } from "node:path"

interface Run {
  cwd?: string
  input?: string
  /** Ends it. */
  signal?: AbortSignal
}

/** Runs it to its end. @throws Error with the end of what it said */
export async function runTool(command: string[], { cwd, input = "", signal }: Run = {}): Promise<void> {
  if (!Bun.which(command[0]!)) throw new Error(`${command[0]} is not installed`)
  const child = Bun.spawn(command, { cwd, stdin: Buffer.from(input), stdout: "pipe", stderr: "pipe", signal })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  const code = await child.exited
  if (code !== 0) throw new Error(`${command[0]} ended with code ${code}: ${`${out}${err}`.trim().slice(-2_000)}`)
}

/** Where the machine has a program, or undefined. Debian puts some of them where only root looks. */
export const program = (name: string): string | undefined =>
  Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin` }) ?? undefined

/** What is missing of an engine that is made of these programs, in words for a person. */
export function lacksPrograms(names: readonly string[], how: string): string | undefined {
  const missing = names.filter(name => program(name) === undefined)
  return missing.length === 0 ? undefined : `${missing.join(", ")} is not installed (${how})`
}

/** Databases refuse to run as root: root starts them as `nobody`, everyone else as themselves. */
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0

export const asUser = (command: string[]): string[] =>
  isRoot
    ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--no-new-privs", "--", ...command]
    : command

/** Who must own what an engine writes. */
export const owner = (): { uid: number; gid: number } =>
  isRoot ? { uid: NOBODY, gid: NOBODY } : { uid: process.getuid!(), gid: process.getgid!() }

/** The folder at `path` or above it that the engines' user may not pass, if there is one. */
export function closedFolder(path: string): string | undefined {
  if (!isRoot || path === dirname(path)) return undefined
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? PASSABLE
  return closedFolder(dirname(path)) ?? (mode & PASSABLE ? undefined : path)
}

/** The bit of a folder's mode that lets others through. */
const PASSABLE = 1
