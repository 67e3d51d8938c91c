/** The `ollama` package behind our own fetch: what it sends, what it never gets to see, what it would do alone. */
import { afterAll, expect, spyOn, test } from "bun:test"
import type { ChatPiece, ChatRequest } from "../../src/backends/backend.ts"
import { ModelQueue } from "../../src/backends/model-queue.ts"
import { OllamaChat } from "../../src/backends/ollama.ts"
import { unguarded } from "../support/unguarded.ts"

let body = ""
const heard: { headers: Headers; sent: { messages: { images?: string[] }[] } }[] = []
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    heard.push({ headers: request.headers, sent: (await request.json()) as (typeof heard)[number]["sent"] })
    return new Response(body, { headers: { "content-type": "application/x-ndjson" } })
  },
})
afterAll(() => server.stop(true))

const backend = new OllamaChat({
  host: server.url.origin,
  keepAlive: "",
  silenceMs: 2_000,
  queue: new ModelQueue({ parallel: 4, waiting: 4 }),
  allowRemoteModels: false,
})

async function ask(lines: string, more: Partial<ChatRequest> = {}): Promise<{ text: string; error: unknown }> {
  body = lines
  const { signal } = new AbortController()
  const request = { model: "m", turns: [{ role: "user", content: "?" }], options: {}, signal, ...more } as ChatRequest
  const pieces: ChatPiece[] = []
  let error: unknown
  try {
    for await (const piece of backend.chat(unguarded(request))) pieces.push(piece)
  } catch (thrown) {
    error = thrown
  }
  return { text: pieces.map(piece => (piece.type === "text" ? piece.text : "")).join(""), error }
}

const said = (text: string) => `${JSON.stringify({ message: { content: text } })}\n`
const DONE = `${JSON.stringify({ done: true, done_reason: "stop" })}\n`

test.each([
  ["blank lines and carriage returns between lines", `\n\r\n${said("a").trim()}\r\n\n${said("b")}${DONE}`, "ab", ""],
  ["a last line without an end", said("a") + DONE.trim(), "a", ""],
  ["what comes after the last line", `${said("a")}${DONE}<html>`, "a", ""],
  ["a number where an object belongs", `${said("a")}5\n${DONE}`, "a", "not JSON"],
  ["a list where an object belongs", `${said("a")}null\n`, "a", "not JSON"],
  [
    "a broken line in the middle of those that came together",
    `${said("a")}${said("b")}{"mess\n${DONE}`,
    "ab",
    "not JSON",
  ],
  ["an error object", `${said("a")}{"error": {"message": "out of memory"}}\n`, "a", "model_error"],
  ["no last line", said("a"), "a", "before it was complete"],
])("%s", async (_, lines, text, error) => {
  const answer = await ask(lines)
  expect(answer.text).toBe(text)
  if (!error) expect(answer.error).toBeUndefined()
  else
    expect(JSON.stringify([answer.error, String(answer.error), (answer.error as { code?: string }).code])).toContain(
      error,
    )
})

test("a line without an end is given up at four million characters", async () => {
  const { error } = await ask(`${said("a")}{"message": {"content": "${"x".repeat(4_100_000)}`)
  expect(String(error)).toContain("a line of more than 4000000 characters")
})

test("nothing of an answer is written to the console, which the package does with what it cannot read", async () => {
  const spies = (["log", "warn", "error"] as const).map(name => spyOn(console, name).mockImplementation(() => {}))
  try {
    await ask(`${said("a")}{"secret of the answer\n\n${DONE}`)
    for (const spy of spies) expect(spy).not.toHaveBeenCalled()
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
})

test("the server learns neither the platform nor keys of the environment, and a picture is what it is, never a file's name", async () => {
  heard.length = 0
  await ask(DONE, {
    turns: [{ role: "user", content: "?", images: [{ mimeType: "image/png", data: "package.json" }] }],
  })
  expect(heard[0]!.headers.get("user-agent") ?? "").not.toContain("ollama-js")
  expect(heard[0]!.headers.get("authorization")).toBeNull()
  expect(heard[0]!.sent.messages[0]!.images).toEqual(["package.json"])
})
