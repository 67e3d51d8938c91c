/** What agents may ask of the library, and the files that one run may see. The composition root joins it to the library. */
import type { Filter } from "../access/filter/filter.ts"
import type { View } from "../access/view.ts"
import type { Scope } from "../grounding/scope.ts"
import type { StoredBytes } from "../storage/blobs/blobs.ts"
import type { Place } from "../storage/document.ts"

/** A file as tools know it; a FileRecord has all of these. */
export interface AgentFile {
  id: string
  name: string
  /** Extension without the dot. */
  type: string
  size: number
  status: string
  context_id: string | null
  tags: string[]
  page_count: number | null
  character_count: number | null
  created_at: string
}

export interface TextRange {
  /** 1-based page or slide; `start` and `end` then count from the page's first character. */
  page?: number
  start?: number
  end?: number
}

/** A stretch of a file's extracted text; offsets count UTF-16 code units of the whole text. */
export interface TextSlice {
  text: string
  start: number
  end: number
  /** First and last offset that the asked-for part (page or whole text) has. */
  from: number
  to: number
  place: Place
}

export interface AgentLibrary {
  /** Newest first. `name` is a case-insensitive substring, `type` an extension. */
  list(
    view: View,
    narrowed: {
      file_ids?: string[]
      context_id?: string
      filter?: Filter
      name?: string
      type?: string
      /** Extensions. */
      types?: readonly string[]
      limit: number
    },
  ): Promise<{ files: AgentFile[]; total: number }>
  /** Undefined for an id that the caller does not see, or that lies outside of the scope. */
  find(view: View, fileId: string, scope: Scope): Promise<AgentFile | undefined>
  /**
   * The extracted text of a searchable file; a range beyond its end gives an empty slice.
   * Undefined when the page does not exist.
   */
  readText(view: View, fileId: string, range: TextRange): Promise<TextSlice | undefined>
  /** Id of the indexed passage at a character of the text; undefined where there is none. */
  chunkAt(fileId: string, offset: number, sheet?: string): Promise<string | undefined>
  /** @returns the bytes, and their digest */
  original(view: View, fileId: string): Promise<{ bytes: StoredBytes; sha256: string }>
  /** Calls `listener` when the record of the file has changed, or is gone. @returns ends that */
  listen(fileId: string, listener: () => void): () => void
  /**
   * A `conv_…` context as the files given to that conversation.
   * @throws AppError not_found when the caller sees no such conversation
   */
  conversationFiles?(view: View, conversationId: string): Promise<string[]>
}
