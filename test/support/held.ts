/** What lies in a directory in clear. */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"

/** Files below a folder that hold the text; what goes while it is looked at holds nothing. */
export function filesHolding(directory: string, text: string): string[] {
  const wanted = Buffer.from(text)
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => contentOf(path).includes(wanted))
    .map(path => relative(directory, path))
}

function contentOf(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0)
    throw error
  }
}
