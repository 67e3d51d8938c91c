/** What the routes take and answer that make a file of a text or of a page of the web. */
import { t } from "elysia"
import { FILE, FileSchema } from "../file-record.ts"
import { operation } from "../operation.ts"
import { IDEMPOTENCY_KEY, JsonObject, nullable, optional } from "../schemas.ts"

/** A text of 10 MB, and as much again for signs that JSON writes with two. */
const MAX_TEXT_BODY_BYTES = 20 * 1_048_576

const labels = {
  context_id: optional(t.String({ examples: ["project:42"] })),
  tags: optional(t.Array(t.String())),
  metadata: optional(JsonObject),
  acl: t.Optional(nullable(t.Array(t.String({ examples: ["group:hr"] })), { description: "As in an upload" })),
}
const labelsBody = t.Object(labels)
export type LabelsBody = typeof labelsBody.static

/** Of something that is a text already. */
const Content = (description: string) => optional(t.String({ minLength: 1, description }))

const textBody = t.Object({
  name: t.String({
    minLength: 1,
    maxLength: 1_000,
    description: "Gets the extension .txt, .md or .html where it has none that fits",
    examples: ["Ticket 4711"],
  }),
  text: Content("Plain text"),
  markdown: Content("Markdown, whose headings name sections"),
  html: Content("A page, or a part of one; scripts and styles are left out"),
  external_id: optional(
    t.String({
      minLength: 1,
      maxLength: 512,
      description: "What your system calls it: sent again, it replaces the former text",
    }),
  ),
  url: optional(t.String({ maxLength: 2_048, description: "Where people see it" })),
  updated_at: optional(t.String({ description: "ISO-8601; kept as `metadata.updated_at`" })),
  ...labels,
})

export type TextBody = typeof textBody.static

export const addText = operation({
  id: "addText",
  audit: { action: "file.upload", id: "answer.id" },
  held: "refused",
  scope: "files:write",
  summary: "Add a text",
  description: `A file of a text that you hold: exactly one of \`text\`, \`markdown\` and \`html\`; a body of 20 MB at most. With an
\`external_id\` that is known the file is replaced under its id; with the same text it is not indexed again, \`unchanged\` says
so, and what the request tells of context, tags, metadata, acl and url is taken over. Without one, the same text under the same name is there
once. \`Idempotency-Key\` works as in an upload.`,
  tag: "Files",
  headers: [IDEMPOTENCY_KEY],
  body: textBody,
  maxBytes: MAX_TEXT_BODY_BYTES,
  example: { name: "Ticket 4711", markdown: "# Heating\nThe pump is loud.", external_id: "ticket-4711" },
  answers: {
    202: {
      description: "Accepted and queued for indexing, or unchanged",
      schema: FileSchema,
      example: { ...FILE, name: "Ticket 4711.md", type: "md", mime_type: "text/markdown", external_id: "ticket-4711" },
    },
  },
  errors: ["conflict", "file_too_large", "empty_file"],
})

export const addUrl = operation({
  id: "addUrl",
  audit: { action: "file.upload", id: "answer.id" },
  held: "refused",
  scope: "files:write",
  summary: "Add a page of the web",
  description: `Fetches an http or https address, within 20 s and 50 MB, and makes a file of what it answers: a page, or a file of a
type that an upload may have. Its bytes are kept as they came. Of a page the main content is read, without navigation and notices, unless
\`only_main_content\` is false; no script is run, and a page without text ends as \`no_text\`. The same address in the same context is the same
file: asked for again, it is replaced where the page has changed (its server is asked by ETag and Last-Modified), else it is \`unchanged\`.
With \`refresh\` that happens by itself; a page that is then not to be had stays as it was.

Up to five redirects are followed. Private, loopback and link-local addresses are 403 unless the operator has listed them
(\`--fetch-allow\`), all are under \`--offline\`; that holds for every redirect, and for what a name resolves to. An answer that is no
success, too slow or cut is 502 \`fetch_failed\`, with the \`status\` of the server in \`details\`.`,
  tag: "Files",
  headers: [IDEMPOTENCY_KEY],
  body: t.Object({
    url: t.String({ maxLength: 2_048, examples: ["https://example.org/handbook"] }),
    only_main_content: optional(t.Boolean({ description: "`true` by default" })),
    refresh: optional(
      t.String({
        description: "How often it is fetched anew: `1d`, `6h`, at least `1m`. Null: only when it is asked for again",
        examples: ["1d"],
      }),
    ),
    ...labels,
  }),
  example: { url: "https://example.org/handbook", refresh: "1d" },
  answers: {
    202: {
      description: "Fetched and queued for indexing, or unchanged",
      schema: FileSchema,
      example: {
        ...FILE,
        name: "Handbook.html",
        type: "html",
        mime_type: "text/html",
        url: "https://example.org/handbook",
      },
    },
  },
  errors: ["conflict", "empty_file", "file_too_large", "unsupported_file_type", "fetch_failed"],
})
