import { args, CONTEXT_ID, record, TEXT, URL_TEXT } from "../schemas.ts"
import type { McpTool } from "../tool.ts"

/** Below what the body of one message may have, whatever its characters. */
const MAX_CHARACTERS = 1_000_000

interface Arguments {
  name: string
  text: string
  context_id?: string
  metadata?: Record<string, unknown>
}

export const addText: McpTool<Arguments> = {
  name: "add_text",
  title: "Add a text",
  description:
    "Puts a text into the library as a file of its own, where it is found soon after. The same text under the same name is there once.",
  scope: "files:write",
  readOnly: false,
  idempotent: true,
  isAvailable: ({ uploads }) => uploads !== undefined,
  parameters: args(
    {
      name: { type: "string", minLength: 1, maxLength: 250, description: "Of the file, such as meeting.md" },
      text: { type: "string", minLength: 1, maxLength: MAX_CHARACTERS, description: "Plain text or Markdown" },
    },
    {
      context_id: { ...CONTEXT_ID, description: "The context that it belongs to, such as a project" },
      metadata: { type: "object", description: "Any JSON, at most 16 KB" },
    },
  ),
  result: record({ file_id: TEXT, name: TEXT, status: TEXT, duplicate: { type: "boolean" }, url: URL_TEXT }),
  async execute({ name, text, context_id, metadata }, { house, principal, guard, signal }) {
    const { view, keyId } = principal
    const { files } = await house.uploads!.receive({ view, keyId, idempotencyKey: undefined }, async form => {
      if (context_id !== undefined) form.addField("context_id", context_id)
      if (metadata !== undefined) form.addField("metadata", JSON.stringify(metadata))
      await form.addFile(fileName(name), bytesOf(text), signal)
    })
    const [file] = files
    return {
      structured: {
        file_id: file!.id,
        name: await guard.text(file!.name),
        status: file!.status,
        duplicate: file!.duplicate ?? false,
        url: house.links.linkTo(principal, file!.id),
      },
    }
  },
}

const fileName = (name: string): string => (/\.(?:md|txt)$/i.test(name) ? name : `${name}.md`)

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}
