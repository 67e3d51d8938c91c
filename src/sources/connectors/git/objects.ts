/** What Git stores, taken apart: commits, folders, and what was packed as a difference from another object. */
import { createHash } from "node:crypto"

export type ObjectFormat = "sha1" | "sha256"
export type ObjectType = "commit" | "tree" | "blob" | "tag"

export const ID_BYTES: Record<ObjectFormat, number> = { sha1: 20, sha256: 32 }

export interface TreeItem {
  kind: "file" | "folder" | "other"
  name: string
  id: string
}

/** The id that Git gives an object. */
export const objectHash = (format: ObjectFormat, type: ObjectType, size: number) =>
  createHash(format).update(`${type} ${size}\0`)

/** @throws Error for what is no commit */
export function treeOfCommit(commit: Uint8Array): string {
  const [, id] = /^tree ([0-9a-f]{40,64})\n/.exec(Buffer.from(commit.subarray(0, 80)).toString("latin1")) ?? []
  if (id === undefined) throw new Error("not a commit")
  return id
}

/** @throws Error for what is no tree */
export function* itemsOfTree(tree: Uint8Array, format: ObjectFormat): Generator<TreeItem> {
  const bytes = Buffer.from(tree.buffer, tree.byteOffset, tree.byteLength)
  const idBytes = ID_BYTES[format]
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at)
    const nul = bytes.indexOf(0, at)
    if (space < at || nul < space || nul + idBytes >= bytes.length + 1) throw new Error("not a tree")
    const mode = bytes.toString("latin1", at, space)
    const id = bytes.toString("hex", nul + 1, nul + 1 + idBytes)
    if (id.length !== idBytes * 2) throw new Error("not a tree")
    yield { kind: kindOf(mode), name: nameOf(bytes.subarray(space + 1, nul)), id }
    at = nul + 1 + idBytes
  }
}

/** Links lead elsewhere and submodules are repositories of their own: neither has content here. */
function kindOf(mode: string): TreeItem["kind"] {
  if (/^0?40000$/.test(mode)) return "folder"
  return /^100[0-7]{3}$/.test(mode) ? "file" : "other"
}

/** Names are bytes: those that are no UTF-8 have their other bytes written as `%E9`. */
function nameOf(bytes: Buffer): string {
  const text = bytes.toString("utf8")
  if (Buffer.from(text).equals(bytes)) return text
  return bytes.toString("latin1").replace(/[\x80-\xff]/g, each => `%${each.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Sizes of the object that a difference starts from and of the one that it makes. */
export function deltaSizes(delta: Uint8Array): { base: number; result: number; start: number } {
  const [base, next] = sizeAt(delta, 0)
  const [result, start] = sizeAt(delta, next)
  return { base, result, start }
}

function sizeAt(bytes: Uint8Array, from: number): [size: number, next: number] {
  let size = 0
  for (let at = from, factor = 1; at < bytes.length; at++, factor *= 128) {
    size += (bytes[at]! & 127) * factor
    if (bytes[at]! < 128) return [size, at + 1]
  }
  throw new Error("not a difference")
}

/** Pieces of the base, and bytes of its own. @throws Error for a difference of something else */
export function applyDelta(base: Uint8Array, delta: Uint8Array): Uint8Array<ArrayBuffer> {
  const sizes = deltaSizes(delta)
  if (sizes.base !== base.length) throw new Error("a difference from something else")
  const result = new Uint8Array(sizes.result)
  let written = 0
  for (let at = sizes.start; at < delta.length; ) {
    const command = delta[at++]!
    if (command === 0) throw new Error("not a difference")
    if (command < 128) {
      if (at + command > delta.length) throw new Error("not a difference")
      result.set(delta.subarray(at, at + command), written)
      written += command
      at += command
      continue
    }
    let [offset, length] = [0, 0]
    for (let byte = 0; byte < 4; byte++) if (command & (1 << byte)) offset += delta[at++]! * 256 ** byte
    for (let byte = 0; byte < 3; byte++) if (command & (16 << byte)) length += delta[at++]! * 256 ** byte
    length ||= 0x10000
    if (!(offset + length <= base.length)) throw new Error("not a difference")
    result.set(base.subarray(offset, offset + length), written)
    written += length
  }
  if (written !== result.length) throw new Error("not a difference")
  return result
}
