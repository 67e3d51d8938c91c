/** Where folders and files of this machine lie: below the roots that the operator named, or not. */
import type { Stats } from "node:fs"
import { type FileHandle, readlink, realpath, stat } from "node:fs/promises"
import { join, sep } from "node:path"
import { AppError } from "../../errors.ts"
import { Outage } from "../connector.ts"

/** Of a path in a message; characters. */
const MAX_SHOWN = 300

export const GONE = new Set(["ENOENT", "ENOTDIR"])

/** Where a path leads to, and the root that it lies below. */
export interface Place {
  real: string
  root: string
}

/** @throws AppError forbidden for what lies below no root; Outage where there is no folder */
export async function realFolder(path: string, roots: readonly string[]): Promise<Place> {
  const lexically = roots.some(root => isBelow(join(path), root))
  const realRoots = await Promise.all(roots.map(root => realpath(root).catch(() => undefined)))
  const real = await realpath(path).catch(() => undefined)
  const root = realRoots.find(each => each !== undefined && real !== undefined && isBelow(real, each))
  if (real !== undefined && root !== undefined) {
    if (!(await stat(real).catch(error => outageOf(error))).isDirectory()) throw new Outage("the path is no folder")
    return { real, root }
  }
  // Whether something is there is told of what lies below a root alone.
  if (real === undefined && lexically) throw new Outage("the folder is not there")
  throw new AppError("forbidden", {
    message: "the folder lies below no folder that sources may be in",
    hint: "--source-root names folders that sources may be in",
  })
}

export const isBelow = (path: string, root: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)

/** @param prefix of what lies in the folder; empty for that of the source */
export const outageOf = (cause: unknown, prefix = ""): never => {
  const which = prefix === "" ? "the folder" : `the folder ${prefix.slice(0, MAX_SHOWN)}`
  throw new Outage(`${which} cannot be read (${codeOf(cause)})`, { cause })
}
export const codeOf = (error: unknown): string => (error as { code?: string }).code ?? ""

/** What is open, under a name that leads to just that, whatever becomes of the path that it was opened by. */
export const nameOf = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`

/** Whether what is open lies below a folder, as the system says: a path that is asked again may lead elsewhere by then. */
export async function liesBelow(handle: FileHandle, root: string): Promise<boolean> {
  const real = await readlink(nameOf(handle), { encoding: "buffer" }).catch(() => undefined)
  return real !== undefined && isBelow(real.toString("latin1"), Buffer.from(root).toString("latin1"))
}

export const fingerprintOf = ({ size, mtimeMs, ctimeMs }: Stats): string => `${size}-${mtimeMs}-${ctimeMs}`
