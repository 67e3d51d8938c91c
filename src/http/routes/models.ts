/** The models that can be used, as they stand now. */
import { Elysia, t } from "elysia"
import { caller } from "../context.ts"
import { operation } from "../operation.ts"
import { integer, nullable, oneOf, Time } from "../schemas.ts"
import type { Services } from "../services.ts"

const ModelSchema = t.Object(
  {
    label: t.String({ examples: ["Llama 3.2 3B"] }),
    value: t.String({ description: "What requests name", examples: ["ollama/llama3.2:3b"] }),
    available: t.Boolean({ examples: [true] }),
    status: oneOf(["loaded", "ready", "unavailable"]),
    status_reason: nullable(t.String({ description: "Why it is unavailable" }), { examples: [null] }),
    provider: t.String({ examples: ["ollama"] }),
    local: t.Boolean({ description: "False where prompts would leave this network", examples: [true] }),
    capabilities: t.Array(oneOf(["chat", "tools", "vision", "thinking"])),
    context_length: nullable(integer({ description: "Tokens", examples: [131_072] })),
    size_bytes: nullable(integer({ examples: [2_019_393_189] })),
    default: t.Boolean({ description: "Used by requests that name no model", examples: [true] }),
    checked_at: Time,
  },
  { title: "Model" },
)

const listModels = operation({
  id: "listModels",
  audit: "nothing",
  scope: "models:read",
  summary: "List chat models",
  description: `Probed live: a look older than five seconds is repeated, and a dead model server delays the answer by at most one
second; its last known models are then listed as \`unavailable\`. \`builtin/extractive\` is always there: it answers by quoting
the library, without a language model.`,
  tag: "Models",
  answers: { 200: { description: "All chat models", schema: t.Array(ModelSchema) } },
})

export const modelRoutes = ({ models }: Services) =>
  new Elysia().use(caller).get("/external/models", ({ principal }) => models.list(principal.view.models), listModels())
