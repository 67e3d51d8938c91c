import { afterEach, expect, test } from "bun:test"
import { ThreadClient, ThreadEnded, type ThreadOptions } from "../../src/threads/thread-client.ts"
import { rejection } from "../support/rejection.ts"

export interface EchoTasks {
  echo: { ask: string; answer: string }
  late: { ask: number; answer: string }
  block: { ask: number; answer: undefined }
  refuse: { ask: string; answer: never }
  zeros: { ask: number; answer: ArrayBuffer }
  length: { ask: ArrayBuffer; answer: number }
  die: { ask: undefined; answer: never }
}

const open: ThreadClient<EchoTasks>[] = []
afterEach(async () => {
  for (const thread of open.splice(0)) await thread.close()
})

function opened(options: Partial<ThreadOptions> = {}): ThreadClient<EchoTasks> {
  const start = () => new Worker(new URL("echo-worker.ts", import.meta.url).href)
  const thread = new ThreadClient<EchoTasks>({ entry: "nowhere", what: "the echo", start, ...options })
  open.push(thread)
  return thread
}

test("each request has its own answer, also when a later one is answered first", async () => {
  const thread = opened()
  const order: string[] = []
  await Promise.all([
    thread.ask("late", 30).then(answer => order.push(answer)),
    thread.ask("echo", "at once").then(answer => order.push(answer)),
  ])
  expect(order).toEqual(["at once", "late"])
})

test("a failure arrives with message, code, stack and cause, and the thread goes on", async () => {
  const thread = opened()
  const error = await rejection(thread.ask("refuse", "no room"))
  expect(error).toBeInstanceOf(Error)
  expect(error).toMatchObject({ message: "no room", code: "SQLITE_FULL", cause: { message: "because" } })
  expect(error.stack).toContain("echo-worker.ts")
  expect(await thread.ask("echo", "still here")).toBe("still here")
})

test("buffers go over instead of being copied, both ways", async () => {
  const thread = opened()
  const own = new ArrayBuffer(64)
  expect(await thread.ask("length", own, [own])).toBe(64)
  expect(own.byteLength).toBe(0)
  expect((await thread.ask("zeros", 32)).byteLength).toBe(32)
})

test("what cannot be sent is refused and counts as nothing under way", async () => {
  const thread = opened()
  expect(await rejection(thread.ask("echo", (() => {}) as never))).toBeInstanceOf(Error)
  await thread.close(60_000)
  expect(thread.ended).toBe(true)
})

test("a thread that dies fails what waits, tells its owner once, and stays ended", async () => {
  const deaths: Error[] = []
  const thread = opened({ onDeath: error => deaths.push(error) })
  const waiting = thread.ask("late", 60_000)
  const dying = thread.ask("die", undefined)
  expect(await rejection(waiting)).toBeInstanceOf(ThreadEnded)
  expect(await rejection(dying)).toBeInstanceOf(ThreadEnded)
  expect(await rejection(thread.ask("echo", "anyone?"))).toBeInstanceOf(ThreadEnded)
  expect(deaths.map(error => error.message)).toEqual([expect.stringContaining("the echo failed")])
})

test("closing waits for what is under way, and what comes later fails", async () => {
  const deaths: Error[] = []
  const thread = opened({ onDeath: error => deaths.push(error) })
  const late = thread.ask("late", 20)
  await thread.close(60_000)
  expect(await late).toBe("late")
  expect(await rejection(thread.ask("echo", "anyone?"))).toBeInstanceOf(ThreadEnded)
  expect(deaths).toEqual([])
})

test("closing does not wait past its patience for a thread that is busy", async () => {
  const thread = opened()
  await thread.ask("echo", "up")
  const blocked = thread.ask("block", 300)
  await thread.close(1)
  expect(await rejection(blocked)).toBeInstanceOf(ThreadEnded)
})
