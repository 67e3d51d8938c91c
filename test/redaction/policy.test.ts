/** The `redaction` field: what it accepts, what it refuses and how, what enforcement overrides. */
import { describe, expect, test } from "bun:test"
import { AppError } from "../../src/errors.ts"
import { setLogSink } from "../../src/log.ts"
import { countByKind, parseRedaction, Redactor } from "../../src/redaction/redact.ts"
import { modelThatKnows } from "./support.ts"

function refusal(input: unknown): AppError {
  try {
    parseRedaction(input, false)
  } catch (error) {
    if (error instanceof AppError) return error
  }
  throw new Error("it was accepted")
}

const withPattern = (pattern: unknown) => ({ custom_patterns: [pattern] })

describe("the redaction field", () => {
  test("off: absent, null, false, enabled false", () => {
    for (const input of [undefined, null, false, { enabled: false }]) expect(parseRedaction(input, false)).toBeNull()
  })

  test("true and {} mean every kind", () => {
    for (const input of [true, {}, { enabled: true }]) expect(parseRedaction(input, false)!.kinds).toHaveLength(9)
  })

  test("categories choose kinds; kinds override categories", () => {
    expect(parseRedaction({ categories: ["financial"] }, false)!.kinds).toEqual(["CREDIT_CARD", "BANK_ACCOUNT"])
    expect(parseRedaction({ categories: ["financial"], kinds: ["EMAIL"] }, false)!.kinds).toEqual(["EMAIL"])
  })

  test("custom patterns may be named as kinds, and their category as category, to no effect", () => {
    const pattern = withPattern({ name: "EMPLOYEE_ID", pattern: "a" })
    expect(parseRedaction({ ...pattern, kinds: ["EMAIL", "EMPLOYEE_ID"] }, false)!.kinds).toEqual(["EMAIL"])
    expect(parseRedaction({ ...pattern, categories: ["custom"] }, false)!.kinds).toEqual([])
    expect(refusal({ kinds: ["EMPLOYEE_ID"] }).details![0]!.field).toBe("redaction.kinds")
  })

  test("enforced: neither off nor narrowing nor exclusion counts; custom patterns are added", () => {
    for (const input of [undefined, false, { enabled: false }, { kinds: ["EMAIL"], exclude: ["x"] }]) {
      const policy = parseRedaction(input, true)!
      expect(policy.kinds).toHaveLength(9)
      expect(policy.exclude).toEqual([])
    }
    expect(parseRedaction(withPattern({ name: "X", pattern: "a" }), true)!.customPatterns).toHaveLength(1)
  })

  test("a stored policy reads back as itself", () => {
    const policy = parseRedaction(
      { kinds: ["EMAIL"], exclude: ["A@b.c"], ...withPattern({ name: "X", pattern: "a" }) },
      false,
    )!
    expect(parseRedaction(JSON.parse(JSON.stringify(policy.source)), false)).toEqual(policy)
  })

  test("wrong shapes are invalid_request and name the field", () => {
    for (const [input, field] of [
      ["yes", "redaction"],
      [[], "redaction"],
      [{ categories: ["secret"] }, "redaction.categories"],
      [{ kinds: ["PHONES"] }, "redaction.kinds"],
      [{ exclude: "Acme" }, "redaction.exclude"],
      [{ enabled: 1 }, "redaction.enabled"],
      [{ custom_patterns: {} }, "redaction.custom_patterns"],
      [{ custom_patterns: Array(51).fill({ name: "X", pattern: "a" }) }, "redaction.custom_patterns"],
      [withPattern({ name: "X" }), "redaction.custom_patterns[0]"],
    ] as const) {
      const error = refusal(input)
      expect(error.code).toBe("invalid_request")
      expect(error.details![0]!.field).toBe(field)
    }
  })

  test("a bad pattern or name is invalid_pattern (422) and named", () => {
    for (const pattern of [
      { name: "BAD", pattern: "a(" },
      { name: "BAD", pattern: "(a)\\1" },
      { name: "BAD", pattern: "(?<=a)b" },
      { name: "BAD", pattern: "" },
      { name: "BAD", pattern: "a".repeat(1001) },
      { name: "bad", pattern: "a" },
      { name: `B${"A".repeat(32)}`, pattern: "a" },
      { name: "BAD", pattern: "a", flags: "g" },
      { name: "BAD", pattern: "a", flags: "ii" },
    ]) {
      const error = refusal(withPattern(pattern))
      expect(error.status).toBe(422)
      expect(error.code).toBe("invalid_pattern")
      expect(error.message).toContain(pattern.name.slice(0, 20))
    }
  })
})

describe("a redaction", () => {
  const redactor = new Redactor({ entityModel: modelThatKnows(["Anna Smith", "Acme Corp"]) })
  const redact = async (text: string, input: unknown = true) => redactor.redact(text, parseRedaction(input, false)!)

  test("gives offsets in UTF-16 units of the given text", async () => {
    const text = "😀 e\u0301 𝒳 anna@example.com"
    const { entities } = await redact(text)
    expect(text.slice(entities[0]!.start, entities[0]!.end)).toBe("anna@example.com")
    expect(entities[0]).toMatchObject({ kind: "EMAIL", category: "personal", start: 9, end: 25 })
  })

  test("takes only replacements of kinds that exist for replacements", async () => {
    const policy = parseRedaction({ custom_patterns: [{ name: "STAFF_7", pattern: "staff \\d+" }] }, false)!
    const kept = "[REDACTED_STAFF_7] password: [REDACTED_PASSWORD]"
    expect((await redactor.redact(kept, policy)).text).toBe(kept)
    expect((await redactor.redact("[REDACTED_A4111111111111111]", policy)).text).toBe(
      "[REDACTED_A[REDACTED_CREDIT_CARD]]",
    )
  })

  test("changes nothing the second time", async () => {
    const first = await redact("Anna Smith, anna@example.com, password: hunter2, card 4111111111111111")
    const second = await redact(first.text)
    expect(second).toEqual({ text: first.text, entities: [], partial: false })
  })

  test.each([
    ["Priya Natarajan <p.natarajan@example.com>", "[REDACTED_NAME] <[REDACTED_EMAIL]>"],
    ['"John Q. Smith" <js@example.com>', '"[REDACTED_NAME]" <[REDACTED_EMAIL]>'],
    ["Contact Maria Garcia (maria@example.com)", "Contact [REDACTED_NAME] ([REDACTED_EMAIL])"],
    ["Maria Garcia, office@example.com", "[REDACTED_NAME], [REDACTED_EMAIL]"],
    ["Support Team <support@example.com>", "Support Team <[REDACTED_EMAIL]>"],
  ])("finds whose address it is: %s", async (text, expected) => {
    expect((await redact(text)).text).toBe(expected)
  })

  test("takes in the whole of a postcode that the model cuts", async () => {
    const text = "Ship to 221B Baker Street, London NW1 6XE. Nothing else."
    for (const cut of [
      "221B Baker Street, London",
      "221B Baker Street, London NW1",
      "221B Baker Street, London NW1 6",
    ]) {
      const cutting = new Redactor({ entityModel: modelThatKnows([cut], "ADDRESS") })
      const { text: redacted } = await cutting.redact(text, parseRedaction(true, false)!)
      expect(redacted).toBe("Ship to [REDACTED_ADDRESS]. Nothing else.")
    }
  })

  test("leaves excluded values alone, whole and in any case", async () => {
    const { text } = await redact("Anna Smith of Acme Corp", { exclude: ["ACME corp", "Anna"] })
    expect(text).toBe("[REDACTED_NAME] of Acme Corp")
  })

  test("credentials come before personal data, and the rest of what was outranked stays hidden", async () => {
    const { text } = await redact("x Anna Smith password: Anna Smith9! y", {
      custom_patterns: [{ name: "WHOLE", pattern: "hidden \\S+ part" }],
    })
    expect(text).not.toContain("Smith")
    expect(
      (await redact("hidden a@example.com part", withPattern({ name: "WHOLE", pattern: "hidden \\S+ part" }))).text,
    ).toBe("[REDACTED_WHOLE]")
    expect((await redact("card 4111111111111111", withPattern({ name: "FOUR", pattern: "\\d{4}" }))).text).toBe(
      "card [REDACTED_CREDIT_CARD]",
    )
  })

  test("reaches every string of a JSON value, and judges it by its key", async () => {
    const given = { to: ["anna@example.com"], password: "hunter2", n: 3, card: 4111111111111111, ok: true, none: null }
    const { value, entities } = await redactor.redactValue(given, parseRedaction(true, false)!)
    expect(value as unknown).toEqual({
      to: ["[REDACTED_EMAIL]"],
      password: "[REDACTED_PASSWORD]",
      n: 3,
      card: "[REDACTED_CREDIT_CARD]",
      ok: true,
      none: null,
    })
    expect(countByKind(entities)).toEqual({ EMAIL: 1, PASSWORD: 1, CREDIT_CARD: 1 })
  })

  test("without the entity model it fails where names are asked for, and works where they are not", async () => {
    setLogSink(() => {})
    for (const load of [() => undefined, () => Promise.reject(new Error("no such file"))]) {
      const broken = new Redactor({ entityModel: load() })
      const all = parseRedaction(true, false)!
      await expect(broken.redact("Anna", all)).rejects.toMatchObject({ code: "model_unavailable", status: 503 })
      await expect(broken.stream(all).push("Anna")).rejects.toMatchObject({ code: "model_unavailable" })
      expect((await broken.redact("a@example.com", parseRedaction({ kinds: ["EMAIL"] }, false)!)).text).toBe(
        "[REDACTED_EMAIL]",
      )
    }
  })
})
