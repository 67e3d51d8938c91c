/** What the routes of tokens for streams take and answer. */
import { t } from "elysia"
import { DEFAULT_STREAM_TOKEN_S, MAX_STREAM_TOKEN_S } from "../../access/stream-tokens.ts"
import { operation } from "../operation.ts"
import { closed, integer, optional, Time } from "../schemas.ts"

const TOKEN = "1795428060.key_01m7y48vkz3s85f1acdta3.ozYxqM2V…"

const description = `For clients that can send no headers, such as a browser's \`EventSource\`: an application asks for it and hands
\`url\` to its page. It opens this one stream, acts for who asked, with what they still see and may do, and is good for
that time only: a stream that has begun goes on beyond it, and ends with its key or scoped token. Whoever connects again
after that time is refused (401) and asks for a new one; \`after\` then stands for the \`Last-Event-ID\` that a new
\`EventSource\` cannot send. Not for console sessions.`

const shared = {
  description,
  tag: "Keys and sessions",
  body: optional(
    closed({
      expires_in: optional(
        integer({ minimum: 1, maximum: MAX_STREAM_TOKEN_S, default: DEFAULT_STREAM_TOKEN_S, description: "Seconds" }),
      ),
    }),
  ),
  example: { expires_in: 60 },
  answers: {
    201: {
      description: "The token",
      schema: t.Object(
        {
          url: t.String({
            examples: [`/external-docs/external/events?stream_token=${TOKEN}`],
            description: "Of the stream, on this server, with the token",
          }),
          token: t.String({ examples: [TOKEN] }),
          expires_at: Time,
        },
        { title: "StreamToken" },
      ),
    },
  },
} as const

export const createConversationStreamToken = operation({
  id: "createConversationStreamToken",
  audit: { action: "stream_token.create", id: "params.conversation_id" },
  scope: "chat",
  summary: "Make a token that opens the stream of a conversation",
  params: t.Object({ conversation_id: t.String() }),
  errors: ["not_found"],
  ...shared,
})

export const createRunStreamToken = operation({
  id: "createRunStreamToken",
  audit: { action: "stream_token.create", id: "params.run_id" },
  scope: "agents",
  summary: "Make a token that opens the stream of a run",
  params: t.Object({ run_id: t.String() }),
  errors: ["not_found"],
  ...shared,
})

export const createFileStreamToken = operation({
  id: "createFileStreamToken",
  audit: { action: "stream_token.create", id: "params.file_id" },
  scope: "files:read",
  summary: "Make a token that opens the stream of a file",
  params: t.Object({ file_id: t.String() }),
  errors: ["not_found"],
  ...shared,
})

export const createEventStreamToken = operation({
  id: "createEventStreamToken",
  audit: { action: "stream_token.create" },
  scope: "webhooks",
  summary: "Make a token that opens the stream of events",
  ...shared,
})
