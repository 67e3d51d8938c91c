import { describe, expect, test } from "bun:test"
import { askedWait, holdAfter, isPatient, waitAfter } from "../../src/events/retries.ts"

const HOUR = 3_600_000

describe("what a receiver did not take", () => {
  test("is sent again by the table of the contract, each wait up to a fifth longer", () => {
    const table = [5_000, 300_000, 1_800_000, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]
    expect(table.map((_, at) => waitAfter(at + 1, 0))).toEqual(table)
    expect(table.map((_, at) => waitAfter(at + 1, 1))).toEqual(table.map(ms => ms * 1.2))
    expect(waitAfter(10, 0)).toBeUndefined()
  })

  test("is sent again when Retry-After says, in seconds or as a date", () => {
    const now = Date.parse("2026-11-22T12:00:00Z")
    expect(askedWait("120", now)).toBe(120_000)
    expect(askedWait("Sun, 22 Nov 2026 12:05:00 GMT", now)).toBe(300_000)
    expect(askedWait("999999999", now)).toBe(24 * HOUR)
    expect(askedWait("0", now)).toBe(1_000)
    expect(["", undefined, "soon"].map(header => askedWait(header, now))).toEqual([undefined, undefined, undefined])
  })

  test("counts from the fifth day on, though the receiver asks for patience", () => {
    const now = Date.now()
    expect(isPatient(new Date(now - 95 * HOUR).toISOString(), now)).toBe(true)
    expect(isPatient(new Date(now - 97 * HOUR).toISOString(), now)).toBe(false)
  })

  test("lets new events wait only after several failures, and never for more than a minute", () => {
    expect([1, 4, 5, 6, 7].map(holdAfter)).toEqual([0, 0, 1_000, 2_000, 4_000])
    expect(holdAfter(1_000)).toBe(60_000)
  })
})
