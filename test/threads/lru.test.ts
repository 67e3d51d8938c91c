import { expect, test } from "bun:test"
import { Lru } from "../../src/threads/lru.ts"

test("what was not used for longest goes first", () => {
  const cache = new Lru<string, number>({ entries: 2 })
  cache.set("a", 1)
  cache.set("b", 2)
  cache.get("a")
  cache.set("c", 3)
  expect([...cache]).toEqual([
    ["a", 1],
    ["c", 3],
  ])
})

test("a weight bounds all values together, and one that alone weighs more is not kept", () => {
  const cache = new Lru<string, string>({ entries: 10, weight: 5, weigh: text => text.length })
  cache.set("a", "12")
  cache.set("b", "345")
  cache.set("a", "1")
  cache.set("c", "67")
  expect([...cache].map(([key]) => key)).toEqual(["a", "c"])
  expect(cache.set("d", "123456")).toBe("123456")
  expect(cache.size).toBe(0)
  cache.set("e", "12345")
  expect(cache.get("e")).toBe("12345")
})
