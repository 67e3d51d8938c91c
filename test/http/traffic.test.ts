import { describe, expect, test } from "bun:test"
import { Traffic } from "../../src/http/traffic.ts"

const MINUTE = 60_000
const START = 29_000_000 * MINUTE

describe("requests per key and minute", () => {
  test("are counted in their minute, oldest first, and forgotten after an hour", () => {
    const traffic = new Traffic()
    traffic.count("key_a", START)
    traffic.count("key_a", START)
    traffic.count("key_a", START + 2 * MINUTE)
    const minutes = traffic.lastHour("key_a", START + 2 * MINUTE)!
    expect(minutes).toHaveLength(60)
    expect(minutes.slice(-3)).toEqual([2, 0, 1])
    expect(traffic.lastHour("key_a", START + 61 * MINUTE)!.reduce((sum, count) => sum + count)).toBe(1)
    expect(traffic.lastHour("key_a", START + 300 * MINUTE)).toBeNull()
  })

  test("a key without requests has no figures", () => {
    expect(new Traffic().lastHour("key_b")).toBeNull()
  })

  test("a clock that jumps back loses nothing", () => {
    const traffic = new Traffic()
    traffic.count("key_a", START + 5 * MINUTE)
    traffic.count("key_a", START)
    expect(traffic.lastHour("key_a", START)!.at(-1)).toBe(2)
  })
})
