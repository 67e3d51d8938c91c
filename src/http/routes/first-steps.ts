/** How far a new installation has come: what the console's first page checks. */
import { Elysia, t } from "elysia"
import { principalOfUser } from "../../access/user-principal.ts"
import { operation } from "../operation.ts"
import { nullable, oneOf } from "../schemas.ts"
import type { Services } from "../services.ts"
import { sessionCaller } from "../session.ts"
import { keysOf } from "./keys.ts"

const FirstSteps = t.Object(
  {
    model: t.Boolean({ description: "A language model is connected and answers", examples: [false] }),
    file: t.Boolean({ description: "A file of the workspace is searchable", examples: [true] }),
    answer: t.Boolean({ description: "The caller sees a conversation", examples: [false] }),
    key: t.Boolean({ description: "The caller sees an API key", examples: [false] }),
    ollama: t.Object(
      {
        address: nullable(t.String({ description: "On this machine; null where `--offline` forbids the look" }), {
          examples: ["http://127.0.0.1:11434"],
        }),
        configured: t.Boolean({ description: "It is the one of the settings", examples: [true] }),
        state: oneOf(["absent", "empty", "ready"], { description: "`empty`: it runs and has no model" }),
      },
      { description: "What was found on this machine's loopback" },
    ),
  },
  { title: "FirstSteps" },
)

const getFirstSteps = operation({
  id: "getFirstSteps",
  audit: "nothing",
  session: "member",
  summary: "How far a new installation has come",
  description:
    "In the workspace of the session. Looks for Ollama on the loopback of the daemon's machine, nowhere else.",
  tag: "Console",
  answers: { 200: { description: "The steps", schema: FirstSteps } },
})

const FIRST = { page: 1, pageSize: 1 }

export const firstStepsRoutes = (services: Services) => {
  const { models, library, chat, apiKeys, localOllama } = services
  return new Elysia({ prefix: "/external/keys" }).use(sessionCaller(services)).get(
    "/first-steps",
    async ({ session }) => {
      const { view } = principalOfUser(session)
      const [known, files, conversations, keys, ollama] = await Promise.all([
        models.list(null),
        library.list(view, { ...FIRST, sort: "created_at", order: "desc", status: ["searchable"] }),
        chat.list(view, FIRST),
        keysOf(apiKeys, session),
        localOllama.find(),
      ])
      return {
        model: known.some(({ available, provider }) => available && provider !== "builtin"),
        file: files.total > 0,
        answer: conversations.total > 0,
        key: keys.some(({ revoked_at }) => revoked_at === null),
        ollama,
      }
    },
    getFirstSteps(),
  )
}
