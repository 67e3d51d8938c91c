/**
 * What the data directory holds is nobody else's: files get 0600 and folders 0700 from the process's umask, and what an
 * earlier version, a copy or an archive brought with looser modes is made so at the start. Others may look into the data
 * directory itself and the operator's own files in it, if the operator wants it so.
 */
import { chmodSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"

export const OWN_UMASK = 0o077

const OWN = /^(?:carrel\.db|keyword\.db|vectors|blobs|texts|tmp|native|packs)/

/** Best effort: a file of another user stays as it is. */
export function closeToOthers(dataDirectory: string): void {
  for (const name of readdirSync(dataDirectory)) {
    if (!OWN.test(name)) continue
    const path = join(dataDirectory, name)
    const found = statSync(path, { throwIfNoEntry: false })
    if (!found || (found.mode & OWN_UMASK) === 0) continue
    try {
      chmodSync(path, found.mode & ~OWN_UMASK & 0o777)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error
    }
  }
}
