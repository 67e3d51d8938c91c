/**
 * How a command ends that could not do its work: one line, what to do about it, an exit status. What is neither the
 * operator's nor the system's fault is ours, and only that shows a stack.
 *
 * 0 done · 1 not done, or problems were found · 2 the command line or a setting is wrong: again would change nothing
 */
import { ConfigError } from "../config-error.ts"
import { AppError, diskTrouble, engineErrorIn, OperatorError } from "../errors.ts"
import { dataDirectoryProblem } from "../storage/access.ts"

/** The command line is wrong. */
export class UsageError extends Error {
  override name = "UsageError"
}

const NOT_DONE = 1
export const WRONG_USAGE = 2

export interface Failure {
  text: string
  hint?: string | undefined
  status: number
}

export function describeFailure(error: unknown): Failure {
  if (!(error instanceof Error)) return { text: String(error), status: NOT_DONE }
  if (error instanceof ConfigError || error instanceof UsageError) return { text: error.message, status: WRONG_USAGE }
  if (error instanceof OperatorError) return { text: error.message, hint: error.hint, status: NOT_DONE }
  if (error instanceof AppError && error.code !== "internal_error")
    return {
      text: error.message,
      hint: error.hint,
      status: error.status < 500 && error.code !== "conflict" ? WRONG_USAGE : NOT_DONE,
    }
  const known = engineFailure(error) ?? systemFailure(error)
  return known
    ? { ...known, status: NOT_DONE }
    : { text: `this is a bug in Carrel: ${error.stack ?? error.message}`, status: NOT_DONE }
}

/** The failure as it is printed. */
export const failureText = ({ text, hint }: Failure): string => `carrel: ${text}\n${hint ? `  → ${hint}\n` : ""}`

/** Characters of what an engine said. */
const SAID = 300

/** What an engine of several machines did not do. */
function engineFailure(error: Error): Omit<Failure, "status"> | undefined {
  const found = engineErrorIn(error)
  return (
    found && {
      text: found.message.slice(0, SAID),
      hint: "see whether it runs and is reached from here; then try again",
    }
  )
}

const CODES: Record<string, string> = {
  EBUSY: "is in use",
  EEXIST: "exists already",
  EINVAL: "cannot be used",
  EISDIR: "is a directory",
  ELOOP: "is a chain of links that leads nowhere",
  ENAMETOOLONG: "is too long a name",
  ENODEV: "cannot be read or written as a file",
  ENOENT: "does not exist",
  ENOTDIR: "leads through something that is not a directory",
  ENOTEMPTY: "is not empty",
  ENXIO: "cannot be read or written as a file",
  ETXTBSY: "is being run",
}

/** What the operating system or SQLite refused; undefined for an error that is neither's. */
function systemFailure(error: Error): Omit<Failure, "status"> | undefined {
  const { code = "", path } = error as NodeJS.ErrnoException
  const text = `${code} ${error.message}`
  if (/not a database|SQLITE_NOTADB|SQLITE_CORRUPT|malformed/i.test(text))
    return {
      text: "the database is damaged",
      hint: "stop the daemon and restore a backup: carrel restore FILE --data NEW_DIRECTORY",
    }
  if (/SQLITE_BUSY|database is locked/i.test(text))
    return { text: "the database is in use and was not released", hint: "try again" }
  if (["EACCES", "EPERM", "EROFS"].includes(code) && path) {
    const { message, hint } = dataDirectoryProblem(path, error)
    return { text: message, hint }
  }
  const trouble = diskTrouble(error)
  const place = path ? ` (${path})` : ""
  if (trouble === "full") return { text: `there is no space left on the disk${place}`, hint: "make room and try again" }
  if (trouble === "failing")
    return {
      text: `the disk cannot be written or read${place}: ${error.message}`,
      hint: "`carrel doctor` says more of the disk of a data directory, dmesg of any",
    }
  if (code === "EMFILE" || code === "ENFILE")
    return { text: "too many files are open", hint: "raise the limit of open files (ulimit -n)" }
  return path && CODES[code] ? { text: `${path} ${CODES[code]}` } : undefined
}
