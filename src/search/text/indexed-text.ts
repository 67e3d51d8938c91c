/** What of a chunk is indexed: a table's header or the section title before its text. */
export const indexedText = (text: string, context?: string | null): string => (context ? `${context}\n${text}` : text)
