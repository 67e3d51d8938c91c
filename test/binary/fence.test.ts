/** The fence around the children of the executable, attacked from the inside like that of the source in test/trust. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { attack } from "../support/attacks.ts"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { BUILD_TIMEOUT_MS, executable } from "../support/executable.ts"
import { CAN_INJECT, ForeignProcess } from "../support/foreign-process.ts"
import { childOf, isAlive } from "../support/processes.ts"
import { until } from "../support/until.ts"

describe.skipIf(!CAN_INJECT)("children of the executable", () => {
  let program: string
  let daemon: Daemon

  beforeAll(async () => {
    program = await executable()
    const env = { PATH: "/usr/bin:/bin", SECRET_OF_DAEMON: "x" }
    daemon = await startDaemon([], { command: [program], env })
  }, BUILD_TIMEOUT_MS)
  afterAll(() => daemon?.remove())

  const attacked = (pid: number): string[] => {
    const taken = new ForeignProcess(pid)
    try {
      return attack(taken, { daemon: daemon.pid, data: daemon.data, program })
    } finally {
      taken.release()
    }
  }

  test("a reader gets at nothing, and goes on reading; none of it outlives the daemon", async () => {
    await daemon.index("a.txt", "The ficus stands in the hall.")
    const reader = await childOf(daemon.pid, "reader")
    expect(attacked(reader)).toEqual([])
    await daemon.index("b.txt", "The palm stands in the yard.")
    expect(isAlive(reader)).toBe(true)
  }, 60_000)

  test("what evaluates schemas gets at nothing either, and ends with a daemon that is killed", async () => {
    await daemon.call("POST", "/agents/run", { task: "x", output_schema: { type: "string" } }).catch(() => {})
    const evaluator = await childOf(daemon.pid, "evaluate")
    expect(attacked(evaluator)).toEqual([])
    await daemon.kill()
    await until(() => !isAlive(evaluator))
  }, 60_000)
})
