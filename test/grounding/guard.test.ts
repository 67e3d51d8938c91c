/** The gate itself: what it lets through as it is, what it searches, and what the compiler refuses. */
import { describe, expect, spyOn, test } from "bun:test"
import { CHAT_REQUEST, type ChatRequest } from "../../src/backends/backend.ts"
import { Guard } from "../../src/grounding/guard.ts"
import type { Fields, Guarded } from "../../src/guarded.ts"
import { parseRedaction, Redactor } from "../../src/redaction/redact.ts"
import { modelThatKnows } from "../redaction/support.ts"
import { rejection } from "../support/rejection.ts"

const MAIL = "anna@leak.example"
const CARD = 4111111111111111

/** Counts what the redactor is asked. */
function guardWith(redaction: unknown, names: string[] = []) {
  const searched: string[] = []
  const redactor = new (class extends Redactor {
    override redact(text: string, policy: Parameters<Redactor["redact"]>[1]) {
      searched.push(text)
      return super.redact(text, policy)
    }
  })({ entityModel: modelThatKnows(names) })
  return { guard: new Guard(redactor, parseRedaction(redaction, false)), searched }
}

interface Note {
  id: string
  title: string
  count: number
  body: Record<string, unknown>
  tags: string[]
  picture?: { data: string }
  parts: { kind: "a" | "b"; words: string | null }[]
}
const NOTE: Fields<Note> = {
  id: "own",
  title: "text",
  count: "number",
  body: "json",
  tags: "text",
  picture: { data: "own" },
  parts: { kind: "own", words: "text" },
}
const note = (): Note => ({
  id: MAIL,
  title: `by ${MAIL}`,
  count: CARD,
  body: { [MAIL]: MAIL, n: CARD },
  tags: [MAIL, "boats"],
  parts: [
    { kind: "a", words: MAIL },
    { kind: "b", words: null },
  ],
})

describe("a record at the door", () => {
  test("is walked by its table: words, keys and numbers are replaced, what is the daemon's own stays", async () => {
    const { guard } = guardWith(true)
    const passed = await guard.pass(note(), NOTE)
    expect(passed).toMatchObject({
      id: MAIL,
      title: "by [REDACTED_EMAIL]",
      body: { "[REDACTED_EMAIL]": "[REDACTED_EMAIL]", n: "[REDACTED_CREDIT_CARD]" },
      tags: ["[REDACTED_EMAIL]", "boats"],
      parts: [
        { kind: "a", words: "[REDACTED_EMAIL]" },
        { kind: "b", words: null },
      ],
    })
    expect(passed.count).toBeNumber()
    expect(passed.count).not.toBe(CARD)
    expect((await guard.pass(note(), NOTE)).count).toBe(passed.count)
  })

  test("loses what its table does not name", async () => {
    const { guard } = guardWith(true)
    const given = { ...note(), later: MAIL }
    expect(JSON.stringify(await guard.pass<Note>(given, { ...NOTE, id: "text" }))).not.toContain("leak.example")
  })

  test("passes as it is where nothing is redacted", async () => {
    const { guard, searched } = guardWith(false)
    const given = note()
    expect(await guard.pass(given, NOTE)).toBe(given as Guarded<Note>)
    expect(await guard.text(MAIL)).toBe(MAIL as Guarded<string>)
    expect(searched).toEqual([])
  })

  test("a request keeps its control, and pictures stay behind", async () => {
    const { guard } = guardWith({ custom_patterns: [{ name: "ANY", pattern: "[a-z]+" }] })
    const { signal } = new AbortController()
    const request: ChatRequest = {
      model: "m",
      turns: [
        { role: "user", content: "x", images: [{ mimeType: "image/png", data: "AAAA" }] },
        { role: "assistant", content: "", toolCalls: [{ id: "1", name: "abc", arguments: { key: "word" } }] },
      ],
      options: { temperature: 0.5, max_tokens: 100, stop: ["end"] },
      contextTokens: 16_384,
      signal,
    }
    expect(await guard.pass(request, CHAT_REQUEST)).toEqual({
      model: "m",
      turns: [
        { role: "user", content: "[REDACTED_ANY]" },
        {
          role: "assistant",
          content: "",
          toolCalls: [{ id: "1", name: "[REDACTED_ANY]", arguments: { "[REDACTED_ANY]": "[REDACTED_ANY]" } }],
        },
      ],
      options: { temperature: 0.5, max_tokens: 100, stop: ["[REDACTED_ANY]"] },
      contextTokens: 16_384,
      signal,
    } as unknown as Guarded<ChatRequest>)
  })
})

describe("what passed before", () => {
  test("is not searched again, nor what is put together from it; a new line is", async () => {
    const { guard, searched } = guardWith(true)
    const text = await guard.text(`Write to ${MAIL}.\nBoats float.`)
    guard.trust("Answer briefly.")
    searched.length = 0
    const prompt = `Answer briefly.\n\n${text}\nBoats float.`
    expect((await guard.pass({ ...note(), title: prompt, tags: [], parts: [] }, NOTE)).title).toBe(prompt)
    expect(searched.filter(each => each.includes("Boats"))).toEqual([])
    const more = await guard.pass({ ...note(), title: `${prompt}\nand ${MAIL}`, tags: [], parts: [] }, NOTE)
    expect(more.title).toBe(`${prompt}\nand [REDACTED_EMAIL]`)
    expect(searched).toContain(`and ${MAIL}`)
  })

  test("is kept for the doors: what every turn sends again is searched once", async () => {
    const { guard, searched } = guardWith(true)
    const request = note()
    const first = await guard.pass(request, NOTE)
    searched.length = 0
    expect(await guard.pass({ ...request }, NOTE)).toEqual(first)
    expect(searched.filter(text => text.includes("leak.example"))).toEqual([])
  })

  test("counts once, and what the door finds is not counted", async () => {
    const { guard } = guardWith(true)
    const text = await guard.text(`Write to ${MAIL}.`)
    await guard.text(text)
    await guard.pass(note(), NOTE)
    expect(guard.count).toBe(1)
  })

  test("a name that was private in a sentence stays so in a list, and its key differs by policy", async () => {
    const { guard } = guardWith(true, ["Ann Bergström"])
    await guard.text("Yesterday Ann Bergström came.")
    expect(await guard.value({ list: ["Ann Bergström"] })).toEqual({ list: ["[REDACTED_NAME]"] } as never)
    expect(guard.key).toMatch(/^[0-9a-f]{64}$/)
    expect(guardWith({ kinds: ["EMAIL"] }).guard.key).not.toBe(guard.key)
    expect(guardWith(false).guard.key).toBeNull()
  })
})

test("keys that become equal are numbered, however many there are", async () => {
  const { guard } = guardWith(true)
  const members = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`p${i}@leak.example`, i]))
  const keys = Object.keys(await guard.value(members))
  expect(keys.slice(0, 3)).toEqual(["[REDACTED_EMAIL]", "[REDACTED_EMAIL] (2)", "[REDACTED_EMAIL] (3)"])
  expect(new Set(keys).size).toBe(3_000)
})

test("a value of thirty thousand members gives way to others while it is walked", async () => {
  const { guard } = guardWith(true)
  let now = 0
  const clock = spyOn(performance, "now").mockImplementation(() => ++now) // each look at it takes a millisecond
  let turns = 0
  let walking = true
  const others = () => {
    turns++
    if (walking) setImmediate(others)
  }
  setImmediate(others)
  try {
    await guard.value(Array.from({ length: 30_000 }, (_, i) => `word ${i}`))
  } finally {
    walking = false
    clock.mockRestore()
  }
  expect(turns).toBeGreaterThan(1_000)
}, 60_000)

test("private property names are refused without being repeated, wherever they stand", async () => {
  const { guard } = guardWith(true)
  for (const schema of [{ properties: { [MAIL]: {} } }, { anyOf: [{ $defs: { [MAIL]: {} } }] }]) {
    const error = await rejection(guard.refusePrivateKeys("output_schema", schema))
    expect(error).toMatchObject({ code: "invalid_request" })
    expect(error.message).toContain("output_schema: the name of a property: holds what redaction hides (EMAIL)")
    expect(error.message).not.toContain("anna")
  }
  await guard.refusePrivateKeys("output_schema", {
    properties: { email: {}, phone_number: {}, card: { enum: [MAIL] } },
  })
  await guardWith(false).guard.refusePrivateKeys("output_schema", { properties: { [MAIL]: {} } })
})

test("complaints about a private value quote no word of it, and keep the rest", async () => {
  const { guard } = guardWith(true)
  const given = { sql: `select '${MAIL}'`, n: [CARD] }
  expect(await guard.textAbout('near "@leak.example": no column anna (char 15)', given)).toBe(
    'near "[REDACTED_EMAIL]": no column [REDACTED_EMAIL] (char 15)' as Guarded<string>,
  )
  expect(await guard.textAbout("no column boat", given)).toBe("no column boat" as Guarded<string>)
})

test("the compiler refuses what has not passed, a changed copy of what has, and a table with a field left out", () => {
  const take = (_: Guarded<Note>) => {}
  const passed = note() as unknown as Guarded<Note>
  take(passed)
  // @ts-expect-error has not passed
  take(note())
  // @ts-expect-error a copy may have been changed
  take({ ...passed, title: MAIL })
  const { tags: _, ...rest } = NOTE
  // @ts-expect-error tags are missing
  const table: Fields<Note> = rest
  // @ts-expect-error a number is no text
  const wrong: Fields<Note> = { ...NOTE, count: "text" }
  expect([table, wrong]).toHaveLength(2)
})
