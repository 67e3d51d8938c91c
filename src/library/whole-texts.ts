/** The extracted text of files from its first to its last character, as the indexed slices hold it: each with its place. */
import { passes } from "../access/filter/condition.ts"
import type { Filter } from "../access/filter/filter.ts"
import { seen, type View } from "../access/view.ts"
import { chunkId } from "../search/passages/chunk-id.ts"
import type { Database } from "../storage/database.ts"
import type { Place } from "../storage/document.ts"
import type { FileStatus } from "../storage/files.ts"

/** Rows of one query. */
const SLICES_AT_ONCE = 500

/** Null does not narrow. */
export interface TextScope {
  fileIds: readonly string[] | null
  contextId: string | null
  filter: Filter | null
}

export interface TextFile {
  id: string
  name: string
  status: FileStatus
  /** UTF-16 units of its text; 0 where there is none. */
  characters: number
  /** The version that search sees; null while there is none. */
  generation: number | null
}

/** A stretch of a text. Offsets count UTF-16 units of the whole text. */
export interface TextSlice {
  /** `chunk_…`: the indexed slice that it begins in. */
  chunkId: string
  text: string
  start: number
  end: number
  place: Place
}

export class WholeTexts {
  constructor(private readonly database: Database) {}

  /**
   * The files of a scope: named ones in the given order, else oldest first.
   * @param most further ones are counted only
   */
  async files(view: View, scope: TextScope, most: number): Promise<{ files: TextFile[]; total: number }> {
    if (scope.fileIds?.length === 0) return { files: [], total: 0 }
    let query = this.database.selectFrom("files").where(seen(this.database, view))
    if (scope.fileIds) query = query.where("id", "in", scope.fileIds)
    if (scope.contextId !== null) query = query.where("context_id", "=", scope.contextId)
    if (scope.filter) query = query.where(passes(this.database, scope.filter))
    const { total } = await query.select(eb => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
    const rows = await query
      .select(["id", "name", "status", "character_count as characters", "live_generation as generation"])
      .orderBy("created_at")
      .orderBy("id")
      .limit(scope.fileIds ? scope.fileIds.length : most)
      .execute()
    const files = rows.map(row => ({ ...row, characters: Number(row.generation === null ? 0 : (row.characters ?? 0)) }))
    return { files: inOrderOf(scope.fileIds, files).slice(0, most), total: Number(total) }
  }

  /** Whether the file is still there, for this caller, with this text. */
  async isCurrent(view: View, { id, generation }: Pick<TextFile, "id" | "generation">): Promise<boolean> {
    const row = await this.database
      .selectFrom("files")
      .select("live_generation")
      .where(seen(this.database, view))
      .where("id", "=", id)
      .executeTakeFirst()
    return row !== undefined && row.live_generation === generation
  }

  /** Every character once, in reading order; ends early where the version is gone. What lies between is line breaks. */
  async *slices({ id, generation }: Pick<TextFile, "id" | "generation">): AsyncGenerator<TextSlice, void> {
    if (generation === null) return
    for (let from = 0, end = 0; ; from += SLICES_AT_ONCE) {
      const rows = await this.database
        .selectFrom("chunks")
        .innerJoin("generations", "generations.id", "chunks.generation_id")
        .select(["chunks.id", "chunks.start", "chunks.end", "chunks.text"])
        .select(["chunks.page", "chunks.sheet", "chunks.slide", "chunks.member", "chunks.section"])
        .where("generations.file_id", "=", id)
        .where("generations.generation", "=", generation)
        .where("generations.state", "=", "live")
        .where("chunks.ordinal", ">=", from)
        .where("chunks.ordinal", "<", from + SLICES_AT_ONCE)
        .orderBy("chunks.ordinal")
        .execute()
      for (const { id: number, start, end: until, text, ...place } of rows) {
        const begin = Math.max(start, end) // slices of a text that was cut for its length overlap
        if (begin >= until) continue
        yield { chunkId: chunkId(number), text: text.slice(begin - start), start: begin, end: until, place }
        end = until
      }
      if (rows.length < SLICES_AT_ONCE) return
    }
  }
}

function inOrderOf(ids: readonly string[] | null, files: TextFile[]): TextFile[] {
  if (!ids) return files
  const placeOf = new Map(ids.map((id, at) => [id, at]))
  return files.sort((left, right) => placeOf.get(left.id)! - placeOf.get(right.id)!)
}
