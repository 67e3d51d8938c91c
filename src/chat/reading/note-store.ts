/**
 * Notes that were made of parts, kept for a while: a reply that was cut, or the same question again, asks the model for the
 * missing ones only. A note is found again by who sees what its maker saw, for the same part, question, model and redaction.
 */
import { createHash } from "node:crypto"
import { filesSeen, type View } from "../../access/view.ts"
import { canonicalJson } from "../../canonical-json.ts"
import type { Fields, Guarded } from "../../guarded.ts"
import type { Database } from "../../storage/database.ts"
import { isPostgres } from "../../storage/words.ts"

/** How long a note is kept. */
const NOTES_KEPT_MS = 7 * 24 * 3_600_000
/** How often old ones are looked for. */
const SWEEP_MS = 3_600_000

export interface Note {
  /** Empty where nothing in the part bears on the question. */
  text: string
}

export const NOTE: Fields<Note> = { text: "text" }

/** Where a note belongs: it is gone with any of them. */
export interface NotePlace {
  workspaceId: string
  fileId: string
  /** The version of the file that the note was made of. */
  generation: number | null
  conversationId: string | null
}

export class NoteStore {
  private sweptAt = 0

  constructor(private readonly database: Database) {}

  async find(keys: readonly string[]): Promise<Map<string, string>> {
    if (keys.length === 0) return new Map()
    const rows = await this.database
      .selectFrom("reading_notes")
      .select(["key", "note"])
      .where("key", "in", keys)
      .where("created_at", ">=", new Date(Date.now() - NOTES_KEPT_MS).toISOString())
      .execute()
    return new Map(rows.map(({ key, note }) => [key, note]))
  }

  /**
   * Keeps nothing of a text that another has taken the place of: those notes are deleted by then, and these come too late.
   * @throws where file or conversation are gone meanwhile
   */
  async keep(key: string, { text }: Guarded<Note>, place: NotePlace): Promise<void> {
    await this.sweep()
    const now = new Date().toISOString()
    await this.database.transaction().execute(async trx => {
      const file = await trx
        .selectFrom("files")
        .select("live_generation")
        .where("id", "=", place.fileId)
        .$if(isPostgres(trx), query => query.forShare())
        .executeTakeFirst()
      if (file?.live_generation !== place.generation) return
      await trx
        .insertInto("reading_notes")
        .values({
          key,
          workspace_id: place.workspaceId,
          file_id: place.fileId,
          conversation_id: place.conversationId,
          note: text,
          created_at: now,
        })
        .onConflict(conflict => conflict.column("key").doUpdateSet({ note: text, created_at: now }))
        .execute()
    })
  }

  private async sweep(): Promise<void> {
    const now = Date.now()
    if (now - this.sweptAt < SWEEP_MS) return
    this.sweptAt = now
    await this.database
      .deleteFrom("reading_notes")
      .where("created_at", "<", new Date(now - NOTES_KEPT_MS).toISOString())
      .execute()
  }
}

/** @param madeFrom all that the note depends on, beside who may see it */
export const noteKey = (view: View, madeFrom: readonly unknown[]): string =>
  createHash("sha256")
    .update(canonicalJson([view.own, filesSeen(view), ...madeFrom]))
    .digest("hex")
