/** What the forms of the console offer, as it stands in the session's workspace. */
import { Elysia, t } from "elysia"
import { BUILT_IN_KINDS, KINDS } from "../../redaction/redact.ts"
import { nullable, operation } from "../schemas.ts"
import type { Services } from "../services.ts"
import { requireSession } from "../session.ts"

const TAG = "Console"

const Tools = t.Object({
  data: t.Array(
    t.Object({
      name: t.String({ examples: ["search_library"] }),
      title: t.String(),
      external: t.Boolean({ description: "A tool of a Model Context Protocol server: a run has it only by name" }),
    }),
  ),
})
const Redaction = t.Object({
  enforced_by: nullable(
    t.Union([t.Literal("daemon"), t.Literal("workspace")], {
      description: "Who insists on redaction here, whatever a request says",
    }),
  ),
  kinds: t.Array(t.Object({ kind: t.String({ examples: ["CREDIT_CARD"] }), category: t.String(), label: t.String() })),
})

export function choiceRoutes(services: Services) {
  const { agents, redactionEnforced, workspaces } = services
  return new Elysia()
    .derive(async ({ request }) => ({ session: await requireSession(request, services) }))
    .get(
      "/tools",
      async () => ({
        data: (await agents.tools()).map(({ name, title = name, external = false }) => ({ name, title, external })),
      }),
      {
        detail: operation({
          summary: "Tools that an agent run may be given",
          description: "Built-in ones first. Those of servers that do not answer are left out.",
          tag: TAG,
          security: "session",
          success: { description: "The tools", schema: Tools },
        }),
      },
    )
    .get(
      "/redaction",
      ({ session: { workspaceId } }) => ({
        enforced_by: !redactionEnforced(workspaceId)
          ? null
          : workspaces.enforcesRedaction(workspaceId)
            ? ("workspace" as const)
            : ("daemon" as const),
        kinds: BUILT_IN_KINDS.map(kind => ({ kind, category: KINDS[kind].category, label: KINDS[kind].label })),
      }),
      {
        detail: operation({
          summary: "What is redacted in the workspace, and by whose decision",
          tag: TAG,
          security: "session",
          success: { description: "Kinds of private values, and who insists", schema: Redaction },
        }),
      },
    )
}
