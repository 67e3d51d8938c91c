/** Bodies with pictures, read piece by piece: what comes of them is what a parser of the whole makes of them. */
import { describe, expect, test } from "bun:test"
import type { AppError } from "../../src/errors.ts"
import { readPictured } from "../../src/http/pictured-json.ts"
import { Gate } from "../../src/threads/gate.ts"
import { rejection } from "../support/rejection.ts"

const PICTURES = /^images\.\d+\.data$/
const MB = 1_048_576

const gate = () => new Gate({ places: 220, placesPerKey: 110, waiting: 1, refusal: "too many", retryAfterSeconds: 5 })
const rules = (room = gate(), maxBytes = MB) => ({
  pictures: PICTURES,
  maxBytes,
  enter: (bytes: number) => room.enter("key", Math.ceil(bytes / MB)),
})

function request(body: string | Uint8Array, pieceBytes = 70_001, headers: Record<string, string> = {}): Request {
  const bytes = Buffer.from(body as string)
  let at = 0
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(at, at + pieceBytes))
      at += pieceBytes
    },
  })
  return new Request("http://localhost/", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: stream,
  })
}
const read = (body: string | Uint8Array, pieceBytes?: number) => readPictured(request(body, pieceBytes), rules())
const refusal = async (body: string | Uint8Array, given = rules()) =>
  (await rejection(readPictured(request(body), given))) as AppError

const picture = "iVBORw0KGgo+/A==".repeat(20_000)

describe("what comes of a body is what a parser makes of it:", () => {
  const BODIES: [string, unknown][] = [
    ["nothing in it", {}],
    ["small values", { a: [1, null, true, "x", { b: "" }], c: -1.5e-7 }],
    [
      "pictures",
      {
        message: "hi",
        images: [
          { mime_type: "image/png", data: picture },
          { data: picture, more: 1 },
        ],
      },
    ],
    ["long texts elsewhere", { message: "€uro 船 ⛵ ".repeat(9_000), deep: { list: [["x".repeat(20_000)]] } }],
    ["quotes, backslashes and escapes", { message: '"\\\\" \\" \n\t\u0001 \\'.repeat(5_000), b: "\\", c: '"' }],
    ["many long texts", { images: Array.from({ length: 30 }, (_, n) => ({ data: `${n}${"A".repeat(17_000 + n)}` })) }],
  ]
  for (const [name, value] of BODIES)
    test(name, async () => {
      for (const [text, pieceBytes] of [
        [JSON.stringify(value), 70_001],
        [JSON.stringify(value, null, 2), 1_024],
        [JSON.stringify(value).replaceAll("/", "\\/"), 333],
        [JSON.stringify(value).replaceAll("x", "\\u0078"), 7_777],
      ] as const)
        expect(await read(text, pieceBytes)).toEqual(JSON.parse(text))
    })

  test("an empty one is none", async () => expect(await read("")).toBeUndefined())
})

describe("refused with the errors of other bodies:", () => {
  const CASES: [string, string | Uint8Array, string][] = [
    ["no JSON", '{"a": ', "invalid_json"],
    ["a text without its end", '{"a": "b', "invalid_json"],
    ["a line within a long text", `{"images": [{"data": "${"A".repeat(20_000)}\n"}]}`, "invalid_json"],
    ["a wrong escape in a long text", `{"images": [{"data": "${"A".repeat(20_000)}\\x"}]}`, "invalid_json"],
    [
      "bytes that are no UTF-8",
      Buffer.from([...Buffer.from(`{"a": "${"A".repeat(20_000)}`), 0xff, 0x22, 0x7d]),
      "invalid_json",
    ],
    ["a list", "[1]", "invalid_request"],
    ["nesting", `{"a":${"[".repeat(100)}${"]".repeat(100)}}`, "invalid_request"],
    ["a name of a megabyte", `{"${"n".repeat(100_000)}": 1}`, "invalid_request"],
    [
      "too much beside pictures, in small texts",
      JSON.stringify({ list: Array(200_000).fill("x y z") }),
      "request_too_large",
    ],
    ["too much beside pictures, in a long text", JSON.stringify({ message: "x".repeat(MB + 10) }), "request_too_large"],
    ["a picture where none belongs", JSON.stringify({ other: [{ data: "A".repeat(2 * MB) }] }), "request_too_large"],
    ["a text of more than 32 MB", JSON.stringify({ images: [{ data: "A".repeat(33 * MB) }] }), "request_too_large"],
  ]
  for (const [name, body, code] of CASES)
    test(name, async () => expect((await refusal(body)).code as string).toBe(code))

  test("one that says that it is too large, before anything of it is read", async () => {
    let pulled = 0
    const body = new ReadableStream({ pull: () => void pulled++ }, { highWaterMark: 0 })
    const headers = { "content-type": "application/json", "content-length": String(111 * MB) }
    const asked = new Request("http://localhost/", { method: "POST", headers, body })
    expect(((await rejection(readPictured(asked, rules()))) as AppError).code).toBe("request_too_large")
    expect(pulled).toBe(0)
  })
})

test("large ones wait for room, more are refused, and who leaves gives the room back", async () => {
  const room = gate()
  const length = { "content-length": String(100 * MB) }
  const abort = new AbortController()
  const never = new ReadableStream<Uint8Array>({ start: controller => controller.enqueue(Buffer.from('{"a":"')) })
  const headers = { "content-type": "application/json", ...length }
  const first = new Request("http://localhost/", { method: "POST", headers, body: never, signal: abort.signal })
  const stopped = rejection(readPictured(first, rules(room)))
  const second = readPictured(request(JSON.stringify({ images: [{ data: picture }] }), 70_001, length), rules(room))
  await Bun.sleep(20)
  expect(room.load).toEqual({ running: 100, waiting: 1 })
  const third = (await rejection(readPictured(request("{}", 10, length), rules(room)))) as AppError
  expect(third.code).toBe("overloaded")
  abort.abort()
  await stopped
  expect(await second).toEqual({ images: [{ data: picture }] })
  expect(room.load).toEqual({ running: 0, waiting: 0 })
})
