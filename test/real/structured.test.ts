/** Answers with a schema: the servers force the grammar, so that every answer parses and validates, whatever the seed. */
import { describe, expect, test } from "bun:test"
import Ajv from "ajv"
import { textOf } from "../backends/chat-conformance.ts"
import { unguarded } from "../support/unguarded.ts"
import { backEnds } from "./servers.ts"

const SCHEMA = {
  type: "object",
  properties: {
    color: { type: "string", enum: ["red", "green", "blue"] },
    sold: { type: "boolean" },
    sizes: { type: "array", items: { type: "string", enum: ["small", "large"] }, minItems: 1, maxItems: 3 },
  },
  required: ["color", "sold", "sizes"],
  additionalProperties: false,
}
const SEEDS = Array.from({ length: 8 }, (_, at) => at + 1)
const validate = new Ajv().compile(SCHEMA)

describe.each(backEnds())("$name", ({ backend, model, contextTokens }) => {
  test.each(SEEDS)("an answer with seed %d parses and meets the schema", async seed => {
    const pieces = await Array.fromAsync(
      backend.chat(
        unguarded({
          model,
          turns: [{ role: "user", content: "Describe a shirt of the shop as JSON." }],
          options: { seed, temperature: 1.5, max_tokens: 200 },
          contextTokens,
          responseFormat: SCHEMA,
          signal: new AbortController().signal,
        }),
      ),
    )
    expect(pieces.at(-1)).toMatchObject({ type: "end", reason: "stop" })
    validate(JSON.parse(textOf(pieces)))
    expect(validate.errors).toBeNull()
  })
})
