/** What streams promise: the same result as the whole text, however it is cut, and never a part of a value. */
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import fc from "fast-check"
import { parseRedaction, REPLACED, type RedactionPolicy, Redactor } from "./stream-support.ts"
import { modelThatKnows, touchyModel } from "./support.ts"

// Hundreds of runs each, on machines that may be busy.
setDefaultTimeout(60_000)

const VALUES = [
  "anna.smith@example.com",
  "+49 30 901820",
  "(212) 555-0188",
  "4111 1111 1111 1111",
  "5500-0000-0000-0004",
  "GB29 NWBK 6016 1331 9268 19",
  "AKIAIOSFODNN7EXAMPLE",
  "password: hunter2",
  'password: "correct horse battery"',
  "postgres://admin:s3cr3t@db.example.com/app",
  "Bearer abc123DEF456ghi",
  "EMP-123456",
  "emp-1234567",
  "Anna Smith",
  "Mr. Smith",
  "12 High Street, Springfield 12345",
  "-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn\nygWyF0K1abcdefghijk==\n-----END PRIVATE KEY-----",
  "[REDACTED_EMAIL]",
  "password: hunter2[REDACTED_EMAIL]",
  "４１１１ 1111\u200b 1111–1111",
  "𝟒𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏",
  "anna\u00ad.smith＠example．com",
  "anna\\.smith@example\\.com",
  "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkw\nIiwibmFtZSI6IkpvaG4ifQ.SflKxwRJSMeKKF2QT4fwpMeJf3\n6POk6yJ",
  "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkw\r\n> IiwibmFtZSI6IkpvaG4ifQ.SflKxwRJSMeKKF2QT4fwpMeJf3\r\n> 6POk6yJ",
  "-----BEGIN PRIVATE KEY-----\r\nMIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn\r\nygWyF0K1abcdefghijk==\r\n-----END PRIVATE KEY-----",
  "601 234 567",
  "EMP-12\u200b3456",
  "社員：１２３",
  "[REDACTED_A4111111111111111]",
]
const PLAIN = [
  "the",
  "quick",
  "fox.",
  "on",
  "2024-01-02,",
  "version",
  "1.2.3",
  "😀",
  "𝒳𝒴",
  "e\u0301tude",
  "I",
  "London",
  "12",
  "-",
  "(",
  '"',
  "我叫张伟。",
  "привет",
  "a@b",
  "tel",
  "call",
  "account",
  "\u00ad",
  "\u200b",
  "\\",
  "C:\\.ssh\\id",
  "–",
  "👩‍👧",
  "\ud835",
  "card",
  "مدة العقد ١٢",
]
const GAPS = [" ", "  ", "\n", "\n\n", ", ", "", ": ", "\t"]

const text = fc
  .array(fc.tuple(fc.constantFrom(...VALUES, ...PLAIN, ...PLAIN), fc.constantFrom(...GAPS, " ", " ")), {
    maxLength: 24,
  })
  .map(parts => parts.flat().join(""))
const cuts = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 40 })

const everything = parseRedaction(
  {
    custom_patterns: [
      { name: "EMPLOYEE_ID", pattern: "\\bEMP-\\d{6}\\b", flags: "i" },
      { name: "BRACKETED", pattern: "\\(\\w+( \\w+)*\\)" },
      { name: "LINE", pattern: "^fox.*$", flags: "m" },
      { name: "STAFF", pattern: "社員：[０-９]+" },
    ],
  },
  false,
)!

/** Cuts by UTF-16 units, pairs and all: a model server may do the same. */
function cut(whole: string, sizes: number[]): string[] {
  const deltas: string[] = []
  for (let at = 0, i = 0; at < whole.length; i++) {
    deltas.push(whole.slice(at, at + sizes[i % sizes.length]!))
    at += sizes[i % sizes.length]!
  }
  return deltas
}

async function streamed(redactor: Redactor, policy: RedactionPolicy, deltas: string[]) {
  const stream = redactor.stream(policy)
  const shown: string[] = []
  for (const delta of deltas) shown.push(await stream.push(delta))
  shown.push(await stream.end())
  return { shown, entities: stream.entities, partial: stream.partial }
}

describe("for every way of cutting a text into deltas", () => {
  for (const [name, model] of [
    ["a model that knows names", modelThatKnows(["Anna Smith", "Smith", "张伟"])],
    ["a model that reacts to every character of its window", touchyModel()],
  ] as const) {
    test(`the joined output equals the redaction of the whole, with ${name}`, async () => {
      const redactor = new Redactor({ entityModel: model })
      await fc.assert(
        fc.asyncProperty(text, cuts, async (whole, sizes) => {
          const expected = await redactor.redact(whole, everything)
          const { shown, entities, partial } = await streamed(redactor, everything, cut(whole, sizes))
          expect(shown.join("")).toBe(expected.text)
          expect(entities).toEqual(expected.entities)
          expect(partial).toBe(expected.partial)
        }),
        { numRuns: 400 },
      )
    })
  }

  test("no delta holds a part of a value", async () => {
    const redactor = new Redactor({ entityModel: modelThatKnows(["Anna Smith"]) })
    await fc.assert(
      fc.asyncProperty(text, cuts, async (whole, sizes) => {
        const { entities } = await redactor.redact(whole, everything)
        const { shown } = await streamed(redactor, everything, cut(whole, sizes))
        // What has been shown after each delta ends outside of every value: it is the redaction of a prefix.
        let joined = ""
        for (const delta of shown) {
          joined += delta
          expect(REPLACED(whole, entities).startsWith(joined)).toBe(true)
        }
        const all = shown.join("")
        for (const { start, end } of entities) {
          const value = whole.slice(start, end)
          const elsewhere = REPLACED(whole, entities).includes(value)
          if (!elsewhere) expect(all).not.toContain(value)
        }
      }),
      { numRuns: 200 },
    )
  })
})

describe("what is held back", () => {
  const redactor = new Redactor({ entityModel: modelThatKnows([]) })

  test("prose comes out word by word", async () => {
    const stream = redactor.stream(parseRedaction(true, false)!)
    const words = "we went to the market and bought some bread for the evening meal".split(/(?= )/)
    const shown: string[] = []
    for (const word of words) shown.push(await stream.push(word))
    // One word behind: whether it ends is known when the next begins.
    for (const [index, word] of words.slice(0, -1).entries())
      expect(shown.slice(0, index + 2).join("")).toContain(word.trim())
  })

  test("a custom pattern holds only what could still match it", async () => {
    const policy = parseRedaction({ kinds: [], custom_patterns: [{ name: "X", pattern: "abc\\d+z" }] }, false)!
    const stream = redactor.stream(policy)
    expect(await stream.push("one abc12")).toBe("one ")
    expect(await stream.push("3 two ")).toBe("abc123 two ")
    expect(await stream.push("abc1z ")).toBe("[REDACTED_X] ")
    expect(await stream.end()).toBe("")
  })

  test("the end gives the rest", async () => {
    const stream = redactor.stream(parseRedaction({ kinds: ["EMAIL"] }, false)!)
    expect(await stream.push("to anna@exam")).toBe("to ")
    expect(await stream.push("ple.com")).toBe("")
    expect(await stream.end()).toBe("[REDACTED_EMAIL]")
  })
})
