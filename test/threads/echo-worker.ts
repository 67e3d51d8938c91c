/** A thread that does what its tests ask of it. */
import { Moved, serveThread } from "../../src/threads/thread-side.ts"
import type { EchoTasks } from "./thread-client.test.ts"

serveThread<EchoTasks>({
  echo: text => text,
  late: async ms => {
    await Bun.sleep(ms)
    return "late"
  },
  block: ms => {
    Bun.sleepSync(ms)
  },
  refuse: message => {
    throw Object.assign(new Error(message, { cause: new Error("because") }), { code: "SQLITE_FULL" })
  },
  zeros: length => {
    const { buffer } = new Uint8Array(length)
    return new Moved(buffer, [buffer])
  },
  length: buffer => buffer.byteLength,
  die: () => process.exit(1),
})
