/** Tokens for streams, each made under the address of its stream, by whoever may follow it. */
import { Elysia } from "elysia"
import type { Principal } from "../../access/principal.ts"
import { caller } from "../context.ts"
import { PREFIX } from "../prefix.ts"
import type { Services } from "../services.ts"
import * as docs from "./stream-tokens.docs.ts"

export const streamTokenRoutes = ({ agents, chat, library, streamTokens }: Services) => {
  const made = (principal: Principal, path: string, seconds: number | null | undefined) => {
    const token = streamTokens.make(principal, path, seconds ?? undefined)
    return { url: `${PREFIX}${path}?stream_token=${token.token}`, ...token }
  }
  return new Elysia()
    .use(caller)
    .post(
      "/external/conversations/:conversation_id/events/token",
      async ({ params: { conversation_id }, body, principal, status }) => {
        await chat.events(principal.view, conversation_id, 0) // 404 for what the caller does not see
        return status(201, made(principal, `/external/conversations/${conversation_id}/events`, body?.expires_in))
      },
      docs.createConversationStreamToken(),
    )
    .post(
      "/external/agents/runs/:run_id/events/token",
      async ({ params: { run_id }, body, principal, status }) => {
        await agents.get(principal.view, run_id)
        return status(201, made(principal, `/external/agents/runs/${run_id}/events`, body?.expires_in))
      },
      docs.createRunStreamToken(),
    )
    .post(
      "/external/libraries/:file_id/events/token",
      async ({ params: { file_id }, body, principal, status }) => {
        await library.get(principal.view, file_id)
        return status(201, made(principal, `/external/libraries/${file_id}/events`, body?.expires_in))
      },
      docs.createFileStreamToken(),
    )
    .post(
      "/external/events/token",
      ({ body, principal, status }) => status(201, made(principal, "/external/events", body?.expires_in)),
      docs.createEventStreamToken(),
    )
}
