/** A stream whose source fails says so: its client must not take it for one that came to its end. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { AppError } from "../../src/errors.ts"
import type { RequestContext } from "../../src/http/context.ts"
import { eventStream, type ServerEvent } from "../../src/http/sse.ts"
import { setLogSink } from "../../src/log.ts"
import { readEvents } from "../support/events.ts"

let lines: string[]
let closed: number
beforeEach(() => {
  lines = []
  closed = 0
  setLogSink(line => void lines.push(line))
})
afterEach(() => setLogSink(line => void process.stdout.write(`${line}\n`)))

const context = {
  requestId: "req_1",
  keepOpen: () => ({ signal: new AbortController().signal, close: () => void closed++ }),
} as unknown as RequestContext

function failing(error: unknown) {
  return async function* (): AsyncGenerator<ServerEvent> {
    yield { event: "status", data: { phase: "generating" } }
    throw error
  }
}

test("ends with error and done, and the log has the cause that the client does not see", async () => {
  const events = await readEvents(eventStream(failing(new Error("the list of /secret broke")), context))
  expect(events).toEqual([
    { id: 1, event: "status", data: { phase: "generating" } },
    {
      id: 2,
      event: "error",
      data: {
        error: { code: "internal_error", message: "something went wrong inside the daemon", request_id: "req_1" },
      },
    },
    { id: 3, event: "done", data: {} },
  ])
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain("the list of /secret broke")
  expect(lines[0]).toContain("req_1")
  expect(closed).toBe(1)
})

test("an error of the contract keeps its code, and is no fault of the daemon's to log", async () => {
  const events = await readEvents(eventStream(failing(new AppError("not_found")), context))
  expect(events[1]?.data.error.code).toBe("not_found")
  expect(lines).toEqual([])
})
