/** Looks into every file of a data directory, as who finds a disk does. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export const filesBelow = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))

/** Files of the directory that hold the bytes, or have them in their path. */
export function holding(directory: string, bytes: string | Uint8Array): string[] {
  return filesBelow(directory).filter(path => {
    try {
      return (typeof bytes === "string" && path.includes(bytes)) || readFileSync(path).includes(bytes)
    } catch {
      return false // gone since it was listed
    }
  })
}
