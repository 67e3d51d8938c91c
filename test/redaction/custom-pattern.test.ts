/** Custom patterns: RE2's matches, found piece by piece, in linear time. */
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import fc from "fast-check"
import { RE2JS } from "re2js"
import { compilePattern, PatternSearch } from "../../src/redaction/custom-pattern.ts"

setDefaultTimeout(60_000)

const PATTERNS = [
  "a+",
  "(a|ab)(c|bcd)?",
  "\\bfoo\\b",
  "^b.*c$",
  "a.*?c",
  "[^\\s]{2,4}",
  "x(yz)*",
  "é|😀+",
  "\\d{3}-\\d{2}",
  "a*b?c+",
  "(?:ab|a)b",
]

function searched(pattern: string, flags: string, deltas: string[]): [number, number][] {
  const search = new PatternSearch(compilePattern({ name: "X", pattern, flags }))
  const found: [number, number][] = []
  for (const delta of deltas) search.push(delta, false, (start, end) => found.push([start, end]))
  search.push("", true, (start, end) => found.push([start, end]))
  return found
}

function re2(pattern: string, text: string): [number, number][] {
  const matcher = RE2JS.compile(pattern).matcher(text)
  const found: [number, number][] = []
  while (matcher.find()) if (matcher.end() > matcher.start()) found.push([matcher.start(), matcher.end()])
  return found
}

describe("a pattern search", () => {
  test("finds what RE2 finds, however the text is cut", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PATTERNS),
        fc.array(fc.constantFrom("a", "b", "c", "ab", "bcd", "foo", " ", "\n", "x", "yz", "é", "😀", "123-45", "-"), {
          maxLength: 30,
        }),
        fc.integer({ min: 1, max: 9 }),
        (pattern, parts, size) => {
          const text = parts.join("")
          const deltas = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []
          expect(searched(pattern, "", deltas)).toEqual(re2(pattern, text))
        },
      ),
      { numRuns: 2000 },
    )
  })

  test("counts UTF-16 units behind astral characters", () => {
    expect(searched("b", "", ["😀\ud83d", "\ude00b"])).toEqual([[4, 5]])
  })

  test("honours the flags i, m and s", () => {
    expect(searched("emp", "i", ["EMP emp"])).toEqual([
      [0, 3],
      [4, 7],
    ])
    expect(searched("^b", "m", ["a\nb"])).toEqual([[2, 3]])
    expect(searched("a.b", "s", ["a\nb"])).toEqual([[0, 3]])
    expect(searched("a.b", "", ["a\nb"])).toEqual([])
  })

  test("does not hold text that no match can begin in", () => {
    const search = new PatternSearch(compilePattern({ name: "X", pattern: "EMP-\\d+", flags: "" }))
    search.push("hello EMP-12", false, () => {})
    expect(search.pending).toBe(6)
    search.push("3 and", false, () => {})
    expect(search.pending).toBe(17)
  })

  test("stays linear where a backtracking engine would not", () => {
    const before = process.cpuUsage()
    searched("(a+)+$", "", [`${"a".repeat(5_000)}!`])
    searched("(x+x+)+y", "", ["x".repeat(3_000)])
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(20_000)
  })

  test("refuses back-references and look-around", () => {
    expect(() => compilePattern({ name: "X", pattern: "(a)\\1", flags: "" })).toThrow()
    expect(() => compilePattern({ name: "X", pattern: "a(?=b)", flags: "" })).toThrow()
  })
})
