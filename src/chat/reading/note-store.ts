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
  /** At least one, each in the version that the note was made of. */
  files: readonly { id: string; generation: number | null }[]
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
   * @throws where the conversation is gone meanwhile
   */
  async keep(key: string, { text }: Guarded<Note>, place: NotePlace): Promise<void> {
    await this.sweep()
    const now = new Date().toISOString()
    await this.database.transaction().execute(async trx => {
      const ids = place.files.map(({ id }) => id)
      const rows = await trx
        .selectFrom("files")
        .select(["id", "live_generation"])
        .where("id", "in", ids)
        .orderBy("id")
        .$if(isPostgres(trx), query => query.forShare())
        .execute()
      const current = new Map(rows.map(row => [row.id, row.live_generation]))
      if (place.files.some(({ id, generation }) => current.get(id) !== generation)) return
      const [file_id, ...others] = ids
      await trx
        .insertInto("reading_notes")
        .values({
          key,
          workspace_id: place.workspaceId,
          file_id: file_id!,
          conversation_id: place.conversationId,
          note: text,
          created_at: now,
        })
        .onConflict(conflict => conflict.column("key").doUpdateSet({ note: text, created_at: now }))
        .execute()
      if (others.length === 0) return
      await trx
        .insertInto("reading_note_files")
        .values(others.map(id => ({ key, file_id: id })))
        .onConflict(conflict => conflict.doNothing())
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
