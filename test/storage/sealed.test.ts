import { describe, expect, test } from "bun:test"
import { Sealer } from "../../src/storage/sealed.ts"
import { databases } from "../support/databases.ts"

const SECRET = "pässwörd of a mailbox"

describe.each(await databases())("a sealed secret on $name", ({ open }) => {
  test("is opened by whoever has the same records, and only in its place", async () => {
    await using stack = new AsyncDisposableStack()
    const database = await open(stack)
    const sealed = (await Sealer.of(database)).seal(SECRET, "src_1")
    expect((await Sealer.of(database)).open(sealed, "src_1")).toBe(SECRET)
    expect(() => new Sealer(Buffer.alloc(32)).open(sealed, "src_1")).toThrow()
    const sealer = await Sealer.of(database)
    expect(() => sealer.open(sealed, "src_2")).toThrow()
    const bytes = Buffer.from(sealed, "base64")
    bytes[14]! ^= 1
    expect(() => sealer.open(bytes.toString("base64"), "src_1")).toThrow()
  })

  test("does not show its text, nor that two are equal", async () => {
    await using stack = new AsyncDisposableStack()
    const sealer = await Sealer.of(await open(stack))
    const first = sealer.seal(SECRET, "src_1")
    expect(Buffer.from(first, "base64").toString("latin1")).not.toContain("mailbox")
    expect(sealer.seal(SECRET, "src_1")).not.toBe(first)
  })
})
