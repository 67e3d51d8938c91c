/** Loads the native libraries that the executable carries. From source the packages load their own. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import { isMainThread } from "node:worker_threads"
import { OperatorError } from "../errors.ts"
import { type EmbeddedGroup, type GroupName, groups } from "./embedded.ts"
import { returnFreedMemory, setLibraryVariables } from "./environment.ts"
import { selfCommand } from "./self.ts"
import { isIntact, unpack, unpackedFolder } from "./unpack.ts"

let directory: string | undefined
/** Groups whose files this thread has found intact. */
const checked = new Set<GroupName>()

/**
 * Says where native libraries, built-in models and the libraries' own temporary files live: `<data>/native`.
 * The main thread and each worker call it once, before they import a package with a native library. It also turns off
 * the telemetry of onnxruntime, which would write into the home directory, whether or not anything is embedded.
 */
export function useNativeDirectory(path: string): void {
  directory = path
  const temporary = join(path, "tmp", String(process.pid))
  mkdirSync(temporary, { recursive: true, mode: 0o700 })
  if (isMainThread) {
    removeLeftovers(join(path, "tmp"))
    removeAtExit(temporary)
    returnFreedMemory()
  }
  setLibraryVariables({
    ORT_DISABLE_TELEMETRY: "1",
    // LanceDB warns on standard error about each table that it creates as asked.
    LANCEDB_LOG: "error",
    // It reads up to 2 GB ahead of whoever asks it for rows.
    LANCE_DEFAULT_IO_BUFFER_SIZE: String(32 * 2 ** 20),
    TMPDIR: temporary,
  })
}

/** The exports of a native library. The build makes the packages' own loaders call this. */
export function loadNative(group: GroupName, file: string): unknown {
  const path = join(unpackedGroup(group), file)
  const module: { exports: unknown } = { exports: {} }
  try {
    process.dlopen(module, path)
  } catch (cause) {
    throw new OperatorError(`${path} cannot be loaded: ${(cause as Error).message}`, {
      hint: "the data directory must not be mounted noexec, and the system needs glibc 2.28 and libstdc++ 6",
      cause,
    })
  }
  return module.exports
}

/** The folder of a group of embedded files, unpacked. */
export function unpackedGroup(name: GroupName): string {
  const group = groupNamed(name)
  if (!directory) throw new Error(`useNativeDirectory must be called before ${name} is loaded`)
  const folder = unpackedFolder(name, group, directory)
  if (!checked.has(name) && !isIntact(folder, group)) unpackInChild(name, directory)
  checked.add(name)
  return folder
}

/**
 * Unpacks and checks a group before something needs it at once, without holding up this thread: half a second at the first
 * use in a data directory, 0.2 s later. Does nothing from source, or when it is done already.
 * @param on told the bytes that are done, as they are
 */
export async function unpackAhead(name: GroupName, on: (bytes: number) => void = () => {}): Promise<void> {
  if (!groups[name] || !directory || checked.has(name)) return
  const child = Bun.spawn(unpackCommand(name, directory), { stdin: "ignore", stdout: "pipe", stderr: "ignore" })
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream()))
    for (const line of chunk.split("\n")) if (/^\d+$/.test(line)) on(Number(line))
  if ((await child.exited) === 0) checked.add(name) // what failed is reported by whoever needs it
}

/** Unpacks all that is not there yet; what is there is checked when it is needed. `on` is told bytes. */
export async function unpackAll(on: (done: number, total: number) => void): Promise<void> {
  const names = (Object.keys(groups) as GroupName[]).filter(isPacked)
  const sizes = names.map(name => groupNamed(name).files.reduce((sum, file) => sum + file.sizeBytes, 0))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const done = new Map<GroupName, number>()
  if (names.length > 0) on(0, total)
  await Promise.all(
    names.map(name =>
      unpackAhead(name, bytes => {
        done.set(name, bytes)
        on(
          [...done.values()].reduce((sum, each) => sum + each, 0),
          total,
        )
      }),
    ),
  )
}

const isPacked = (name: GroupName): boolean =>
  directory !== undefined && !existsSync(unpackedFolder(name, groupNamed(name), directory))

/** What the hidden command `carrel unpack GROUP DIRECTORY` does: writes how many bytes are done, one number a line. */
export function unpackGroup(name: string, into: string): void {
  unpack(name, groupNamed(name as GroupName), into, bytes => writeSync(1, `${bytes}\n`))
}

/** The packed bytes of 70 MB that it reads would stay in the daemon's memory for as long as it runs. */
function unpackInChild(name: GroupName, into: string): void {
  const { exitCode, stderr } = Bun.spawnSync(unpackCommand(name, into), { stdin: "ignore" })
  if (exitCode !== 0)
    throw new OperatorError(`${name} could not be unpacked into ${into}: ${reasonIn(stderr.toString())}`)
}

/** Without what the command line puts around it. */
const reasonIn = (said: string): string =>
  said
    .trim()
    .replace(/^carrel: /, "")
    .split("\n")[0]!

const unpackCommand = (name: GroupName, into: string): string[] => [...selfCommand(), "unpack", name, into]

function groupNamed(name: GroupName): EmbeddedGroup {
  const group = groups[name]
  if (!group) throw new Error(`this executable was built without ${name}`)
  return group
}

/** LanceDB leaves an empty folder per process in its temporary directory. */
function removeLeftovers(temporary: string): void {
  for (const pid of readdirSync(temporary))
    if (Number(pid) !== process.pid && !isRunning(Number(pid))) removeIfPossible(join(temporary, pid))
}

const removedAtExit = new Set<string>()

/** One listener, however often a process starts the daemon. */
function removeAtExit(folder: string): void {
  if (removedAtExit.size === 0)
    process.once("exit", () => {
      for (const each of removedAtExit) removeIfPossible(each)
    })
  removedAtExit.add(folder)
}

/** Another user may own it, or the disk be read-only: a folder that stays is in nobody's way. */
function removeIfPossible(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {}
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}
