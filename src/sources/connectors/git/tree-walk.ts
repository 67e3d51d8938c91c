/** The files of a commit. */
import { itemsOfTree, type ObjectFormat, treeOfCommit } from "./objects.ts"
import type { Pack } from "./pack.ts"

/** A file of a commit: its path below the folder that is listed, the id of its content, its size where the pack has it. */
export interface TreeFile {
  path: string
  id: string
  size?: number
}

/** Folders that hold each other many times over make a repository of a few bytes endless. */
const MAX_FILES = 1_000_000
const MAX_DEPTH = 200

/** There is no such folder in the commit. */
export class NoFolder extends Error {
  override name = "NoFolder"
}

export interface Walked {
  format: ObjectFormat
  commit: string
  /** Of the commit; the whole with "". */
  folder: string
}

/** @throws NoFolder; Error for a commit that is not whole or has more files than `maxFiles` */
export function* filesOf(pack: Pack, { format, commit, folder }: Walked, maxFiles = MAX_FILES): Generator<TreeFile> {
  const items = (id: string) => [...itemsOfTree(pack.part(id, "tree"), format)]
  let root = treeOfCommit(pack.part(commit, "commit"))
  for (const name of folder.split("/").filter(Boolean)) {
    const found = items(root).find(item => item.kind === "folder" && item.name === name)
    if (!found) throw new NoFolder()
    root = found.id
  }
  const left = [{ id: root, above: "", depth: 0 }]
  let [files, folders] = [0, 0]
  for (let next = left.pop(); next; next = left.pop()) {
    const { id, above, depth } = next
    if (depth > MAX_DEPTH || ++folders > maxFiles) throw new Error("too many folders")
    const names = new Set<string>()
    for (const item of items(id)) {
      // Git makes no such names: they would give two files one path.
      if (item.name === "" || item.name.includes("/") || names.has(item.name)) continue
      names.add(item.name)
      const path = above + item.name
      if (item.kind === "folder") left.push({ id: item.id, above: `${path}/`, depth: depth + 1 })
      if (item.kind !== "file") continue
      if (++files > maxFiles) throw new Error("too many files")
      const size = pack.sizeOf(item.id)
      yield { path, id: item.id, ...(size === undefined ? {} : { size }) }
    }
  }
}
