/** What `/v1/embeddings` takes and answers. */
import { t } from "elysia"
import { operation } from "../operation.ts"
import { integer, oneOf, optional } from "../schemas.ts"

/** As in the original. */
export const MAX_INPUTS = 2_048
const MAX_BODY_BYTES = 32 * 1_048_576

export const embeddingsBody = t.Object({
  model: t.String({ minLength: 1, maxLength: 400, examples: ["carrel-embed-joint-v1"] }),
  input: t.Any({
    description: `A text, or up to ${MAX_INPUTS}. Token ids are refused: LangChain sends them unless it is told \`check_embedding_ctx_length=False\``,
    examples: ["The notice period is 90 days."],
  }),
  encoding_format: optional(oneOf(["float", "base64"], { description: "`float` by default" })),
  dimensions: optional(integer({ minimum: 1, description: "Only the model's own" })),
  user: optional(t.String({ maxLength: 128 })),
})

const Embeddings = t.Object(
  {
    object: t.Literal("list"),
    data: t.Array(
      t.Object({
        object: t.Literal("embedding"),
        index: integer({ examples: [0] }),
        embedding: t.Union(
          [t.Array(t.Number()), t.String({ description: "32-bit floats, little endian, in base64" })],
          {
            description: "Of length 1; zeros for a text of which the model knows nothing",
            examples: [[0.0183, -0.0411]],
          },
        ),
      }),
    ),
    model: t.String({ examples: ["carrel-embed-joint-v1"] }),
    usage: t.Object({
      prompt_tokens: integer({ description: "Estimated", examples: [9] }),
      total_tokens: integer({ examples: [9] }),
    }),
  },
  { title: "Embeddings" },
)

export const createEmbeddings = operation({
  id: "createEmbeddings",
  audit: "nothing",
  scope: "search",
  summary: "Vectors of texts in OpenAI's shape",
  description:
    "By the model that makes the vectors of the library, as it embeds passages; a long text counts as far as the model reads. Searches and indexing go on beside it. Nothing is stored.",
  tag: "Compatible",
  compatible: true,
  body: embeddingsBody,
  maxBytes: MAX_BODY_BYTES,
  example: { model: "carrel-embed-joint-v1", input: ["The notice period is 90 days."] },
  answers: { 200: { description: "A vector for each text, in their order", schema: Embeddings, inPieces: true } },
  errors: ["model_not_found", "model_unavailable", "model_error"],
})
