/** What the route of usage takes and answers. */
import { t } from "elysia"
import { BUCKETS, GROUPS } from "../../governance/usage/report.ts"
import { operation } from "../operation.ts"
import { integer, nullable, oneOf, Time } from "../schemas.ts"

const count = (description: string, example: number) => integer({ description, examples: [example] })
const group = (description: string, example: string) =>
  t.Optional(nullable(t.String(), { description, examples: [example] }))

const UsageRow = t.Object(
  {
    bucket: t.Intersect([Time], { description: "When the bucket begins, in UTC" }),
    key: group("Id of the key; null for the console. With `group_by=key`, as the others", "key_01m7y48vkz3s85f1acdta2"),
    end_user: group("Whom it was for", "ada"),
    model: group("Value of the chat model", "ollama/llama3.2:3b"),
    context: group("Context of the conversation, the run or the file", "contracts"),
    requests: count("Authenticated requests that no limit refused", 120),
    prompt_tokens: count("As the answers said", 81_230),
    completion_tokens: count("As the answers said", 4_410),
    embedded_tokens: count(
      "Of passages that became searchable, of queries, and what /v1/embeddings and rerank said",
      22_000,
    ),
    pages: count("Of files that became searchable", 31),
    ocr_pages: count("Of them, those that were read by character recognition", 2),
    bytes_in: count("Sizes of accepted files", 1_048_576),
    bytes_stored: count("Held at the bucket's end", 9_437_184),
    searches: count("Searches that callers asked for", 40),
  },
  { title: "UsageRow" },
)

export const getUsage = operation({
  id: "getUsage",
  audit: "nothing",
  scope: "usage",
  summary: "Read what was used",
  description: `Sums by time and, with \`group_by\`, by key, end user, model and context. They equal what the answers said, also
after a crash; this request is counted in them. Other nodes are behind by a second at most. Buckets without any use are
left out. Keys that are narrowed, and tokens with limits or an end user, see what they used themselves, members of the
console their own; keys without limits and administrators see the workspace.`,
  tag: "Governance",
  query: t.Object({
    from: t.Optional(
      t.String({ description: "Time or date; 30 days before `to` by default", examples: ["2026-11-01"] }),
    ),
    to: t.Optional(t.String({ description: "Time or date, not included; now by default. Whole hours count" })),
    bucket: t.Optional(oneOf(BUCKETS, { description: "`day` by default; in UTC" })),
    group_by: t.Optional(
      t.String({ description: `Some of ${GROUPS.join(", ")}, separated by commas`, examples: ["key,model"] }),
    ),
  }),
  answers: {
    200: {
      description: "Oldest first",
      schema: t.Object({ data: t.Array(UsageRow) }, { title: "UsageReport" }),
    },
  },
})
