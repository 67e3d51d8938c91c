import { placeText } from "../../../grounding/passages.ts"
import { READ_PARAMETERS, type ReadArguments } from "../../../tools/read-file.ts"
import { fitting } from "../bounds.ts"
import { COUNT, NEXT_START, record, TEXT, URL_TEXT } from "../schemas.ts"
import type { McpTool } from "../tool.ts"
import { readStretch } from "./reading.ts"

export const readFile: McpTool<ReadArguments> = {
  name: "read_file",
  title: "Read a file",
  description:
    "Reads the text of a file: all of it, a page or slide, or the characters from start to end. Of a long one the beginning, with the next_start to go on from.",
  scope: "files:read",
  readOnly: true,
  idempotent: true,
  audit: "file.download",
  parameters: READ_PARAMETERS,
  result: record(
    {
      file_id: TEXT,
      name: TEXT,
      text: TEXT,
      start: COUNT,
      end: COUNT,
      characters: { ...COUNT, description: "Of the whole text, or of the page that was asked for" },
      url: URL_TEXT,
    },
    { page: COUNT, next_start: NEXT_START },
  ),
  async execute(asked, call) {
    const { house, principal, guard } = call
    const stretch = await readStretch(asked, call)
    const { file, slice, start } = stretch
    const name = await guard.text(file.name)
    const characters = slice.to - slice.from
    const page = asked.page === undefined ? {} : { page: asked.page }
    return fitting(slice.text.length, most => {
      const count = stretch.whole(most)
      const text = stretch.first(count)
      const end = start + count
      const next = stretch.nextStart(count)
      const { member } = slice.place
      const range = { start: slice.start, end: slice.start + count }
      const url = house.links.linkTo(principal, file.id, { ...page, member, ...range })
      const place = [name, placeText({ ...slice.place, sheet: null, member: null, section: null })]
      const head = `${place.filter(Boolean).join(", ")}, characters ${start}-${end} of ${characters}`
      return {
        structured: {
          file_id: file.id,
          name,
          text,
          start,
          end,
          characters,
          url,
          ...page,
          ...(next === undefined ? {} : { next_start: next }),
        },
        text: `${head}${next === undefined ? "" : `; read on with start ${next}`}\n\n${text}`,
      }
    })
  },
}
