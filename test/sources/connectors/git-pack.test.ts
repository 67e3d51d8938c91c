/** Packs that no program of Git would make. */
import { afterEach, describe, expect, test } from "bun:test"
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { deflateSync } from "node:zlib"
import { applyDelta } from "../../../src/sources/connectors/git/objects.ts"
import { Pack } from "../../../src/sources/connectors/git/pack.ts"
import { packetsOf } from "../../../src/sources/connectors/git/packet-lines.ts"
import { filesOf } from "../../../src/sources/connectors/git/tree-walk.ts"
import { rejection } from "../../support/rejection.ts"

const KINDS = { commit: 1, tree: 2, blob: 3, byId: 7 } as const
type Kind = keyof typeof KINDS
interface Packed {
  kind: Kind
  content: Buffer
  /** What its header claims. */
  size?: number
  base?: string
}

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

const idOf = (kind: Kind, content: Buffer) =>
  createHash("sha1").update(`${kind} ${content.length}\0`).update(content).digest("hex")

function header(kind: Kind, size: number): Buffer {
  const bytes = [(KINDS[kind] << 4) | (size % 16)]
  for (let left = Math.floor(size / 16); left > 0; left = Math.floor(left / 128)) {
    bytes[bytes.length - 1]! |= 128
    bytes.push(left % 128)
  }
  return Buffer.from(bytes)
}

async function packOf(objects: Packed[], count = objects.length): Promise<Pack> {
  const folder = mkdtempSync(join(tmpdir(), "carrel-pack-"))
  folders.push(folder)
  const path = join(folder, "a.pack")
  const start = Buffer.from("PACK\0\0\0\x02\0\0\0\0", "latin1")
  start.writeUInt32BE(count, 8)
  const parts = objects.flatMap(({ kind, content, size = content.length, base }) => [
    header(kind, size),
    Buffer.from(base ?? "", "hex"),
    deflateSync(content),
  ])
  writeFileSync(path, Buffer.concat([start, ...parts, Buffer.alloc(20)]))
  const pack = new Pack(path, "sha1")
  for await (const _ of pack.index());
  return pack
}

const treeItem = (mode: string, name: string, id: string) =>
  Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")])

/** A commit and its folders, the last of them on top. */
function commitOf(trees: Buffer[]): { objects: Packed[]; commit: string } {
  const content = Buffer.from(`tree ${idOf("tree", trees.at(-1)!)}\nauthor A\n\nwords`)
  const objects = [
    ...trees.map(each => ({ kind: "tree" as const, content: each })),
    { kind: "commit" as const, content },
  ]
  return { objects, commit: idOf("commit", content) }
}

describe("packs of a hostile server", () => {
  test.each([
    ["an object that inflates to more than it says", [{ kind: "blob", content: Buffer.alloc(50_000), size: 10 }]],
    ["an object that inflates to less than it says", [{ kind: "blob", content: Buffer.alloc(10), size: 50_000 }]],
    ["a large object that inflates to more than it says", [{ kind: "blob", content: Buffer.alloc(9e6), size: 5e6 }]],
    ["an object that says it is endless", [{ kind: "blob", content: Buffer.alloc(10), size: 2 ** 52 }]],
    [
      "a difference from an object that is not there",
      [{ kind: "byId", content: Buffer.from([1, 1, 1, 65]), base: "ab".repeat(20) }],
    ],
  ] as [string, Packed[]][])("%s is refused", async (_, objects) => {
    expect(await rejection(packOf(objects))).toBeInstanceOf(Error)
  })

  test("a pack that ends before its last object is refused", async () => {
    const object: Packed = { kind: "blob", content: Buffer.from("one") }
    expect(await rejection(packOf([object], 2))).toBeInstanceOf(Error)
    expect(await rejection(packOf([object], 2 ** 31))).toBeInstanceOf(Error)
  })

  test("a difference whose base is named before that is known is put together", async () => {
    const base = Buffer.from("the base of it")
    const delta = Buffer.from([base.length, 4, 0x90, 4]) // the first four bytes
    const pack = await packOf([
      { kind: "byId", content: delta, base: idOf("blob", base) },
      { kind: "blob", content: base },
    ])
    expect(pack.find(idOf("blob", Buffer.from("the ")))).toEqual({ bytes: new Uint8Array(Buffer.from("the ")) })
  })

  test.each([
    ["reads behind its base", [4, 4, 0x91, 2, 4]],
    ["writes more than it says", [4, 2, 0x90, 4]],
    ["is of another base", [9, 4, 0x90, 4]],
    ["makes less than it says", [4, 200, 0x90, 4]],
    ["ends within a command", [4, 4, 9, 1]],
    ["has a reserved command", [4, 4, 0]],
  ])("a difference that %s is refused", (_, delta) => {
    expect(() => applyDelta(Buffer.from("base"), Uint8Array.from(delta))).toThrow()
  })

  test("folders that hold each other many times over end", async () => {
    let tree = treeItem("100644", "a", "ab".repeat(20))
    const trees = [tree]
    for (let depth = 0; depth < 12; depth++) {
      const id = idOf("tree", tree)
      tree = Buffer.concat(Array.from({ length: 20 }, (_, at) => treeItem("40000", `f${at}`, id)))
      trees.push(tree)
    }
    const { objects, commit } = commitOf(trees)
    const pack = await packOf(objects)
    let files = 0
    expect(() => {
      for (const _ of filesOf(pack, { format: "sha1", commit, folder: "" }, 10_000)) files++
    }).toThrow("too many")
    expect(files).toBeLessThanOrEqual(10_000)
  })

  test("names that would give two files one path are left out", async () => {
    const blob = "cd".repeat(20)
    const tree = Buffer.concat(["a.md", "a.md", "x/y.md", "b.md"].map(name => treeItem("100644", name, blob)))
    const { objects, commit } = commitOf([tree])
    const paths = [...filesOf(await packOf(objects), { format: "sha1", commit, folder: "" })].map(({ path }) => path)
    expect(paths).toEqual(["a.md", "b.md"])
  })

  test.each(["zzzz", "0003", "0010ab", "00"])("frames that are none are refused: %s", async text => {
    const read = async () => {
      for await (const _ of packetsOf(new Blob([text]).stream()));
    }
    expect(await rejection(read())).toBeInstanceOf(Error)
  })
})
