/** Replies that are stopped before they begin. */
import { expect, test } from "bun:test"
import { LiveReply } from "../../src/chat/live-reply.ts"
import { Replies } from "../../src/chat/replies.ts"
import type { ReplyStore } from "../../src/chat/reply-store.ts"
import { fromStore } from "../../src/guarded.ts"

/** Nothing of these replies is stored. */
const UNSTORED = {} as ReplyStore

/** Writes until it is stopped. */
const untilStopped = (live: LiveReply) => ({
  write: () =>
    new Promise<void>(resolve => {
      if (live.abort.signal.aborted) resolve()
      live.abort.signal.addEventListener("abort", () => resolve())
    }),
  content: fromStore(""),
  madeCount: 0,
  made: async () => undefined,
})

test("a stop that comes while a reply is prepared stops it when it begins, and is told once it is over", async () => {
  const replies = new Replies(UNSTORED, 10)
  replies.take("conv_a")
  const stopped = replies.cancel("conv_a")
  const live = new LiveReply("conv_a", "msg_a", null)
  replies.begin(live, untilStopped(live))
  expect(await stopped).toBe(true)
  expect([live.abort.signal.reason, live.ended]).toEqual(["cancelled", true])
  replies.take("conv_a") // the conversation is free again
  const next = new LiveReply("conv_a", "msg_b", null)
  replies.begin(next, untilStopped(next))
  await Bun.sleep(10)
  expect(next.abort.signal.aborted).toBe(false)
  expect(await replies.cancel("conv_a")).toBe(true)
})

test("a stop stops nothing where no reply is prepared, or where it does not begin", async () => {
  const replies = new Replies(UNSTORED, 10)
  expect(await replies.cancel("conv_a")).toBe(false)
  replies.take("conv_a")
  const stopped = replies.cancel("conv_a")
  replies.give("conv_a")
  expect(await stopped).toBe(false)
})
