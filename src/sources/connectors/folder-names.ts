/**
 * Names of files as they are, in whatever encoding, and as keys. A name that is no UTF-8 has its odd bytes as `\xE9` in the
 * key, and so a backslash of a name is `\\` there: every key leads back to one name.
 */
import { lstat, readdir } from "node:fs/promises"

export interface Named {
  /** As it is read: bytes where the name is no UTF-8. */
  raw: string | Buffer
  key: string
  /** As people see it. */
  shown: string
  kind: "file" | "folder" | "link" | "other"
}

const ODD = "\uFFFD"
const SLASH = Buffer.from("/")

interface Kind {
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
}

const kindOf = (kind: Kind): Named["kind"] => {
  if (kind.isSymbolicLink()) return "link"
  if (kind.isDirectory()) return "folder"
  return kind.isFile() ? "file" : "other"
}

/** @throws what the system says, but for a name that vanishes meanwhile */
export async function namesIn(path: string | Buffer): Promise<Named[]> {
  const isPlain = typeof path === "string"
  const found = isPlain ? await readdir(path, { withFileTypes: true }) : []
  if (isPlain && !found.some(({ name }) => name.includes(ODD)))
    return found.map(entry => ({
      raw: entry.name,
      key: entry.name.replaceAll("\\", "\\\\"),
      shown: entry.name,
      kind: kindOf(entry),
    }))
  const names = (await readdir(path, { encoding: "buffer" })) as Buffer[]
  const named = await Promise.all(names.map(raw => odd(path, raw)))
  return named.filter(each => each !== undefined)
}

async function odd(folder: string | Buffer, bytes: Buffer): Promise<Named | undefined> {
  const text = bytes.toString()
  const isText = Buffer.from(text).equals(bytes)
  const raw = isText && typeof folder === "string" ? text : bytes
  const key = isText ? text.replaceAll("\\", "\\\\") : keyOf(bytes)
  const stats = await lstat(bytesOf(folder, { raw })).catch(() => undefined)
  return stats && { raw, key, shown: text, kind: kindOf(stats) }
}

/** What is UTF-8 in it stays. */
function keyOf(bytes: Buffer): string {
  let key = ""
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find(each => {
      const piece = bytes.subarray(at, at + each)
      return piece.length === each && Buffer.from(piece.toString()).equals(piece)
    })
    if (length)
      key += bytes
        .subarray(at, at + length)
        .toString()
        .replaceAll("\\", "\\\\")
    else key += `\\x${bytes[at]!.toString(16).toUpperCase().padStart(2, "0")}`
    at += length ?? 1
  }
  return key
}

/** The path of a name in a folder. */
export function bytesOf(folder: string | Buffer, { raw }: Pick<Named, "raw">): string | Buffer {
  if (typeof folder === "string" && typeof raw === "string") return `${folder}/${raw}`
  return Buffer.concat([Buffer.from(folder), SLASH, Buffer.from(raw)])
}

/** The path of a key; @throws Error for one that no listing has told */
export function pathOf(folder: string, key: string): string | Buffer {
  if (key.split("/").some(part => part === "" || part === "." || part === "..")) throw new Error("the key is no path")
  if (!key.includes("\\")) return `${folder}/${key}`
  const pieces: Buffer[] = [Buffer.from(`${folder}/`)]
  for (const [piece, byte] of key.matchAll(/\\x([0-9A-F]{2})|\\\\|[^\\]+/g))
    pieces.push(byte ? Buffer.from([Number.parseInt(byte, 16)]) : Buffer.from(piece === "\\\\" ? "\\" : piece))
  const bytes = Buffer.concat(pieces)
  return Buffer.from(bytes.toString()).equals(bytes) ? bytes.toString() : bytes
}

/** What the file is called in the library: odd bytes as a replacement sign, and no backslash, which would look like a folder's. */
export const nameFrom = (key: string): string =>
  key
    .slice(key.lastIndexOf("/") + 1)
    .replace(/(?:\\x[0-9A-F]{2})+/g, ODD)
    .replaceAll("\\\\", "_")
