import { checkContext } from "../../../access/context-id.ts"
import { checkExternalId, checkMetadata } from "../../../library/labels.ts"
import { bytesOf, textFileName } from "../../../library/texts.ts"
import { args, CONTEXT_ID, record, TEXT, URL_TEXT } from "../schemas.ts"
import type { McpTool } from "../tool.ts"

/** Below what the body of one message may have, whatever its characters. */
const MAX_CHARACTERS = 1_000_000

interface Arguments {
  name: string
  text: string
  external_id?: string
  context_id?: string
  metadata?: Record<string, unknown>
}

export const addText: McpTool<Arguments> = {
  name: "add_text",
  title: "Add a text",
  description:
    "Puts a text into the library as a file of its own, where it is found soon after. The same text under the same name is there once; with an external_id that is known, the text replaces the former one.",
  scope: "files:write",
  readOnly: false,
  idempotent: true,
  audit: "file.upload",
  isAvailable: ({ uploads }) => uploads !== undefined,
  parameters: args(
    {
      name: { type: "string", minLength: 1, maxLength: 250, description: "Of the file, such as meeting.md" },
      text: { type: "string", minLength: 1, maxLength: MAX_CHARACTERS, description: "Plain text or Markdown" },
    },
    {
      external_id: {
        type: "string",
        minLength: 1,
        maxLength: 512,
        description: "What the text is called where it comes from: sent again, it replaces the former one",
      },
      context_id: { ...CONTEXT_ID, description: "The context that it belongs to, such as a project" },
      metadata: { type: "object", description: "Any JSON, at most 16 KB" },
    },
  ),
  result: record({
    ...{ file_id: TEXT, name: TEXT, status: TEXT, url: URL_TEXT },
    duplicate: { type: "boolean", description: "It was there already, and nothing is indexed anew" },
  }),
  async execute({ name, text, external_id, context_id, metadata }, { house, principal, guard, signal }) {
    const { view, keyId } = principal
    const file = await house.uploads!.takeOne(
      { view, keyId, idempotencyKey: undefined },
      { name: textFileName(name, /\.txt$/i.test(name) ? "text" : "markdown"), bytes: bytesOf(text), signal },
      {
        contextId: context_id === undefined ? null : checkContext(context_id),
        tags: [],
        metadata: checkMetadata(metadata ?? {}),
        onDuplicate: "return_existing",
        ...(external_id === undefined ? {} : { identity: { externalId: checkExternalId(external_id) } }),
      },
    )
    return {
      structured: {
        file_id: file.id,
        name: await guard.text(file.name),
        status: file.status,
        duplicate: file.duplicate ?? file.unchanged ?? false,
        url: house.links.linkTo(principal, file.id),
      },
    }
  },
}
