/** Why a path that the operator named cannot be used, with what to do about it. */
import { accessSync, constants, existsSync, readFileSync, rmdirSync, rmSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { OperatorError } from "../errors.ts"

/** A data directory that cannot be used: another user's, read-only, or no directory. */
export class DataDirectoryError extends OperatorError {}

/** What the system said of `path`, for people; `error` carries the system's code. */
export function dataDirectoryProblem(path: string, cause: unknown): DataDirectoryError {
  const { code = String(cause) } = cause as { code?: string }
  if (code === "EACCES" || code === "EPERM") {
    const owner = ownerOf(path)
    return new DataDirectoryError(`this user has no permission for ${path} (${code})`, {
      hint: owner
        ? `it belongs to ${owner}: run the command as that user`
        : "run the command as the user of the daemon",
      cause,
    })
  }
  if (code === "ENOTDIR" || code === "EEXIST")
    return new DataDirectoryError(`${innermostThere(path)} is not a directory`, {
      hint: "name another with --data",
      cause,
    })
  if (code === "EROFS")
    return new DataDirectoryError(`${path} is on a disk that is read-only (${code})`, {
      hint: "mount it writable; see the system's log (dmesg) if it turned read-only by itself",
      cause,
    })
  return new DataDirectoryError(`${path} cannot be used (${code})`, { cause })
}

/**
 * Whether the path exists.
 * @throws DataDirectoryError where this user may not know
 */
export function exists(path: string): boolean {
  try {
    statSync(path)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "ENOENT") return false
    throw dataDirectoryProblem(path, error)
  }
}

/** @throws DataDirectoryError for a path that this user may not both read and write */
export function needAccess(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
  } catch (error) {
    throw dataDirectoryProblem(path, error)
  }
}

/** The outermost folder of the path that is not there; undefined where the path is. */
export function outermostMissing(path: string): string | undefined {
  if (existsSync(path)) return undefined
  return outermostMissing(dirname(path)) ?? path
}

/** Removes a folder, and those above it that are empty then, up to `outermost`. */
export function removeUpTo(path: string, outermost: string): void {
  if (existsSync(path)) rmSync(path, { recursive: true, force: true })
  for (let at = path; at !== outermost && at.startsWith(outermost); ) {
    at = dirname(at)
    try {
      rmdirSync(at)
    } catch {
      return // somebody else uses it
    }
  }
}

/** The path, or the innermost above it that is there and can be looked at. */
function innermostThere(path: string): string {
  try {
    statSync(path)
    return path
  } catch {
    return dirname(path) === path ? path : innermostThere(dirname(path))
  }
}

/** The user that owns the path, or what is there of it. */
function ownerOf(path: string): string | undefined {
  try {
    const { uid } = statSync(innermostThere(path))
    const users = readFileSync("/etc/passwd", "utf8").split("\n")
    return users.find(entry => entry.split(":")[2] === String(uid))?.split(":")[0] ?? `user ${uid}`
  } catch {
    return undefined
  }
}
