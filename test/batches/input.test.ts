/** Lines of an input: where each stands, however the bytes arrive. */
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { checkInput } from "../../src/batches/input.ts"
import { linesOf } from "../../src/batches/json-lines.ts"

const { signal } = new AbortController()

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(text: string, size: number, maxBytes = 1_000_000) {
  const lines = []
  for await (const line of linesOf(inChunks(Buffer.from(text), size), maxBytes, signal)) lines.push(line)
  return lines
}

describe("lines", () => {
  test("are found with their numbers and places, however the bytes are cut", async () => {
    const someLine = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 20 }).map(text => text.replaceAll("\n", "")),
      fc.constant(""),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(someLine, { maxLength: 12 }), fc.integer({ min: 1, max: 50 }), async (lines, size) => {
        const text = lines.join("\n")
        const bytes = Buffer.from(text)
        const found = await read(text, size)
        const wanted = lines.map((line, at) => [at + 1, line] as const).filter(([, line]) => /\S/.test(line))
        const inAscii = (line: string) => /[^\s\x80-\xff]/.test(Buffer.from(line).toString("latin1"))
        const sure = wanted.filter(([, line]) => inAscii(line))
        for (const [number, line] of sure) {
          const one = found.find(each => each.number === number)!
          expect(Buffer.from(one.bytes!).toString()).toBe(line)
          expect(bytes.subarray(one.start, one.end).toString()).toBe(line)
        }
      }),
    )
  })

  test("that are too long are told, and those behind them read", async () => {
    const found = await read(`a\n${"x".repeat(500)}\nb`, 7, 100)
    expect(found.map(({ number, bytes }) => [number, bytes && Buffer.from(bytes).toString()])).toEqual([
      [1, "a"],
      [2, undefined],
      [3, "b"],
    ])
  })
})

test("a mark of the byte order, line ends of Windows and blank lines do no harm", async () => {
  const line = (id: string) => JSON.stringify({ custom_id: id, url: "/external/search", body: { query: "x" } })
  const text = `\uFEFF${line("a")}\r\n\r\n${line("ä")}\r\n`
  const { lines, problems } = await checkInput(inChunks(Buffer.from(text), 5), null, signal)
  expect(problems).toEqual([])
  expect(lines.map(({ line, custom_id }) => [line, custom_id])).toEqual([
    [1, "a"],
    [3, "ä"],
  ])
})

test.each([
  ["bytes that are no UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), "invalid_json_line"],
  ["a line of 2 MB", Buffer.from("x".repeat(2 * 2 ** 20)), "line_too_long"],
  ["nesting without end", Buffer.from("[".repeat(100_000)), "invalid_json_line"],
  ["a name that no column holds", Buffer.from('{"custom_id": "a\\u0000"}'), "invalid_custom_id"],
  ["nothing", Buffer.from("\n \n"), "empty_batch"],
])("of %s it says so", async (_, bytes, code) => {
  const { problems } = await checkInput(inChunks(bytes, 65_536), null, signal)
  expect(problems.map(each => each.code)).toEqual([code])
})
