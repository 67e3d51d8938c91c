/** A system that gives no file watch to anybody, as when its limit is used up: nothing here needs one. */
import { expect, test } from "bun:test"
import { startDaemon } from "../support/daemon.ts"
import { canInject, injecting } from "../support/trouble.ts"

if (!canInject) console.log("skipped: strace is not installed, or may not trace here")

test.skipIf(!canInject)(
  "files are taken, indexed and found where no inotify is to be had",
  async () => {
    const daemon = await startDaemon([], { under: injecting("/^inotify_", "error=EMFILE") })
    try {
      const { id } = await daemon.index("gulls.txt", "The lighthouse keeper counts the gulls at dusk.")
      expect((await daemon.call("POST", "/search", { query: "gulls" })).hits[0].file.id).toBe(id)
      const { messages } = await daemon.call("POST", "/start-conversation", { message: "Who counts the gulls?" })
      expect(messages[1].content).toContain("lighthouse keeper")
      expect(await daemon.stop()).toBe(0)
    } finally {
      await daemon.remove()
    }
  },
  60_000,
)
