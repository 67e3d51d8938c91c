/** Whom conversations and runs are shared with. */
import { Elysia } from "elysia"
import { caller } from "../context.ts"
import type { Services } from "../services.ts"
import * as docs from "./shares.docs.ts"

export const shareRoutes = ({ shares }: Pick<Services, "shares">) =>
  new Elysia()
    .use(caller)
    .get(
      "/external/conversations/:conversation_id/shares",
      ({ params, principal }) => shares.get(principal.view, "conversations", params.conversation_id),
      docs.getConversationShares(),
    )
    .put(
      "/external/conversations/:conversation_id/shares",
      ({ params, body, principal }) => shares.set(principal.view, "conversations", params.conversation_id, body.users),
      docs.shareConversation(),
    )
    .get(
      "/external/agents/runs/:run_id/shares",
      ({ params, principal }) => shares.get(principal.view, "agent_runs", params.run_id),
      docs.getRunShares(),
    )
    .put(
      "/external/agents/runs/:run_id/shares",
      ({ params, body, principal }) => shares.set(principal.view, "agent_runs", params.run_id, body.users),
      docs.shareRun(),
    )
