/** What a request for a reply may hold. */
import { type Static, t } from "elysia"
import type { TurnRequest } from "../chat/settings.ts"
import { EndUser, integer, JsonObject, optional, withoutNulls } from "./schemas.ts"

const MAX_MESSAGE = 100_000

export const MessageText = t.String({ minLength: 1, maxLength: MAX_MESSAGE })

const Options = t.Object(
  {
    temperature: optional(t.Number({ minimum: 0, maximum: 2 })),
    top_p: optional(t.Number({ minimum: 0, maximum: 1 })),
    max_tokens: optional(integer({ minimum: 1, maximum: 1_000_000 })),
    seed: optional(integer()),
    stop: optional(t.Array(t.String(), { maxItems: 16 })),
  },
  { description: "Left to the model where absent" },
)

/** Every field but the message; each is optional, and null is the same as absent. */
export const turnFields = {
  model: optional(
    t.String({
      minLength: 1,
      maxLength: 256,
      description: "A `value` of the model list",
      examples: ["ollama/llama3.2:3b"],
    }),
  ),
  title: optional(t.String({ maxLength: 500 })),
  system_prompt: optional(t.String({ maxLength: MAX_MESSAGE })),
  use_library: optional(t.Boolean({ description: "Search the library for the answer; true by default" })),
  context_id: optional(
    t.String({
      maxLength: 128,
      description:
        "Search only this scope, or the files given to this `conv_…`; an empty one takes the scope off again. Under redaction a private name that no file has is 400",
    }),
  ),
  file_ids: optional(
    t.Array(t.String({ maxLength: 64 }), { description: "Search only these files; pictures go to models that see" }),
  ),
  filter: optional(
    t.Any({
      description:
        "Search only the files that pass this filter (see POST /external/search); kept for what follows, and taken off by an empty object. Under redaction a private text in it is 400",
      examples: [{ type: "eq", key: "metadata.year", value: 2026 }],
    }),
  ),
  options: optional(Options),
  thinking: optional(t.Boolean({ description: "Let the model think before it answers, where it can" })),
  response_format: optional(
    t.Union([t.String(), JsonObject], {
      description:
        '`"json"` or a JSON Schema. Under redaction its texts are redacted like the prompt; names of properties that are private are 400',
    }),
  ),
  redaction: optional(t.Any({ description: "true, false or a redaction object (see POST /external/redact)" })),
  end_user: optional(EndUser),
  additional_metadata: optional(
    t.Record(t.String(), t.Any(), {
      description:
        "Stored and returned with the conversation, at most 16 KB; under redaction its values and keys are redacted. Its keys model, system_prompt, context_id, file_ids, redaction and title stand in for missing fields",
    }),
  ),
}

const TurnFields = t.Object(turnFields)

/** Null is the same as absent. */
export function turnRequestOf(body: Static<typeof TurnFields> & { message?: string | null }): TurnRequest {
  const { options, ...given } = body
  const request = withoutNulls(given)
  return options ? { ...request, options: withoutNulls(options) } : request
}
