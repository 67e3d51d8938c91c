/** What the routes of answers' records take and answer. */
import { t } from "elysia"
import { AnswerRecordSchema, ReplaySchema } from "../answer-record.ts"
import { ConversationEvent, STREAM } from "../conversation-record.ts"
import { operation } from "../operation.ts"
import { oneOf, optional } from "../schemas.ts"

const ofMessage = t.Object({ conversation_id: t.String(), message_id: t.String() })

export const getAnswerRecord = operation({
  id: "getAnswerRecord",
  audit: { action: "record.read", id: "params.message_id" },
  scope: "chat",
  summary: "Show what made an answer",
  description:
    "Model, options, query, passages as they were given, what was left out, calls of tools, redaction. Of a file that is deleted since, or that the caller does not see, the texts are not told. A reply that is being written has a record once its first words have come. With `compare=now` the same query is searched again.",
  tag: "Conversations",
  params: ofMessage,
  query: t.Object({
    prompt: t.Optional(oneOf(["true", "false"], { description: "Tell the turns of the prompt as well" })),
    compare: t.Optional(oneOf(["now"], { description: "Tell what the passages would be now" })),
  }),
  answers: { 200: { description: "The record", schema: AnswerRecordSchema } },
  errors: ["not_found", "store_unavailable"],
})

export const replayAnswer = operation({
  id: "replayAnswer",
  audit: { action: "record.replay", id: "params.message_id" },
  scope: "chat",
  summary: "Ask the model with the prompt of a stored answer again",
  description: `The same prompt, options and seed, to the same model or the one that is named. The conversation stays as it is, nothing is stored, and who leaves stops the model. 409 where the prompt cannot be made again: a text of it is deleted, changed or not seen by the caller.\n\n${STREAM}\n\nThe stream begins with \`sources\`, and its \`message_completed\` names the stored answer. With \`Accept: application/json\` the answer is one JSON body, with the difference between the passages then and now.`,
  tag: "Conversations",
  params: ofMessage,
  body: t.Optional(
    t.Object({
      model: optional(t.String({ minLength: 1, maxLength: 256, description: "A `value` of the model list" })),
    }),
  ),
  example: { model: "ollama/llama3.2:3b" },
  answers: {
    200: {
      description: "The new answer: as events, or with `Accept: application/json` as one body",
      schema: ReplaySchema,
      events: ConversationEvent,
    },
  },
  errors: ["not_found", "conflict", "model_not_found", "model_error", "model_unavailable", "store_unavailable"],
})
