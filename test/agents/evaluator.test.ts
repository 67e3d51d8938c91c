/** Schemas and expressions that are written to take for ever, in the processes that evaluate them. */
import { afterAll, describe, expect, test } from "bun:test"
import { EvaluatorProcesses } from "../../src/tools/evaluator.ts"
import { until } from "../support/until.ts"
import { endlessExpression, schemaBombs } from "./bombs.ts"

const never = new AbortController().signal
/** Loading the libraries takes half a second of a processor, some two where they were never read before. */
const within = (cpuMs: number) => new EvaluatorProcesses({ cpuMs, timeoutMs: 60_000, memoryBytes: 500_000_000 })
const evaluator = within(5_000)
/** The endless expression takes three seconds, and this is ended before. */
const strict = within(1_500)
afterAll(() => Promise.all([evaluator.stop(), strict.stop()]))
const saidOf = (work: Promise<unknown>) =>
  work.then(
    value => value,
    (error: Error) => error.message,
  )

describe("an evaluating process", () => {
  test("calculates and explains", async () => {
    expect(await evaluator.calculate("1 + 1", "ws_1", never)).toBe("2")
    expect(await saidOf(evaluator.calculate("import('fs')", "ws_1", never))).toContain("not allowed")
    const several = ["1", "2+2", "3*3"].map(each => evaluator.calculate(each, "ws_1", never))
    expect(await Promise.all(several)).toEqual(["1", "4", "9"])
  }, 30_000)

  test("checks values, and says what is wrong with a schema", async () => {
    const schema = { type: "object", required: ["days"], properties: { days: { type: "integer" } } }
    expect(await evaluator.check(schema, [{ days: 3 }, { days: "3" }], "ws_1", never)).toEqual([
      [],
      [{ field: "days", issue: "must be integer" }],
    ])
    expect(await saidOf(evaluator.check({ type: "objekt" }, [], "ws_1", never))).toContain("type")
    expect(await saidOf(evaluator.check({ description: "x".repeat(70_000) }, [], "ws_1", never))).toContain("64000")
  }, 30_000)

  test("that does not finish an expression is ended, and no other expression with it", async () => {
    const ready = async (key: string) => (await saidOf(strict.calculate("1", key, never))) === "1"
    await until(() => ready("ws_1"))
    await until(() => ready("ws_2"))
    const slow = saidOf(strict.calculate(endlessExpression, "ws_1", never))
    const others = Array.from({ length: 20 }, (_, at) => strict.calculate(`${at} + 1`, "ws_2", never))
    expect(await Promise.all(others)).toEqual(Array.from({ length: 20 }, (_, at) => String(at + 1)))
    expect(await slow).toContain("too much time")
  }, 60_000)

  test("is free for another workspace while one fills all that it may with what never ends", async () => {
    const doublings = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        `d${at}`,
        { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
      ]),
    )
    const schema = { $defs: { ...doublings, d30: { type: "object" } }, $ref: "#/$defs/d0" }
    const patient = within(30_000)
    let ended = 0
    const stop = new AbortController()
    const flood = Array.from({ length: 8 }, () =>
      saidOf(patient.check(schema, [{}], "ws_1", stop.signal)).finally(() => ended++),
    )
    expect(await patient.check({ type: "string" }, ["a"], "ws_2", never)).toEqual([[]])
    expect(ended).toBe(0)
    stop.abort()
    await Promise.all(flood)
    await patient.stop()
  }, 60_000)

  test("ends with the call that nobody waits for any more", async () => {
    const abort = new AbortController()
    const patient = within(30_000)
    const slow = saidOf(patient.calculate(endlessExpression, "ws_1", abort.signal))
    await Bun.sleep(500)
    abort.abort()
    expect(await slow).toBe("The calculation was stopped.")
    await patient.stop()
  }, 30_000)

  test.each(schemaBombs)(
    "is ended by a schema that is a bomb: %s",
    async (_, schema, value) => {
      const said = await saidOf(evaluator.check(schema, [value], "ws_1", never))
      if (typeof said === "string") expect(said).toMatch(/too complex|cannot be evaluated|must|invalid repeat count/)
      expect(await evaluator.check({ type: "string" }, ["a"], "ws_1", never)).toEqual([[]])
    },
    60_000,
  )
})
