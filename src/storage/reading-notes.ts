/** What a model noted of parts of files; `chat/reading/note-store.ts` reads and writes it. */
export interface ReadingNotesTables {
  reading_notes: ReadingNotesTable
  reading_note_files: ReadingNoteFilesTable
}

interface ReadingNotesTable {
  /** Digest of all that the note was made from: the part, the question, the model, the redaction and who may see it. */
  key: string
  workspace_id: string
  /** The first of its files. */
  file_id: string
  /** Where it was made first; null outside of conversations. */
  conversation_id: string | null
  /** Its marks `[n]` count the stretches of the part from 1. */
  note: string
  created_at: string
}

/** The further files that a note was made of. */
interface ReadingNoteFilesTable {
  key: string
  file_id: string
}
