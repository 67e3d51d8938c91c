import { checkFilter } from "../../../access/filter/filter.ts"
import { fitting } from "../bounds.ts"
import {
  args,
  COUNT,
  COUNT_OR_NULL,
  FILTER,
  listOf,
  NEXT_START,
  record,
  START,
  TEXT,
  TEXT_OR_NULL,
  URL_TEXT,
} from "../schemas.ts"
import type { McpTool } from "../tool.ts"

const PAGE_SIZE = 50

interface Arguments {
  name?: string
  type?: string
  filter?: unknown
  page?: number
  start?: number
}

export const listFiles: McpTool<Arguments> = {
  name: "list_files",
  title: "List files",
  description:
    "Lists the files there are, newest first, with their ids. Narrow by a part of the name or by type (pdf, csv …).",
  scope: "files:read",
  readOnly: true,
  idempotent: true,
  audit: "nothing",
  parameters: args(
    {},
    {
      name: { type: "string", maxLength: 255, description: "Part of the file name" },
      type: { type: "string", maxLength: 16, description: "File extension, such as pdf" },
      filter: FILTER,
      page: { type: "integer", minimum: 1, maximum: 100_000, description: `Of ${PAGE_SIZE} files each, from 1` },
      start: { ...START, maximum: PAGE_SIZE, description: "Leave out so many files of the page first" },
    },
  ),
  result: record(
    {
      total: COUNT,
      page: COUNT,
      pages: COUNT,
      files: listOf(
        record({
          id: TEXT,
          name: TEXT,
          type: TEXT,
          size: COUNT,
          status: TEXT,
          page_count: COUNT_OR_NULL,
          character_count: COUNT_OR_NULL,
          context_id: TEXT_OR_NULL,
          tags: listOf(TEXT),
          created_at: TEXT,
          updated_at: TEXT,
          url: URL_TEXT,
        }),
      ),
    },
    { next_start: NEXT_START },
  ),
  async execute({ name, type, filter, page = 1, start = 0 }, { house, principal, guard }) {
    const { data, total } = await house.library.list(principal.view, {
      ...(name ? { name } : {}),
      ...(type ? { types: [type.toLowerCase().replace(/^\./, "")] } : {}),
      ...(filter === undefined ? {} : { filter: checkFilter(filter) }),
      sort: "created_at",
      order: "desc",
      page,
      pageSize: PAGE_SIZE,
    })
    const files = await Promise.all(
      data.slice(start).map(async file => ({
        id: file.id,
        name: await guard.text(file.name),
        type: file.type,
        size: file.size,
        status: file.status,
        page_count: file.page_count,
        character_count: file.character_count,
        context_id: file.context_id,
        tags: await guard.value(file.tags),
        created_at: file.created_at,
        updated_at: file.updated_at,
        url: house.links.linkTo(principal, file.id),
      })),
    )
    const pages = Math.ceil(total / PAGE_SIZE)
    return fitting(files.length, count => ({
      structured: {
        total,
        page,
        pages,
        files: files.slice(0, count),
        ...(count < files.length ? { next_start: start + count } : {}),
      },
    }))
  },
}
