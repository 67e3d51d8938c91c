/** What a request for a reply may hold. */
import { type Static, t } from "elysia"
import { IMAGE_TYPES, MAX_IMAGES } from "../chat/images/check.ts"
import { CHAT_TOOLS, HISTORIES, READINGS, type TurnRequest } from "../chat/settings.ts"
import { EndUser, integer, JsonObject, oneOf, optional, withoutNulls } from "./schemas.ts"

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
  images: optional(
    t.Array(t.Object({ mime_type: t.String({ maxLength: 100 }), data: t.String({ description: "Base64" }) }), {
      maxItems: MAX_IMAGES,
      description: `Pictures of the message, for models that see; each ${IMAGE_TYPES.join(", ")}, at most 10 MB. Kept with it and shown to the model again with later messages. Under redaction 400: what they show cannot be redacted`,
    }),
  ),
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
  reading: optional(
    oneOf(READINGS, {
      description:
        "How much of the named files (or of the context) the answer is made from: `passages` that a search finds, the `whole` of them, part by part where they are longer than the model's window, or what the question needs (`auto`)",
    }),
  ),
  tools: optional(
    t.Array(oneOf(CHAT_TOOLS), {
      maxItems: CHAT_TOOLS.length,
      uniqueItems: true,
      description: "What the model may use by itself while it answers, where it can call tools; none where empty",
    }),
  ),
  history: optional(
    oneOf(HISTORIES, {
      description: "What becomes of the oldest turns where the history is longer than the model's window",
    }),
  ),
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

/** Where pictures stand in a turn's body. */
export const TURN_PICTURES = /^images\.\d+\.data$/

const TurnFields = t.Object(turnFields)

/** Null is the same as absent. */
export function turnRequestOf(body: Static<typeof TurnFields> & { message?: string | null }): TurnRequest {
  const { options, ...given } = body
  const request = withoutNulls(given)
  return options ? { ...request, options: withoutNulls(options) } : request
}
