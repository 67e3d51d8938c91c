/** The models that can be used, as they stand now. */
import { Elysia, t } from "elysia"
import { caller } from "../context.ts"
import { integer, nullable, operation, Time } from "../schemas.ts"
import type { Services } from "../services.ts"

const ModelSchema = t.Object(
  {
    label: t.String({ examples: ["Llama 3.2 3B"] }),
    value: t.String({ description: "What requests name", examples: ["ollama/llama3.2:3b"] }),
    available: t.Boolean(),
    status: t.Union([t.Literal("loaded"), t.Literal("ready"), t.Literal("unavailable")]),
    status_reason: nullable(t.String({ description: "Why it is unavailable" })),
    provider: t.String({ examples: ["ollama"] }),
    local: t.Boolean({ description: "False where prompts would leave this network" }),
    capabilities: t.Array(t.Union([t.Literal("chat"), t.Literal("tools"), t.Literal("vision"), t.Literal("thinking")])),
    context_length: nullable(integer({ description: "Tokens" })),
    size_bytes: nullable(integer()),
    default: t.Boolean({ description: "Used by requests that name no model" }),
    checked_at: Time,
  },
  { title: "Model" },
)

export const modelRoutes = ({ models }: Services) =>
  new Elysia().use(caller).get("/external/models", () => models.list(), {
    scope: "models:read",
    detail: operation({
      summary: "List chat models",
      description: `Probed live: a look older than five seconds is repeated, and a dead model server delays the answer by at most one
second; its last known models are then listed as \`unavailable\`. \`builtin/extractive\` is always there: it answers by quoting
the library, without a language model.`,
      tag: "Models",
      success: { description: "All chat models", schema: t.Array(ModelSchema) },
    }),
  })
