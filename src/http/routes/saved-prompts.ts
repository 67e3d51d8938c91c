/** Prompts that the signed-in user keeps. */
import { Elysia, t } from "elysia"
import { operation } from "../operation.ts"
import { Time } from "../schemas.ts"
import type { Services } from "../services.ts"
import { sessionCaller } from "../session.ts"

const SavedPrompt = t.Object(
  {
    name: t.String({ examples: ["summary"] }),
    text: t.String({ examples: ["Sum it up in five lines."] }),
    updated_at: Time,
  },
  { title: "SavedPrompt" },
)
const TAG = "Console"
const params = t.Object({
  name: t.String({ minLength: 1, maxLength: 64, description: "A word without blanks", pattern: "^[^\\s/]+$" }),
})

const listSavedPrompts = operation({
  id: "listSavedPrompts",
  audit: "nothing",
  session: "member",
  summary: "List the prompts that you keep",
  description: "In the workspace of the session; nobody else sees them.",
  tag: TAG,
  answers: { 200: { description: "By name", schema: t.Object({ data: t.Array(SavedPrompt) }) } },
})

const keepPrompt = operation({
  id: "keepPrompt",
  audit: { action: "saved_prompt.update", id: "params.name" },
  session: "member",
  summary: "Keep a prompt under a name",
  description:
    "In the place of the one that the name has; at most 200. Redacted where the daemon or the workspace insists on it.",
  tag: TAG,
  params,
  body: t.Object({ text: t.String({ minLength: 1, maxLength: 20_000 }) }),
  example: { text: "Sum it up in five lines." },
  answers: { 200: { description: "The prompt", schema: SavedPrompt } },
  errors: ["conflict"],
})

const deletePrompt = operation({
  id: "deletePrompt",
  audit: { action: "saved_prompt.delete", id: "params.name" },
  held: "not covered",
  session: "member",
  summary: "Delete a prompt",
  description: "What was asked with it stays.",
  tag: TAG,
  params,
  answers: { 204: { description: "Done" } },
  errors: ["not_found"],
})

export const savedPromptRoutes = (services: Services) => {
  const { savedPrompts } = services
  return new Elysia({ prefix: "/external/keys" })
    .use(sessionCaller(services))
    .get("/prompts", async ({ session }) => ({ data: await savedPrompts.list(session) }), listSavedPrompts())
    .put(
      "/prompts/:name",
      ({ session, params, body }) => savedPrompts.keep(session, { ...params, ...body }),
      keepPrompt(),
    )
    .delete(
      "/prompts/:name",
      async ({ session, params, set }) => {
        await savedPrompts.delete(session, params.name)
        set.status = 204
      },
      deletePrompt(),
    )
}
