/** Long JSON lists, taken apart as they arrive. */
import { describe, expect, test } from "bun:test"
import { readItems } from "../../src/http/json-items.ts"
import { rejection } from "../support/rejection.ts"

const RULES = { field: "entries", maxBytes: 1e8, maxItems: 100_000, maxItemBytes: 64_000, silenceMs: 5_000 }
const never = new AbortController().signal

function requestWith(body: string | Uint8Array | ReadableStream): Request {
  return new Request("http://localhost/", {
    method: "POST",
    body: body as BodyInit,
    headers: { "content-type": "application/json" },
  })
}

async function read(body: string | Uint8Array | ReadableStream, rules = {}) {
  const items: unknown[] = []
  const rest = await readItems(requestWith(body), { ...RULES, ...rules }, item => items.push(item), never)
  return { ...rest, entries: items }
}

/** One byte at a time: every place is a border between two chunks. */
const inBytes = (text: string) =>
  new ReadableStream({
    start(controller) {
      for (const byte of Buffer.from(text)) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    },
  })

describe("a body with a long list", () => {
  const odd = [
    '{"entries":[]}',
    '{"entries":[{"key":"a"},{"key":"b"}],"dry_run":true}',
    ' {\n "dry_run" : false ,\t"entries" : [ {"key":"}]\\"{["} ,\r\n{"nested":{"list":[{}]}} ] , "x":{"entries":[{"a":1}]} }\n',
    '{"entries":[{"key":"日本 \\u00e9 😀 \\\\"}]}',
    '{"a":"\\"entries\\":[","entries":[{"key":""}]}',
    '{"a":["entries",{"entries":[1]}],"entries":[{}]}',
    '{"entries":3,"entries":[{"key":"last"}]}',
  ]
  test.each(odd)("is what a parser of the whole makes of it: %p", async text => {
    expect(await read(text)).toEqual(JSON.parse(text))
    expect(await read(inBytes(text))).toEqual(JSON.parse(text))
  })

  const broken = [
    "",
    "{",
    '{"entries":[',
    '{"entries":[{}',
    '{"entries":[{}{}]}',
    '{"entries":[{} {}]}',
    '{"entries":[{},]}',
    '{"entries":[{}]]}',
    '{"entries":[{]}]}',
    '{"entries":[{"a":1 2}]}',
    '{"entries":[{}],"a":1 2}',
    '{"entries":[{}]}{}',
    '{"entries":[{}]',
    '}{"entries":[{}]}',
  ]
  test.each(broken)("is refused where a parser of the whole refuses it: %p", async text => {
    expect(await rejection(read(text))).toMatchObject({ code: "invalid_json" })
    expect(await rejection(read(inBytes(text)))).toMatchObject({ code: "invalid_json" })
  })

  test("is refused where its bytes are no text", async () => {
    const bytes = Buffer.from('{"entries":[{"key":"?"}]}')
    bytes[bytes.indexOf("?")] = 0xff
    expect(await rejection(read(bytes))).toMatchObject({ code: "invalid_json" })
  })

  const wrong: [string, string][] = [
    ["{}", "entries: is missing"],
    ["[]", "body: must be a JSON object"],
    ['{"entries":{}}', "entries: must be a list"],
    ['{"entries":null}', "entries: must be a list"],
    ['{"entries":[0]}', "entries: must be a list of objects"],
    ['{"entries":[{},[{}]]}', "entries: must be a list of objects"],
    ['{"entries":["a",{}]}', "entries: must be a list of objects"],
    ['{"entries":[{}],"entries":[]}', "entries: is told twice"],
  ]
  test.each(wrong)("%p is refused", async (text, message) => {
    expect(await rejection(read(text))).toMatchObject({ code: "invalid_request", message })
  })

  test("is bounded in bytes, items, the bytes of one item, those around them, and depth", async () => {
    const list = (items: string[]) => `{"entries":[${items}]}`
    const many = list(Array.from({ length: 5 }, () => "{}"))
    expect((await read(many, { maxItems: 5 })).entries).toHaveLength(5)
    expect(await rejection(read(many, { maxItems: 4 }))).toMatchObject({ message: "entries: must be at most 4" })
    expect(await rejection(read(inBytes(many), { maxBytes: 20 }))).toMatchObject({ code: "request_too_large" })
    const long = list(["{}", `{"key":"${"x".repeat(70_000)}"}`])
    expect(await rejection(read(long))).toMatchObject({ message: "entries.1: must have at most 64000 bytes" })
    const around = `{"entries":[{}],"a":"${"x".repeat(1_300_000)}"}`
    expect(await rejection(read(around))).toMatchObject({ code: "invalid_request" })
    const blanks = `{"entries":[{},${" ".repeat(3_000_000)}{}]}`
    expect((await read(blanks)).entries).toHaveLength(2)
    for (const deep of [list([`{"a":${"[".repeat(1_000)}${"]".repeat(1_000)}}`]), "[".repeat(1_000_000)])
      expect(await rejection(read(deep))).toMatchObject({ message: expect.stringContaining("nested deeper") })
  })

  test("leaves the event loop to others while it is read", async () => {
    const entry = JSON.stringify({ key: "folder/".repeat(120), fingerprint: "f".repeat(64), size: 12 })
    const body = Buffer.from(`{"entries":[${Array(50_000).fill(entry)}]}`)
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    expect((await read(body)).entries).toHaveLength(50_000)
    clearInterval(timer)
    expect(turns).toBeGreaterThan(10)
  })

  test("ends with a client that falls silent, and with the signal", async () => {
    const silent = () => new ReadableStream({ start: controller => controller.enqueue(Buffer.from('{"entries":[')) })
    expect(await rejection(read(silent(), { silenceMs: 50 }))).toMatchObject({ code: "request_timeout" })
    const gone = AbortSignal.timeout(50)
    const reading = readItems(requestWith(silent()), RULES, () => {}, gone)
    expect(await rejection(reading)).toBe(gone.reason)
  })
})
