import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { AppError } from "../src/errors.ts"
import { log, setLogFormat, setLogLevel, setLogSink, Trouble } from "../src/log.ts"

let lines: string[]
beforeEach(() => {
  lines = []
  setLogSink(line => void lines.push(line))
  setLogLevel("info")
})
afterEach(() => {
  setLogSink(line => void process.stdout.write(`${line}\n`))
  setLogFormat("json")
  setLogLevel("error")
})

describe("a readable line", () => {
  beforeEach(() => setLogFormat("pretty"))

  test("has the time of day, the level, the message and its fields", () => {
    log.warn("a job waits", { task: "index_file", attempt: 2, why: "no room", none: undefined })
    expect(lines).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3} WARN {2}a job waits task=index_file attempt=2 why="no room"$/),
    ])
  })

  test("says an error's causes in one line; only an unexpected one at level error shows where it was thrown", () => {
    const error = new Error("the list failed", { cause: new Error("connection refused") })
    log.warn("not now", { error })
    log.error("never", { error: new AppError("model_unavailable", { cause: error }) })
    expect(lines.map(line => line.split("\n").length)).toEqual([1, 1])
    expect(lines[0]).toEndWith('error="the list failed: connection refused"')
    log.error("broken", { error })
    expect(lines[2]!.split("\n").slice(1).join("\n")).toContain("log.test.ts")
  })

  test("holds nothing that a terminal obeys, whatever the message and the fields", () => {
    const evil = "a\x1b[2Jb\r\nc\x9b31md\u202ee\x7f"
    log.info(evil, { evil, error: new Error(evil), [`deep${1}`]: { evil } })
    expect(lines).toHaveLength(1)
    expect(lines[0]).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
  })

  test("is coloured only where that is wanted", () => {
    setLogFormat("pretty", true)
    log.info("ready")
    expect(lines[0]).toContain("\x1b[32mINFO ")
  })
})

describe("a JSON line", () => {
  test("is one object, with the stack of what was not expected and without that of what was told", () => {
    log.error("failed", { error: new Error("oh\nno"), told: new AppError("overloaded") })
    const [{ level, message, error, told }] = lines.map(line => JSON.parse(line))
    expect([level, message, error.message, told.name]).toEqual(["error", "failed", "oh\nno", "AppError"])
    expect(error.stack).toContain("log.test.ts")
    expect(told.stack).toBeUndefined()
  })
})

test("lines below the level are not written", () => {
  log.debug("no")
  setLogLevel("debug")
  log.debug("yes")
  expect(lines).toHaveLength(1)
})

test("a trouble that lasts is said when it begins and when it is over, however often it fails", () => {
  const trouble = new Trouble({ begins: "no room", ends: "room again" }, { task: "index_file" })
  trouble.clear()
  for (let i = 0; i < 3; i++) trouble.note(new Error("full"))
  expect(trouble.lasts).toBe(true)
  trouble.clear()
  trouble.clear()
  trouble.note(new Error("full"))
  const said = lines.map(line => JSON.parse(line))
  expect(said.map(({ level, message, task }) => [level, message, task])).toEqual([
    ["warn", "no room", "index_file"],
    ["info", "room again", "index_file"],
    ["warn", "no room", "index_file"],
  ])
  expect(said[0].error.message).toBe("full")
})
