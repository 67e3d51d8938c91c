/** What a reader may say of a file that it read, in `warnings` of the file's record; `docs/formats.md` lists the same. */
export const WARNINGS = {
  attachment_skipped: "a file inside of a PDF or a mail was left out",
  damaged_archive: "the directory of an archive was made anew from what was found",
  damaged_file: "only a part of the file could be read",
  damaged_parts: "parts of the document were left out",
  embedded_skipped: "a document inside of an Office document was left out",
  formulas_without_values: "cells were left out whose values nobody has computed",
  frames_skipped: "an animation has further frames",
  garbled_text: "the fonts of pages do not tell their letters; OCR was tried instead",
  low_ocr_confidence: "text was recognized with low confidence",
  mail_encrypted: "the text of a mail is encrypted; its headers are read",
  member_damaged: "a member of an archive or mailbox was left out, or only its beginning was read",
  member_encrypted: "a member of an archive needs a password",
  member_skipped: "a member of an archive was left out: its type cannot be read, or it has no text",
  messages_skipped: "a mailbox has more messages than are read",
  ocr_language_missing: "pages or pictures have writing that no installed OCR language reads",
  ocr_limit: "pages or pictures were left out: the file had its share of OCR",
  unreadable_pages: "pages could not be read",
} as const satisfies Record<string, string>

export type WarningCode = keyof typeof WARNINGS
