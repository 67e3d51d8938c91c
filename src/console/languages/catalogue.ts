/** What a language must say. German is the list of keys: the other folders have exactly its files and their keys. */
import type { texts } from "./de/index.ts"

/** A text of the console: its English sentence, as ICU MessageFormat. */
export type Text = keyof typeof texts

export type Catalogue = Record<Text, string>

/** The same keys as a file of German texts. */
export type Same<German> = Record<keyof German, string>
