/** What every place for originals and texts keeps to, in sizes of real life. */
import { expect, test } from "bun:test"
import { createHash } from "node:crypto"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { Blobs, StoredBytes } from "../../../src/storage/blobs/blobs.ts"
import { parseTextName } from "../../../src/storage/blobs/blobs.ts"

const MiB = 2 ** 20
const PIECE = 64 * 1024
const SIZES = [1, 5_000, 8 * MiB - 1, 8 * MiB, 8 * MiB + 1, 17 * MiB + 3, 200_000_000]
const TIMEOUT_MS = 120_000

export const OWNER = "ws_conformance"

let count = 0
/** As files are named: spread by their last characters. */
const newName = () => `file_${(++count).toString(36).padStart(10, "0")}${count % 7}x`

/** The same bytes every time, none like those around it. */
export function content(size: number): Buffer {
  const words = Uint32Array.from({ length: Math.ceil(size / 4) }, (_, at) => Math.imul(at, 2_654_435_761))
  return Buffer.from(words.buffer, 0, size)
}

export async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE)
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

export async function bytesOf(stored: StoredBytes, range?: { start: number; end: number }): Promise<Buffer> {
  return Buffer.from(await new Response(await stored.stream(range)).arrayBuffer())
}

const names = async (blobs: Blobs, kind: "blobs" | "texts"): Promise<string[]> =>
  (await Array.fromAsync(blobs.list(kind))).flat().map(({ name }) => name)

/** That nothing of an upload is left anywhere. */
export async function expectNothingOf(blobs: Blobs, name: string): Promise<void> {
  expect(await blobs.findOriginal(name)).toBeUndefined()
  expect(await names(blobs, "blobs")).not.toContain(name)
  expect(await blobs.removeUnfinished(Number.POSITIVE_INFINITY)).toBe(0)
  expect(readdirSync(blobs.temporaryDirectory)).toEqual([])
}

/** @param blobs opened before the first test */
export function conformance(blobs: () => Blobs): void {
  for (const size of SIZES)
    test(
      `${size} bytes come back as they were stored`,
      async () => {
        const bytes = content(size)
        const name = newName()
        const stored = await blobs().of(OWNER).write(name, piecesOf(bytes), 1e9)
        expect(stored).toEqual({ blob: name, size, sha256: sha256(bytes) })
        await blobs().keepNames([name])
        const found = (await blobs().findOriginal(name))!
        expect(found.size).toBe(size)
        expect(sha256(await bytesOf(found))).toBe(stored.sha256)
        await using local = await found.local()
        expect(sha256(await Bun.file(local.path).bytes())).toBe(stored.sha256)
        await blobs().remove(name)
      },
      TIMEOUT_MS,
    )

  test("an empty file is refused and leaves nothing", async () => {
    const name = newName()
    expect(
      blobs()
        .of(OWNER)
        .write(name, piecesOf(Buffer.alloc(0)), 10),
    ).rejects.toMatchObject({ code: "empty_file" })
    await expectNothingOf(blobs(), name)
  })

  for (const limit of [10, 20 * MiB])
    test(`a file of more than ${limit} bytes is refused at its limit and leaves nothing`, async () => {
      const name = newName()
      let taken = 0
      async function* source() {
        for (; ; taken += PIECE) yield Buffer.alloc(PIECE, "x")
      }
      await expect(blobs().of(OWNER).write(name, source(), limit)).rejects.toMatchObject({ code: "file_too_large" })
      expect(taken).toBeLessThanOrEqual(limit + PIECE)
      await expectNothingOf(blobs(), name)
    })

  test("as many bytes as are allowed are stored", async () => {
    const name = newName()
    expect(
      (
        await blobs()
          .of(OWNER)
          .write(name, piecesOf(content(9 * MiB)), 9 * MiB)
      ).size,
    ).toBe(9 * MiB)
    await blobs().remove(name)
  })

  for (const after of [0, 100_000, 20 * MiB])
    test(`an upload that is cut after ${after} bytes fails with the cut and leaves nothing`, async () => {
      const name = newName()
      async function* source() {
        yield* piecesOf(content(after))
        throw new Error("the client went away")
      }
      await expect(blobs().of(OWNER).write(name, source(), 1e9)).rejects.toThrow("the client went away")
      await expectNothingOf(blobs(), name)
    })

  test("an upload whose source never goes on ends with the signal and leaves nothing", async () => {
    const name = newName()
    const stop = new AbortController()
    async function* source() {
      yield* piecesOf(content(20 * MiB))
      stop.abort(new Error("given up"))
      await new Promise(() => {})
    }
    await expect(blobs().of(OWNER).write(name, source(), 1e9, stop.signal)).rejects.toThrow("given up")
    await expectNothingOf(blobs(), name)
  })

  test(
    "twenty uploads at once are stored whole",
    async () => {
      const bytes = content(9 * MiB)
      const written = await Promise.all(
        Array.from({ length: 20 }, () => blobs().of(OWNER).write(newName(), piecesOf(bytes), 1e9)),
      )
      expect(new Set(written.map(({ sha256 }) => sha256))).toEqual(new Set([sha256(bytes)]))
      for (const { blob } of written) {
        expect((await blobs().findOriginal(blob))?.size).toBe(bytes.length)
        await blobs().remove(blob)
      }
    },
    TIMEOUT_MS,
  )

  test("ranges are what a slice gives, also those that reach beyond the end", async () => {
    const bytes = content(13 * MiB + 7)
    const name = newName()
    await blobs().of(OWNER).write(name, piecesOf(bytes), 1e9)
    const found = (await blobs().findOriginal(name))!
    const end = bytes.length
    const ranges = [
      [0, 1],
      [0, end],
      [end - 1, end],
      [4 * MiB - 1, 4 * MiB + 1],
      [3 * MiB, 11 * MiB + 5],
      [end - 5, end + 100],
      [end, end + 1],
      [end + 50, end + 60],
      [7, 7],
    ] as const
    for (const [start, stop] of ranges)
      if (!(await bytesOf(found, { start, end: stop })).equals(bytes.subarray(start, stop)))
        throw new Error(`${start} to ${stop} differs`)
    await blobs().remove(name)
  })

  test("a stream may be given up after its beginning, and one that is aborted says so", async () => {
    const bytes = content(30 * MiB)
    const name = newName()
    await blobs().of(OWNER).write(name, piecesOf(bytes), 1e9)
    const found = (await blobs().findOriginal(name))!
    for (let i = 0; i < 10; i++)
      for await (const chunk of await found.stream()) {
        expect(bytes.subarray(0, chunk.length).equals(chunk)).toBe(true)
        break
      }
    const stop = new AbortController()
    stop.abort(new Error("gone"))
    expect(found.local(stop.signal).then(local => local[Symbol.asyncDispose]())).rejects.toThrow("gone")
    await blobs().remove(name)
  })

  test(
    "forty readers at once get the same, and no copy stays",
    async () => {
      const bytes = content(10 * MiB)
      const name = newName()
      const expected = sha256(bytes)
      await blobs().of(OWNER).write(name, piecesOf(bytes), 1e9)
      const read = async (i: number) => {
        const found = (await blobs().findOriginal(name))!
        if (i % 2 === 0) return sha256(await bytesOf(found))
        await using local = await found.local()
        return sha256(await Bun.file(local.path).bytes())
      }
      expect(new Set(await Promise.all(Array.from({ length: 40 }, (_, i) => read(i))))).toEqual(new Set([expected]))
      expect(readdirSync(blobs().temporaryDirectory)).toEqual([])
      expect(sha256(await bytesOf((await blobs().findOriginal(name))!))).toBe(expected)
      await blobs().remove(name)
    },
    TIMEOUT_MS,
  )

  test(
    "texts are kept by generation, in any script, also empty ones, and can be replaced",
    async () => {
      const id = newName()
      const texts = ["short", "", "Größe 中文 😀 עברית", "wide 😀".repeat(2_000_000)]
      for (const [generation, text] of texts.entries()) {
        await blobs().of(OWNER).writeText(id, generation, "what was there before")
        await blobs().of(OWNER).writeText(id, generation, text)
      }
      const moved = join(blobs().temporaryDirectory, "a text")
      await Bun.write(moved, texts.at(-1)!)
      await blobs().of(OWNER).moveText(id, texts.length, moved)
      expect(existsSync(moved)).toBe(false)
      for (const [generation, text] of [...texts, texts.at(-1)!].entries()) {
        const found = (await blobs().findText(id, generation))!
        expect(found.size).toBe(Buffer.byteLength(text))
        if ((await bytesOf(found)).toString() !== text) throw new Error(`text ${generation} differs`)
      }
      const listed = (await names(blobs(), "texts")).map(parseTextName).filter(found => found?.fileId === id)
      expect(listed.map(found => found!.generation).sort()).toEqual([0, 1, 2, 3, 4])
      expect(await names(blobs(), "blobs")).not.toContain(id)
      await blobs().removeText(id, 2)
      await blobs().removeText(id, 2)
      expect(await blobs().findText(id, 2)).toBeUndefined()
      expect(await blobs().findText(id, 3)).toBeDefined()
      for (const generation of [0, 1, 3, 4]) await blobs().removeText(id, generation)
    },
    TIMEOUT_MS,
  )

  test("the layout of a file's pages lies beside its text and goes with it", async () => {
    const id = newName()
    const moved = join(blobs().temporaryDirectory, "a layout")
    await Bun.write(moved, "[]\nwords")
    await blobs().of(OWNER).writeText(id, 3, "text")
    await blobs().of(OWNER).moveLayout(id, 3, moved)
    expect(existsSync(moved)).toBe(false)
    expect((await bytesOf((await blobs().findLayout(id, 3))!)).toString()).toBe("[]\nwords")
    const listed = (await names(blobs(), "texts")).map(parseTextName).filter(found => found?.fileId === id)
    expect(listed).toEqual([
      { fileId: id, generation: 3 },
      { fileId: id, generation: 3 },
    ])
    await blobs().removeText(id, 3)
    expect([await blobs().findText(id, 3), await blobs().findLayout(id, 3)]).toEqual([undefined, undefined])
  })

  test("what is not there is not found, and removing it is nothing", async () => {
    expect(await blobs().findOriginal("file_none")).toBeUndefined()
    expect(await blobs().findText("file_none", 1)).toBeUndefined()
    expect(await blobs().findLayout("file_none", 1)).toBeUndefined()
    await blobs().remove("file_none")
    await blobs().removeText("file_none", 1)
  })

  test(
    "the list tells all of two thousand names once, with the time of the store's clock",
    async () => {
      const stored = Array.from({ length: 2_050 }, newName)
      const before = await blobs().now()
      for (let at = 0; at < stored.length; at += 50)
        await Promise.all(
          stored.slice(at, at + 50).map(name =>
            blobs()
              .of(OWNER)
              .write(name, piecesOf(Buffer.from(name)), 100),
          ),
        )
      const pages = await Array.fromAsync(blobs().list("blobs"))
      expect(Math.max(...pages.map(page => page.length))).toBeLessThanOrEqual(1_000)
      const found = pages.flat()
      expect(found.map(({ name }) => name).sort()).toEqual(stored.sort())
      // Stores tell whole seconds.
      const after = await blobs().now()
      expect(found.filter(({ modifiedAt }) => modifiedAt < before - 2_000 || modifiedAt > after + 2_000)).toEqual([])
      for (let at = 0; at < stored.length; at += 50)
        await Promise.all(stored.slice(at, at + 50).map(name => blobs().remove(name)))
      expect(await names(blobs(), "blobs")).toEqual([])
    },
    TIMEOUT_MS,
  )
}
