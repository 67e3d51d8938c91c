/** The passages that files are cut into, in the order of their texts: those of many files with one query. */
import { seenBy, type View } from "../access/view.ts"
import { chunkId } from "../search/passages/chunk-id.ts"
import { type Database, readApart } from "../storage/database.ts"
import type { Place } from "../storage/document.ts"
import { texts, words } from "../storage/words.ts"

export interface FilePassage {
  /** `chunk_…` */
  id: string
  /** 1, 2, 3 … within the file. */
  ordinal: number
  text: string
  /** Offsets into the extracted text of the file; `text` is exactly that slice. */
  position: Place & { start: number; end: number }
}

interface PassageRow extends Place {
  id: number
  ordinal: number
  start: number
  end: number
  text: string
  file_id: string
}

export class FilePassages {
  constructor(private readonly database: Database) {}

  /**
   * Of the findable versions, by file; a file that has none, or that the caller does not see, is missing.
   * @param after the ordinal that they begin behind, 0 for the first
   * @param limit of each file
   */
  async of(
    view: View,
    fileIds: readonly string[],
    { after, limit }: { after: number; limit: number },
  ): Promise<Map<string, FilePassage[]>> {
    const { text, values } = seenBy(view, words(this.database))
    const among = words(this.database).among("files.id", "text")
    const rows = await readApart<PassageRow>(
      this.database,
      `select c.id, c.ordinal, c.start, c.end, c.text, c.page, c.sheet, c.slide, c.member, c.section, files.id as file_id
        from files
        join generations as g on g.file_id = files.id and g.generation = files.live_generation and g.state = 'live'
        join chunks as c on c.generation_id = g.id and c.id >= g.first_chunk + ? and c.id < g.first_chunk + ?
        where ${among} and ${text} order by c.id`,
      [after, after + limit, texts(fileIds), ...values],
    )
    const found = new Map<string, FilePassage[]>()
    for (const row of rows) {
      const of = found.get(row.file_id)
      if (of) of.push(toPassage(row))
      else found.set(row.file_id, [toPassage(row)])
    }
    return found
  }
}

const toPassage = ({
  id,
  ordinal,
  start,
  end,
  text,
  page,
  sheet,
  slide,
  member,
  section,
}: PassageRow): FilePassage => ({
  id: chunkId(Number(id)),
  ordinal: ordinal + 1,
  text,
  position: { page, sheet, slide, member, section, start, end },
})
