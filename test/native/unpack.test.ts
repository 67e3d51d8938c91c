import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { createHash } from "node:crypto"
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { EmbeddedGroup } from "../../src/native/embedded.ts"
import { unpack } from "../../src/native/unpack.ts"

let root: string
let directory: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "carrel-unpack-"))
  directory = join(root, "native")
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function group(contents: Record<string, string>): EmbeddedGroup {
  const files = Object.entries(contents).map(([path, text]) => {
    const bytes = new TextEncoder().encode(text)
    const sha256 = createHash("sha256").update(bytes).digest("hex")
    // Two parts, as large files have them.
    const packed = [bytes.slice(0, 3), bytes.slice(3)].map((part, index) => {
      const file = join(root, `${sha256}.${index}.zst`)
      writeFileSync(file, Bun.zstdCompressSync(part))
      return file
    })
    return { path, sizeBytes: bytes.length, sha256, packed }
  })
  return { hash: createHash("sha256").update(JSON.stringify(contents)).digest("hex").slice(0, 16), files }
}

const LIBRARY = { "binding.node": "the binding", "deep/er/library.so": "the library" }

describe("unpack", () => {
  test("writes every file of the group, readable by the own user only", () => {
    const folder = unpack("library", group(LIBRARY), directory)
    expect(dirname(folder)).toBe(directory)
    for (const [path, text] of Object.entries(LIBRARY)) expect(readFileSync(join(folder, path), "utf8")).toBe(text)
    expect(statSync(join(folder, "binding.node")).mode & 0o777).toBe(0o500)
    expect(readdirSync(directory)).toHaveLength(1)
  })

  test("does nothing the second time", () => {
    const folder = unpack("library", group(LIBRARY), directory)
    const { ino } = statSync(folder)
    expect(unpack("library", group(LIBRARY), directory)).toBe(folder)
    expect(statSync(folder).ino).toBe(ino)
  })

  test("replaces a folder in which a file is missing or cut", () => {
    const wanted = group(LIBRARY)
    const folder = unpack("library", wanted, directory)
    rmSync(join(folder, "binding.node"))
    unpack("library", wanted, directory)
    expect(readFileSync(join(folder, "binding.node"), "utf8")).toBe("the binding")
    truncateSync(join(folder, "deep/er/library.so"), 3)
    unpack("library", wanted, directory)
    expect(readFileSync(join(folder, "deep/er/library.so"), "utf8")).toBe("the library")
    expect(readdirSync(directory)).toHaveLength(1)
  })

  test("replaces a file that was changed and has its size still", () => {
    const wanted = group(LIBRARY)
    const folder = unpack("library", wanted, directory)
    const path = join(folder, "binding.node")
    chmodSync(path, 0o700)
    writeFileSync(path, "the bindinG")
    expect(unpack("library", wanted, directory)).toBe(folder)
    expect(readFileSync(path, "utf8")).toBe("the binding")
    expect(readdirSync(directory)).toHaveLength(1)
  })

  test("refuses bytes that do not have the checksum, and leaves nothing behind", () => {
    const damaged = group(LIBRARY)
    damaged.files[1]!.sha256 = "0".repeat(64)
    expect(() => unpack("library", damaged, directory)).toThrow(
      "the executable is damaged: its copy of deep/er/library.so",
    )
    expect(readdirSync(directory)).toEqual([])
  })

  test("removes other versions of the group, not other groups nor what an unpacking neighbor writes", () => {
    const old = unpack("library", group({ "binding.node": "old" }), directory)
    const other = unpack("library-tools", group({ tool: "x" }), directory)
    const partial = mkdtempSync(join(directory, "library-0123456789abcdef.partial-"))
    const current = unpack("library", group(LIBRARY), directory)
    expect(existsSync(old)).toBe(false)
    for (const kept of [other, partial, current]) expect(existsSync(kept)).toBe(true)
  })

  test("gives several processes that start at once one complete folder", async () => {
    const wanted = group({ "large.so": "x".repeat(20_000_000), "small.so": "y" })
    const script = join(root, "start.ts")
    const module = JSON.stringify(join(import.meta.dir, "../../src/native/unpack.ts"))
    writeFileSync(
      script,
      `import { unpack } from ${module}
console.log(unpack("library", ${JSON.stringify(wanted)}, ${JSON.stringify(directory)}))`,
    )
    const starts = Array.from({ length: 4 }, () => Bun.spawn([process.execPath, script], { stdout: "pipe" }))
    const folders = await Promise.all(starts.map(child => new Response(child.stdout).text()))
    expect(new Set(folders).size).toBe(1)
    expect(readdirSync(directory)).toEqual([`library-${wanted.hash}`])
    expect(statSync(join(folders[0]!.trim(), "large.so")).size).toBe(20_000_000)
  })
})
