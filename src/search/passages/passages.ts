/** Chunk rows as hits and passages. Only live chunks that the caller may see come out, whatever ids go in. */

import { sql } from "kysely"
import { seen, type View } from "../../access/view.ts"
import type { Database } from "../../storage/database.ts"
import type { Place, SectionStart } from "../../storage/document.ts"
import { filled, words } from "../../storage/words.ts"
import type { Hit } from "../types.ts"
import { chunkId, chunkNumber } from "./chunk-id.ts"

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

/**
 * The passages that stand around others in their files, each once, in reading order: `before` and `after` each given
 * one, itself included.
 */
export async function neighbors(
  db: Database,
  view: View,
  chunkIds: string[],
  before: number,
  after: number,
): Promise<Passage[]> {
  const numbers = chunkIds.flatMap(id => chunkNumber(id) ?? [])
  if (numbers.length === 0) return []
  const { rows } = await sql<{ id: number; first_chunk: number; last_chunk: number }>`
    select chunks.id, first_chunk, last_chunk
    from chunks join generations on generations.id = chunks.generation_id
    where ${filled(words(db).among("chunks.id", "integer"), JSON.stringify(numbers))}`.execute(db)
  const around = new Set<number>()
  for (const { id, first_chunk, last_chunk } of rows)
    for (let at = Math.max(first_chunk, id - before); at <= Math.min(last_chunk, id + after); at++) around.add(at)
  const found = await livePassages(db, view, [...around])
  return [...found].sort(([a], [b]) => a - b).map(([, passage]) => passage)
}
