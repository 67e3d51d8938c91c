import { afterEach, describe, expect, setSystemTime, test } from "bun:test"
import { newId } from "../src/id.ts"

afterEach(() => void setSystemTime())

describe("ids", () => {
  test("ascend, within a millisecond and when the clock is set back", () => {
    const ids = Array.from({ length: 1_000 }, () => newId("file"))
    setSystemTime(new Date(Date.now() - 3_600_000))
    ids.push(...Array.from({ length: 1_000 }, () => newId("file")))
    setSystemTime(new Date(Date.now() + 7_200_000))
    ids.push(newId("file"))
    expect([...ids].sort()).toEqual(ids)
    expect(new Set(ids).size).toBe(ids.length)
    setSystemTime()
  })

  test("have a prefix and letters that stand in an address as they are", () => {
    expect(newId("conv")).toMatch(/^conv_[0-9a-z]{22}$/)
  })
})
