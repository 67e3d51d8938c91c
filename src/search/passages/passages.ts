/** Chunk rows as hits and passages. Only live chunks that the caller may see come out, whatever ids go in. */

import { sql } from "kysely"
import { seen, type View } from "../../access/view.ts"
import type { Database } from "../../storage/database.ts"
import type { Place, SectionStart } from "../../storage/document.ts"
import { filled, words } from "../../storage/words.ts"
import type { Hit } from "../types.ts"
import { chunkId } from "./chunk-id.ts"

interface PassageRow extends Place {
  id: number
  start: number
  end: number
  text: string
  file_id: string
  name: string
  type: string
  context_id: string | null
  tags: string
  sections: string | null
}

/** A hit before it is scored and highlighted. */
export interface Passage extends Pick<Hit, "id" | "text" | "file" | "position"> {
  /** See `Chunk.sections`; undefined where the passage lies in one section. */
  sections: SectionStart[] | undefined
}

/** Live chunks by number; what is not live any more, or not the caller's to see, is missing. */
export async function livePassages(db: Database, view: View, ids: number[]): Promise<Map<number, Passage>> {
  if (ids.length === 0) return new Map()
  // Written out: building this statement from parts took longer than running it.
  const { rows } = await sql<PassageRow>`
    select c.id, c.start, c.end, c.text, c.page, c.sheet, c.slide, c.member, c.section, c.sections,
      files.id as file_id, files.name, files.type, files.context_id, files.tags
    from chunks as c
    join generations as g on g.id = c.generation_id
    join files on files.id = g.file_id
    where ${filled(words(db).among("c.id", "integer"), JSON.stringify(ids))}
      and g.state = 'live' and g.generation = files.live_generation and ${seen(db, view)}`.execute(db)
  return new Map(rows.map(row => [row.id, toPassage(row)]))
}

function toPassage(row: PassageRow): Passage {
  const { id, start, end, text, page, sheet, slide, member, section } = row
  return {
    id: chunkId(id),
    text,
    file: {
      id: row.file_id,
      name: row.name,
      type: row.type,
      context_id: row.context_id,
      tags: JSON.parse(row.tags) as string[],
    },
    position: { page, sheet, slide, member, section, start, end },
    sections: row.sections ? (JSON.parse(row.sections) as SectionStart[]) : undefined,
  }
}
