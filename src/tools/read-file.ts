import { withoutMarks } from "../grounding/citations.ts"
import { placeText } from "../grounding/passages.ts"
import { FILE_ID, type FileContext, searchableFile } from "./files.ts"
import type { AgentFile, TextSlice } from "./library.ts"
import type { Tool } from "./tool.ts"
import { ToolError } from "./tool-error.ts"

/** Characters that one call gives; longer stretches are read on with `start`. */
const WINDOW_CHARACTERS = 8_000

export interface ReadArguments {
  file_id: string
  /** 1-based page or slide; `start` and `end` then count from its first character. */
  page?: number
  start?: number
  end?: number
}

export const READ_PARAMETERS = {
  type: "object",
  properties: {
    file_id: FILE_ID,
    page: { type: "integer", minimum: 1, description: "Page or slide, from 1" },
    start: { type: "integer", minimum: 0, description: "First character; of the page where a page is given" },
    end: { type: "integer", minimum: 0, description: "Character after the last" },
  },
  required: ["file_id"],
  additionalProperties: false,
}

/**
 * What is asked for of the text of a file, at most so many characters.
 * @throws ToolError for a file or page that there is not, and for one without a text
 */
export async function stretchOf(
  { file_id, page, start = 0, end }: ReadArguments,
  most: number,
  context: FileContext,
): Promise<{ file: AgentFile; slice: TextSlice }> {
  if (end !== undefined && end <= start) throw new ToolError("end must be greater than start.")
  const file = await searchableFile(file_id, context)
  const range = {
    start,
    end: Math.min(end ?? Number.MAX_SAFE_INTEGER, start + most),
    ...(page === undefined ? {} : { page }),
  }
  const slice = await context.library.readText(context.view, file.id, range)
  if (!slice) throw new ToolError(noPage(file.name, file.page_count))
  return { file, slice }
}

export const readFile: Tool<ReadArguments> = {
  name: "read_file",
  title: "Read files",
  readsFiles: true,
  numbersPassages: true,
  description: `Reads the text of a file: a page or slide, or the characters from start to end. One call gives at most ${WINDOW_CHARACTERS} characters and says how to read on. Cite what it gives by its number.`,
  parameters: READ_PARAMETERS,
  async execute(args, context) {
    const { page, start = 0, end } = args
    const { file, slice } = await stretchOf(args, WINDOW_CHARACTERS, context)
    const whole = `${page === undefined ? "the text" : `page ${page}`} has ${slice.to - slice.from} characters`
    if (slice.text === "") return `There is nothing at character ${start} of ${file.name}: ${whole}.`
    const position = { ...slice.place, start: slice.start, end: slice.end }
    const index = context.passages.add({ file_id: file.id, chunk_id: null, name: file.name, position })
    const [from, to] = [slice.start - slice.from, slice.end - slice.from]
    const more = slice.end < slice.to && end === undefined ? `; read on with start ${to}` : ""
    const place = [file.name, placeText(slice.place), `characters ${from}-${to}`].filter(Boolean).join(", ")
    const head = `${place} (${whole}${more})`
    return `[${index}] ${withoutMarks(`${head}\n${slice.text}`)}`
  },
}

const noPage = (name: string, pages: number | null): string =>
  pages === null ? `${name} has no pages; read it with start and end.` : `${name} has the pages 1 to ${pages}.`
