/** One thing that the doctor has looked at. */
export interface Finding {
  what: string
  /** `ok`, or what is wrong; a note is no reason to worry. */
  state: "ok" | "note" | "problem"
  text: string
  /** What to do. */
  remedy?: string
}

/** The first few, for a line of text. */
export const someOf = (ids: readonly string[]): string =>
  ids.slice(0, 5).join(", ") + (ids.length > 5 ? ` and ${ids.length - 5} more` : "")
