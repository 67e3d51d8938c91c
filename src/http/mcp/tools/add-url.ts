import { checkContext } from "../../../access/context-id.ts"
import { pageUrl } from "../../../library/web/web-pages.ts"
import { args, CONTEXT_ID, record, TEXT, URL_TEXT } from "../schemas.ts"
import type { McpTool } from "../tool.ts"

interface Arguments {
  url: string
  context_id?: string
}

export const addUrl: McpTool<Arguments> = {
  name: "add_url",
  title: "Add a page of the web",
  description:
    "Fetches a page or a document by its address and puts it into the library as a file, where it is found soon after. The same address is there once, and is fetched anew.",
  scope: "files:write",
  readOnly: false,
  idempotent: true,
  audit: "file.upload",
  isAvailable: ({ webPages }) => webPages !== undefined,
  parameters: args(
    { url: { type: "string", minLength: 1, maxLength: 2_048, description: "An http or https address" } },
    { context_id: { ...CONTEXT_ID, description: "The context that it belongs to, such as a project" } },
  ),
  result: record({
    ...{ file_id: TEXT, name: TEXT, status: TEXT, url: URL_TEXT },
    unchanged: { type: "boolean", description: "It is as it was when it was fetched last" },
  }),
  async execute({ url, context_id }, { house, principal, guard, signal }) {
    const { view, keyId } = principal
    const contextId = context_id === undefined ? null : checkContext(context_id)
    const labels = { contextId, tags: [], metadata: {}, onDuplicate: "return_existing" as const }
    const page = { url: pageUrl(url), onlyMainContent: true, refresh: undefined, labels }
    const file = await house.webPages!.add({ view, keyId, idempotencyKey: undefined }, page, signal)
    return {
      structured: {
        file_id: file.id,
        name: await guard.text(file.name),
        status: file.status,
        unchanged: file.unchanged ?? false,
        url: house.links.linkTo(principal, file.id),
      },
    }
  },
}
