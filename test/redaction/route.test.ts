/** `POST /external/redact` on the real application, with the built-in entity model. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"

// The first request loads the model.
setDefaultTimeout(60_000)

let app: TestApp
let client: Client

beforeAll(async () => {
  app = await startTestApp()
  client = await app.client()
})
afterAll(() => app.stop())

const TEXT = "😀 My name is Anna Smith, write to anna@example.com or 12 High Street, Springfield."

describe("POST /external/redact", () => {
  test("redacts everything by default and says where it was", async () => {
    const { status, body } = await client.post("/redact", { text: TEXT })
    expect(status).toBe(200)
    expect(body.text).toStartWith("😀 My name is [REDACTED_NAME], write to [REDACTED_EMAIL] or [REDACTED_ADDRESS]")
    expect(body.ner_count).toBe(3)
    for (const { start, end } of body.entities) expect(TEXT.slice(start, end)).not.toContain("[")
    expect(TEXT.slice(body.entities[0].start, body.entities[0].end)).toBe("Anna Smith")
    expect(body.entities.map((entity: { category: string }) => entity.category)).toEqual(Array(3).fill("personal"))
  })

  test("narrows to kinds, adds custom patterns, leaves excluded values", async () => {
    const { body } = await client.post("/redact", {
      text: "Anna Smith emp-123456 anna@example.com bob@example.com",
      redaction: {
        kinds: ["EMAIL"],
        exclude: ["BOB@example.com"],
        custom_patterns: [{ name: "EMPLOYEE_ID", pattern: "EMP-\\d{6}", flags: "i" }],
      },
    })
    expect(body.text).toBe("Anna Smith [REDACTED_EMPLOYEE_ID] [REDACTED_EMAIL] bob@example.com")
  })

  test("false changes nothing", async () => {
    const { body } = await client.post("/redact", { text: TEXT, redaction: false })
    expect(body).toEqual({ text: TEXT, ner_count: 0, entities: [], warnings: [] })
  })

  test("warns where the text holds writing whose names are not known, and redacts the rest of it", async () => {
    const { body } = await client.post("/redact", { text: "რა ვადა აქვს ხელშეკრულებას? anna@example.com" })
    expect(body.text).toBe("რა ვადა აქვს ხელშეკრულებას? [REDACTED_EMAIL]")
    expect(body.warnings.map((warning: { code: string }) => warning.code)).toEqual(["redaction_partial"])
    const latin = await client.post("/redact", { text: "Ångström uses the sign Å, and Δt = 3 µs of α-rays" })
    expect(latin.body.warnings).toEqual([])
    const narrowed = await client.post("/redact", { text: "ما هي مدة العقد؟", redaction: { kinds: ["EMAIL"] } })
    expect(narrowed.body.warnings).toEqual([])
  })

  test("a bad pattern is 422 and named, a bad field 400 and named, no text 400", async () => {
    const bad = await client.post("/redact", {
      text: "x",
      redaction: { custom_patterns: [{ name: "BAD", pattern: "(" }] },
    })
    expect([bad.status, bad.body.error.code]).toEqual([422, "invalid_pattern"])
    expect(bad.body.error.message).toContain("BAD")
    const kinds = await client.post("/redact", { text: "x", redaction: { kinds: ["NAMES"] } })
    expect([kinds.status, kinds.body.error.details[0].field]).toEqual([400, "redaction.kinds"])
    expect((await client.post("/redact", {})).status).toBe(400)
  })

  test("needs the scope chat", async () => {
    const other = await app.client("default", { scopes: ["search"] })
    expect((await other.post("/redact", { text: "x" })).status).toBe(403)
  })

  test("where the daemon enforces redaction a request cannot switch it off", async () => {
    await app.restart({ "enforce-redaction": "true" })
    const { body } = await client.post("/redact", { text: "anna@example.com", redaction: { enabled: false } })
    expect(body.text).toBe("[REDACTED_EMAIL]")
    await app.restart({ "enforce-redaction": "false" })
  })
})
