/** The routes of the API, once: what every walk over the route table sees. */
import { Elysia } from "elysia"
import { compatibleRoutes } from "../compatible/index.ts"
import { graphqlRoutes } from "../graphql/routes.ts"
import { mcpRoutes } from "../mcp/routes.ts"
import { PREFIX } from "../prefix.ts"
import type { Services } from "../services.ts"
import { administrationRoutes } from "./administration.ts"
import { agentRoutes } from "./agents.ts"
import { answerRecordRoutes } from "./answer-records.ts"
import { auditRoutes } from "./audit.ts"
import { batchRoutes } from "./batches.ts"
import { bulkRoutes } from "./bulk.ts"
import { consoleRoutes } from "./console.ts"
import { conversationRoutes } from "./conversations.ts"
import { jsonConversationRoutes } from "./conversations-json.ts"
import { endUserRoutes } from "./end-users.ts"
import { eventRoutes } from "./events.ts"
import { firstStepsRoutes } from "./first-steps.ts"
import { healthRoutes } from "./health.ts"
import { holdRoutes } from "./holds.ts"
import { ingestRoutes } from "./ingest.ts"
import { installationRoutes } from "./installation.ts"
import { keysRoutes } from "./keys.ts"
import { libraryRoutes } from "./library.ts"
import { libraryCountsRoutes } from "./library-counts.ts"
import { linkRoutes, viewRoutes } from "./links.ts"
import { manifestRoutes } from "./manifest.ts"
import { modelRoutes } from "./models.ts"
import { oidcRoutes } from "./oidc.ts"
import { pageRoutes } from "./pages.ts"
import { receiptRoutes } from "./receipts.ts"
import { redactRoutes } from "./redact.ts"
import { retentionRoutes } from "./retention.ts"
import { savedPromptRoutes } from "./saved-prompts.ts"
import { savedViewRoutes } from "./saved-views.ts"
import { scheduleRoutes } from "./schedules.ts"
import { searchRoutes } from "./search.ts"
import { shareRoutes } from "./shares.ts"
import { sourceRoutes } from "./sources.ts"
import { streamTokenRoutes } from "./stream-tokens.ts"
import { tokenRoutes } from "./tokens.ts"
import { uploadRoutes } from "./upload.ts"
import { usageRoutes } from "./usage.ts"
import { webhookRoutes } from "./webhooks.ts"

/** Under no prefix. */
export const apiRoutes = (services: Services) =>
  new Elysia()
    .use(uploadRoutes(services))
    .use(ingestRoutes(services))
    .use(libraryRoutes(services))
    .use(libraryCountsRoutes(services))
    .use(bulkRoutes(services))
    .use(pageRoutes(services))
    .use(linkRoutes(services))
    .use(sourceRoutes(services))
    .use(manifestRoutes(services))
    .use(searchRoutes(services))
    .use(modelRoutes(services))
    .use(conversationRoutes(services))
    .use(jsonConversationRoutes(services))
    .use(answerRecordRoutes(services))
    .use(shareRoutes(services))
    .use(agentRoutes(services))
    .use(redactRoutes(services))
    .use(batchRoutes(services))
    .use(scheduleRoutes(services))
    .use(receiptRoutes(services))
    .use(endUserRoutes(services))
    .use(keysRoutes(services))
    .use(oidcRoutes(services))
    .use(tokenRoutes(services))
    .use(streamTokenRoutes(services))
    .use(eventRoutes(services))
    .use(webhookRoutes(services))
    .use(holdRoutes(services))
    .use(auditRoutes(services))
    .use(retentionRoutes(services))
    .use(usageRoutes(services))
    .use(consoleRoutes(services))
    .use(firstStepsRoutes(services))
    .use(savedPromptRoutes(services))
    .use(savedViewRoutes(services))
    .use(administrationRoutes(services))
    .use(installationRoutes(services))

/** As the reference shows them: under the canonical prefix, once. */
export const documentedRoutes = (services: Services) =>
  new Elysia()
    .use(healthRoutes(services))
    .use(compatibleRoutes(services))
    .use(viewRoutes(services))
    .use(mcpRoutes(services))
    .use(graphqlRoutes(services))
    .use(new Elysia({ prefix: PREFIX }).use(apiRoutes(services)))
