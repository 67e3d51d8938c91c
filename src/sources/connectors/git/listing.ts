/**
 * The files of the commit that was listed last, in a file of the source's folder: as long as the branch stays where it is,
 * nothing is asked of the server but where that is.
 */
import { createReadStream } from "node:fs"
import { open, rename, rm } from "node:fs/promises"
import { createInterface } from "node:readline"
import { Outage } from "../../connector.ts"
import type { TreeFile } from "./tree-walk.ts"

/** What the listing is of: the commit, the repository, the folder. */
export type ListingOf = readonly string[]

const LINES_AT_ONCE = 1_000

/** Passes the files on, and keeps them once the last one has come. */
export async function* kept(path: string, of: ListingOf, files: AsyncIterable<TreeFile>): AsyncGenerator<TreeFile> {
  const unfinished = `${path}.new`
  const file = await open(unfinished, "w", 0o600)
  try {
    let lines = [JSON.stringify(of)]
    let count = 0
    for await (const each of files) {
      yield each
      count++
      lines.push(JSON.stringify([each.path, each.id, each.size]))
      if (lines.length < LINES_AT_ONCE) continue
      await file.writeFile(`${lines.join("\n")}\n`)
      lines = []
    }
    await file.writeFile(`${[...lines, String(count)].join("\n")}\n`)
    await file.sync()
    await rename(unfinished, path)
  } finally {
    await file.close()
    await rm(unfinished, { force: true })
  }
}

/** Undefined where the listing is of something else, or absent. */
export async function found(path: string, of: ListingOf): Promise<AsyncIterable<TreeFile> | undefined> {
  const input = createReadStream(path)
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]()
  const first = await lines.next().catch(() => undefined)
  if (first?.done === false && first.value === JSON.stringify(of)) return filesOf(path, lines)
  input.destroy()
  return undefined
}

/** @throws Outage at the end of a listing that is not whole: files that it lacks are not gone */
async function* filesOf(path: string, lines: AsyncIterator<string>): AsyncGenerator<TreeFile> {
  try {
    let count = 0
    for (let next = await lines.next(); !next.done; next = await lines.next()) {
      const line = JSON.parse(next.value) as [string, string, number | null] | number
      if (line === count) return
      const [name, id, size] = line as [string, string, number | null]
      yield { path: name, id, ...(typeof size === "number" ? { size } : {}) }
      count++
    }
    throw new Error("it ends too soon")
  } catch (cause) {
    await rm(path, { force: true })
    throw new Outage("the files that were known could not be read; they will be listed anew", { cause })
  } finally {
    await lines.return?.()
  }
}
