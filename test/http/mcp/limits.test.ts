/** How many sessions there may be, and what becomes of those that are too many or unused. */
import { afterEach, expect, test } from "bun:test"
import { wholeOf } from "../../../src/access/view.ts"
import type { McpHouse } from "../../../src/http/mcp/call.ts"
import { McpSessions, type SessionLimits } from "../../../src/http/mcp/sessions.ts"
import { MESSAGE_HEADERS } from "./support.ts"

const house = { version: "0" } as McpHouse
let sessions: McpSessions
afterEach(() => sessions.close())

const limited = (limits: Partial<SessionLimits>) => {
  sessions = new McpSessions(house, { perKey: 10, all: 10, idleMs: 60_000, ...limits })
}

const callerOf = (keyId: string) => ({
  principal: {
    ...{ keyId, credential: keyId, holderId: keyId, workspaceId: "ws", view: wholeOf("ws") },
    scopes: ["search"] as const,
    rateLimitPerMinute: null,
  },
  requestId: "req",
  signal: new AbortController().signal,
})

async function send(key: string, message: object | undefined, session?: string, method = "POST") {
  const headers = { ...MESSAGE_HEADERS, ...(session ? { "mcp-session-id": session } : {}) }
  const request = new Request("http://localhost/mcp", { method, headers })
  return sessions.handle({ request, message, caller: callerOf(key) })
}

const hello = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
}
const ping = { jsonrpc: "2.0", id: 1, method: "ping" }

async function begin(key: string): Promise<string> {
  const { response, closed } = await send(key, hello)
  await response.text()
  closed()
  return response.headers.get("mcp-session-id")!
}

async function isThere(key: string, session: string): Promise<boolean> {
  try {
    const { response, closed } = await send(key, ping, session)
    await response.text()
    closed()
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: "not_found" })
    return false
  }
}

test("a key that opens too many loses the one that was unused for longest, and no other key does", async () => {
  limited({ perKey: 2 })
  const other = await begin("key_2")
  const [first, second] = [await begin("key_1"), await begin("key_1")]
  await Bun.sleep(2)
  expect(await isThere("key_1", first)).toBe(true)
  const third = await begin("key_1")
  expect(await isThere("key_1", second)).toBe(false)
  for (const [key, session] of [
    ["key_1", first],
    ["key_1", third],
    ["key_2", other],
  ] as const)
    expect(await isThere(key, session)).toBe(true)
})

test("all keys together have a bound", async () => {
  limited({ all: 3 })
  const opened: string[] = []
  for (const key of ["a", "b", "c", "d"]) {
    opened.push(await begin(key))
    await Bun.sleep(2)
  }
  const there = await Promise.all(opened.map((session, i) => isThere("abcd"[i]!, session)))
  expect(there).toEqual([false, true, true, true])
})

test("a key that has as many as it may have makes room of its own alone", async () => {
  limited({ perKey: 1, all: 2 })
  const other = await begin("key_2")
  await Bun.sleep(2)
  await begin("key_1")
  const next = await begin("key_1")
  expect([await isThere("key_2", other), await isThere("key_1", next)]).toEqual([true, true])
})

test("a session at work is not ended for another", async () => {
  limited({ perKey: 1 })
  const session = await begin("a")
  const { closed } = await send("a", ping, session) // its answer is not taken yet
  await expect(begin("a")).rejects.toMatchObject({ code: "overloaded" })
  closed()
  await begin("a")
})

test("one that is unused for long ends, unless somebody listens to it", async () => {
  limited({ idleMs: 0 })
  const [unused, heard] = [await begin("a"), await begin("a")]
  const listening = await send("a", undefined, heard, "GET")
  await Bun.sleep(5)
  await sessions.sweep()
  expect([await isThere("a", unused), await isThere("a", heard)]).toEqual([false, true])
  listening.closed()
  await Bun.sleep(5)
  await sessions.sweep()
  expect(await isThere("a", heard)).toBe(false)
})
