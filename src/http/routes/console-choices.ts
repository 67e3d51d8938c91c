/** What the forms of the console offer, as it stands in the session's workspace. */
import { Elysia, t } from "elysia"
import { BUILT_IN_KINDS, KINDS } from "../../redaction/redact.ts"
import { operation } from "../operation.ts"
import { integer, nullable, oneOf } from "../schemas.ts"
import type { Services } from "../services.ts"
import { sessionCaller } from "../session.ts"

const Tools = t.Object({
  data: t.Array(
    t.Object(
      {
        name: t.String({ examples: ["search_library"] }),
        title: t.String({ examples: ["Search the library"] }),
        external: t.Boolean({ description: "A tool of a Model Context Protocol server: a run has it only by name" }),
      },
      { title: "Tool" },
    ),
  ),
})
const RedactionRules = t.Object(
  {
    enforced_by: nullable(
      oneOf(["daemon", "workspace"], { description: "Who insists on redaction here, whatever a request says" }),
    ),
    kinds: t.Array(
      t.Object({
        kind: t.String({ examples: ["CREDIT_CARD"] }),
        category: t.String({ examples: ["financial"] }),
        label: t.String({ examples: ["Credit card"] }),
      }),
    ),
  },
  { title: "RedactionRules" },
)
const UploadRules = t.Object(
  {
    max_file_bytes: integer({ examples: [1_073_741_824] }),
    groups: t.Array(
      t.Object({ name: t.String({ examples: ["Slides"] }), types: t.Array(t.String({ examples: ["pptx"] })) }),
    ),
  },
  { title: "UploadRules" },
)
const Members = t.Object({
  data: t.Array(
    t.Object(
      { id: t.String({ examples: ["user_01m7y48vkz3s85f1acdta2"] }), name: t.String({ examples: ["Ada"] }) },
      { title: "Member" },
    ),
  ),
})

const listTools = operation({
  id: "listTools",
  audit: "nothing",
  session: "member",
  summary: "Tools that an agent run may be given",
  description: "Built-in ones first. Those of servers that do not answer are left out.",
  tag: "Console",
  answers: { 200: { description: "The tools", schema: Tools } },
})

const getRedactionRules = operation({
  id: "getRedactionRules",
  audit: "nothing",
  session: "member",
  summary: "What is redacted in the workspace, and by whose decision",
  description: "For the forms of conversations and runs.",
  tag: "Console",
  answers: { 200: { description: "Kinds of private values, and who insists", schema: RedactionRules } },
})

const getUploadRules = operation({
  id: "getUploadRules",
  audit: "nothing",
  session: "member",
  summary: "What may be uploaded",
  description: "`types` are extensions of file names, in groups that people look for them in.",
  tag: "Console",
  answers: { 200: { description: "The largest file, and the types", schema: UploadRules } },
})

const listMembers = operation({
  id: "listMembers",
  audit: "nothing",
  session: "member",
  summary: "Whom something can be shared with",
  description: "Those who can sign in and are in the workspace of the session.",
  tag: "Console",
  answers: { 200: { description: "Ids and names", schema: Members } },
})

export function choiceRoutes(services: Services) {
  const { agents, redactionEnforced, workspaces, maxFileBytes, typeGroups } = services
  const whoEnforces = async (workspaceId: string) => {
    if (await workspaces.enforcesRedaction(workspaceId)) return "workspace" as const
    return (await redactionEnforced(workspaceId)) ? ("daemon" as const) : null
  }
  return new Elysia()
    .use(sessionCaller(services))
    .get(
      "/tools",
      async () => ({
        data: (await agents.tools()).map(({ name, title = name, external = false }) => ({ name, title, external })),
      }),
      listTools(),
    )
    .get(
      "/redaction",
      async ({ session }) => ({
        enforced_by: await whoEnforces(session.workspaceId),
        kinds: BUILT_IN_KINDS.map(kind => ({ kind, category: KINDS[kind].category, label: KINDS[kind].label })),
      }),
      getRedactionRules(),
    )
    .get(
      "/uploads",
      () => ({
        max_file_bytes: maxFileBytes,
        groups: typeGroups.map(({ name, types }) => ({ name, types: [...types] })),
      }),
      getUploadRules(),
    )
    .get("/members", async ({ session }) => ({ data: await workspaces.membersOf(session.workspaceId) }), listMembers())
}
