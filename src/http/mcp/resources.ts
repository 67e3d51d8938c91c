/** Files as resources: their text under `carrel://file/{id}`, and lists of those that changed last. */
import {
  ErrorCode,
  type ListResourcesResult,
  McpError,
  type ReadResourceResult,
} from "@modelcontextprotocol/sdk/types.js"
import { underGuard } from "../../grounding/under-guard.ts"
import { ToolError } from "../../tools/tool-error.ts"
import { largest } from "./bounds.ts"
import type { McpCaller, McpHouse } from "./call.ts"
import { tell } from "./tool.ts"
import { readStretch } from "./tools/reading.ts"
import { placeOfUri, RESOURCE_TEMPLATE, resourceUri } from "./uri.ts"

const PAGE_SIZE = 50
/** That of the protocol for a resource that is not there; the library has no name for it. */
const RESOURCE_NOT_FOUND = -32_002
/** What is said of text, whatever it was made from. */
const MIME_TYPE = "text/plain"

export const TEMPLATES = {
  resourceTemplates: [
    {
      uriTemplate: RESOURCE_TEMPLATE,
      name: "file",
      title: "A file of the library",
      description: "Its text. Of a long one the beginning, with the address to go on from among the metadata.",
      mimeType: MIME_TYPE,
    },
  ],
}

const mayRead = ({ principal }: McpCaller): boolean => principal.scopes.includes("files:read")

/** @throws McpError for a cursor that this server did not give */
export async function listResources(
  house: McpHouse,
  caller: McpCaller,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const page = cursor === undefined ? 1 : pageOf(cursor)
  if (!mayRead(caller)) return { resources: [] }
  const { view } = caller.principal
  return underGuard(house, view.workspaceId, undefined, async guard => {
    const { data, total } = await house.library.list(view, {
      status: ["searchable"],
      sort: "updated_at",
      order: "desc",
      page,
      pageSize: PAGE_SIZE,
    })
    const resources = await Promise.all(
      data.map(async ({ id, name, updated_at }) => {
        const shown = await guard.text(name)
        const annotations = { lastModified: updated_at }
        return { uri: resourceUri(id), name: shown, title: shown, mimeType: MIME_TYPE, annotations }
      }),
    )
    return { resources, ...(page * PAGE_SIZE < total ? { nextCursor: cursorOf(page + 1) } : {}) }
  })
}

/** @throws McpError for what the caller has not, or what has no text */
export async function readResource(house: McpHouse, caller: McpCaller, uri: string): Promise<ReadResourceResult> {
  const notFound = () => new McpError(RESOURCE_NOT_FOUND, "Resource not found", { uri })
  const place = placeOfUri(uri)
  if (!place || !mayRead(caller)) throw notFound()
  const { fileId, start } = place
  return underGuard(house, caller.principal.view.workspaceId, undefined, async guard => {
    const call = { ...caller, house, guard, progress() {} }
    const stretch = await readStretch({ file_id: fileId, start }, call).catch(error => {
      throw error instanceof ToolError ? notFound() : error
    })
    await tell({ name: "resources/read", audit: "file.download" }, call, "success", { file_id: fileId })
    guard.audit({ request_id: caller.requestId, resource: fileId })
    const make = (asked: number): ReadResourceResult => {
      const count = stretch.whole(asked)
      const next = stretch.nextStart(count)
      const more = next === undefined ? {} : { _meta: { next_start: next, next_uri: resourceUri(fileId, next) } }
      return { contents: [{ uri, mimeType: MIME_TYPE, text: stretch.first(count), ...more }] }
    }
    return largest(stretch.slice.text.length, make, result => Buffer.byteLength(JSON.stringify(result)))
  })
}

const cursorOf = (page: number): string => Buffer.from(`files ${page}`).toString("base64url")

function pageOf(cursor: string): number {
  const [, page] = /^files (\d{1,7})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? []
  if (page === undefined) throw new McpError(ErrorCode.InvalidParams, "Invalid cursor")
  return Number(page)
}
