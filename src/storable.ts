/** Whether each store keeps the text as it is: lone surrogates become another character in UTF-8, and PostgreSQL takes no NUL. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0")
