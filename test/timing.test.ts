import { describe, expect, test } from "bun:test"
import { checkCron, checkEvery, checkSchedule, nextTime } from "../src/timing.ts"

const AT = new Date("2026-11-22T20:40:30.000Z")

describe("timing", () => {
  test.each([
    ["15m", "2026-11-22T20:55:30.000Z"],
    ["90s", "2026-11-22T20:42:00.000Z"],
    ["1d", "2026-11-23T20:40:30.000Z"],
  ])("every %s is due at %s", (text, due) => {
    expect(nextTime(checkEvery(text), AT).toISOString()).toBe(due)
  })

  test.each([
    ["*/5 * * * *", "UTC", "2026-11-22T20:45:00.000Z"],
    ["0 6 * * 1-5", "Europe/Berlin", "2026-11-23T05:00:00.000Z"],
    ["0 6 * * 1-5", "America/New_York", "2026-11-23T11:00:00.000Z"],
    ["0 0 29 2 *", "UTC", "2028-02-29T00:00:00.000Z"],
  ])("cron %s in %s is due at %s", (cron, timezone, due) => {
    expect(nextTime(checkCron(cron, timezone), AT).toISOString()).toBe(due)
  })

  test("an hour that daylight saving skips does not lose the day", () => {
    const timing = checkCron("30 2 * * *", "Europe/Berlin")
    const due = nextTime(timing, new Date("2027-03-28T00:00:00Z"))
    expect(due.getTime()).toBeLessThan(new Date("2027-03-29T01:00:00Z").getTime())
  })

  test("what is neither is told both forms", () => {
    expect(() => checkSchedule("15 minutes")).toThrow(/such as 15m, or a cron expression/)
  })

  test("an interval and a cron expression are told apart", () => {
    expect(checkSchedule("6h")).toEqual({ every: "6h" })
    expect(checkSchedule("0 6 * * *")).toEqual({ cron: "0 6 * * *", timezone: "UTC" })
  })

  test.each(["", "0m", "5", "-5m", "1.5h", "10 m", "9999999d"])("the interval %p is refused", text => {
    expect(() => checkEvery(text)).toThrow("every")
  })

  test.each(["", "* * * *", "* * * * * *", "61 * * * *", "@daily", "0 0 30 2 *", "a b c d e"])(
    "the cron expression %p is refused",
    text => {
      expect(() => checkCron(text)).toThrow("cron")
    },
  )

  test("a time zone that does not exist is refused", () => {
    expect(() => checkCron("0 6 * * *", "Europe/Atlantis")).toThrow("timezone")
  })
})
