import { fitting } from "../bounds.ts"
import { args, record, TEXT, URL_TEXT } from "../schemas.ts"
import type { McpTool } from "../tool.ts"
import { readStretch } from "./reading.ts"

/** Exactly as connectors of assistants ask for it; a client that knows `fetch` alone reads on by `next_id`. */
export const fetchFile: McpTool<{ id: string }> = {
  name: "fetch",
  title: "Fetch",
  description:
    "Gives the text of a file that search has found. Of a long one the beginning: fetch goes on with the next_id of its metadata, read_file with the next_start.",
  scope: "files:read",
  readOnly: true,
  idempotent: true,
  audit: "file.download",
  parameters: args({
    id: { type: "string", minLength: 1, maxLength: 80, description: "Id that search gave, or next_id that fetch gave" },
  }),
  result: record({ id: TEXT, title: TEXT, text: TEXT, url: URL_TEXT, metadata: { type: "object" } }),
  async execute({ id }, call) {
    const { house, principal, guard } = call
    const [, fileId = id, from = "0"] = /^(\w+)@(\d{1,10})$/.exec(id) ?? []
    const stretch = await readStretch({ file_id: fileId, start: Number(from) }, call)
    const record = await house.library.get(principal.view, fileId)
    const title = await guard.text(record.name)
    const metadata = {
      type: record.type,
      size: record.size,
      page_count: record.page_count,
      character_count: record.character_count,
      context_id: record.context_id,
      created_at: record.created_at,
      updated_at: record.updated_at,
      ...(await guard.value({ tags: record.tags, attributes: record.metadata })),
    }
    const { start } = stretch
    const url = house.links.linkTo(principal, fileId)
    return fitting(stretch.slice.text.length, asked => {
      const count = stretch.whole(asked)
      const next = stretch.nextStart(count)
      const position = { start, end: start + count }
      const more = next === undefined ? {} : { next_start: next, next_id: `${fileId}@${next}` }
      return {
        structured: { id, title, text: stretch.first(count), url, metadata: { ...metadata, ...position, ...more } },
      }
    })
  },
}
