/** Server-sent events of model servers, in every form that the standard allows, within bounds. */
import { expect, test } from "bun:test"
import { SilenceWatch } from "../../src/backends/silence-watch.ts"
import { readEvents } from "../../src/backends/wire.ts"

async function eventsOf(body: BodyInit): Promise<string[]> {
  const watch = new SilenceWatch(new AbortController().signal, 5_000)
  try {
    return await Array.fromAsync(readEvents(new Response(body), watch))
  } finally {
    watch.close()
  }
}

test.each([
  ["one line each", "data: a\n\ndata: b\n\n", ["a", "b"]],
  ["without a blank behind the colon", "data:a\n\n", ["a"]],
  ["with carriage returns", "data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]],
  ["with names, numbers and comments", ": ping\n\nevent: delta\nid: 7\nretry: 10\ndata: a\n\n", ["a"]],
  ["data of several lines", "data: {\ndata: }\n\n", ["{\n}"]],
  [
    "objects that end with a single newline",
    'data: {"a":1}\ndata:{"b":{}}\r\ndata: [DONE]\n',
    ['{"a":1}', '{"b":{}}', "[DONE]"],
  ],
  ["objects of several lines", 'data: {\ndata:   "a": {}\ndata: }\n\n', ['{\n  "a": {}\n}']],
  ["a byte order mark", "\ufeffdata: a\n\n", ["a"]],
  ["a last one without an end", "data: a\n\ndata: [DONE]", ["a", "[DONE]"]],
])("%s", async (_, body, expected) => {
  expect(await eventsOf(body)).toEqual(expected)
})

test("an object with a single newline is there before the next comes", async () => {
  const watch = new SilenceWatch(new AbortController().signal, 5_000)
  const open = new ReadableStream({
    start: controller => controller.enqueue(new TextEncoder().encode('data: {"a":1}\n')),
  })
  const events = readEvents(new Response(open), watch)
  expect(await events.next()).toEqual({ done: false, value: '{"a":1}' })
  watch.close()
})

test("an answer without a body has no events", async () => {
  const watch = new SilenceWatch(new AbortController().signal, 5_000)
  expect(await Array.fromAsync(readEvents(new Response(null, { status: 204 }), watch))).toEqual([])
  watch.close()
})

test("an event cut anywhere, inside lines and characters, is whole", async () => {
  const bytes = new TextEncoder().encode("data: Größe 日本語 🙂\n\n")
  const oneByOne = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    },
  })
  expect(await eventsOf(oneByOne)).toEqual(["Größe 日本語 🙂"])
})

test.each([
  ["a line without an end", "a".repeat(100_000)],
  ["lines of data without an end", `${"data: x\n".repeat(10_000)}`],
])("%s is given up at four million characters", async (_, part) => {
  const endless = new ReadableStream({ pull: controller => controller.enqueue(new TextEncoder().encode(part)) })
  expect(await eventsOf(endless).catch((error: Error) => error.message)).toContain("more than 4000000 characters")
})

test("a server that only pings for hours is listened to", async () => {
  const pings = `: ping\n\n`.repeat(50_000)
  let sent = 0
  const body = new ReadableStream({
    pull(controller) {
      if (sent++ < 12) return controller.enqueue(new TextEncoder().encode(pings))
      controller.enqueue(new TextEncoder().encode("data: a\n\n"))
      controller.close()
    },
  })
  expect(await eventsOf(body)).toEqual(["a"])
})
