/** Records of how answers were made; `chat/record/` reads and writes them. */
export interface RecordsTables {
  answer_records: AnswerRecordsTable
  record_texts: RecordTextsTable
  message_files: MessageFilesTable
}

export interface AnswerRecordsTable {
  /** The reply. */
  message_id: string
  /** JSON object; holds no text of any file. */
  facts: string
  /** JSON of the newest request to the model, where texts of files and of earlier messages are named and not repeated; null for one that was too large. */
  prompt: string | null
}

/** What the tools of an answer gave to its model. */
export interface RecordTextsTable {
  message_id: string
  /** 1, 2, 3 … in the order of the calls. */
  position: number
  text: string
  /** JSON array: those that the text is from. */
  file_ids: string
}

/** Whose text the record of a message holds, so that it goes with the file. */
export interface MessageFilesTable {
  message_id: string
  file_id: string
}
