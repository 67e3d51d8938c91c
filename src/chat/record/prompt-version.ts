/** Names the words that the daemon itself puts into prompts: equal where an answer was asked for in the same ones. */
import { createHash } from "node:crypto"
import { VERSION } from "../../native/version.ts"
import joinNotes from "../prompts/join-notes.txt" with { type: "text" }
import lastTurn from "../prompts/last-turn.txt" with { type: "text" }
import lent from "../prompts/lent.txt" with { type: "text" }
import notSearched from "../prompts/not-searched.txt" with { type: "text" }
import notes from "../prompts/notes.txt" with { type: "text" }
import nothingFound from "../prompts/nothing-found.txt" with { type: "text" }
import partNotes from "../prompts/part-notes.txt" with { type: "text" }
import passages from "../prompts/passages.txt" with { type: "text" }
import remembered from "../prompts/remembered.txt" with { type: "text" }
import searchQuery from "../prompts/search-query.txt" with { type: "text" }
import summary from "../prompts/summary.txt" with { type: "text" }
import wholeText from "../prompts/whole-text.txt" with { type: "text" }

/** Every prompt of an answer, by its path in `src/chat`. */
export const PROMPTS: Readonly<Record<string, string>> = {
  "prompts/join-notes.txt": joinNotes,
  "prompts/last-turn.txt": lastTurn,
  "prompts/lent.txt": lent,
  "prompts/not-searched.txt": notSearched,
  "prompts/notes.txt": notes,
  "prompts/nothing-found.txt": nothingFound,
  "prompts/part-notes.txt": partNotes,
  "prompts/passages.txt": passages,
  "prompts/remembered.txt": remembered,
  "prompts/search-query.txt": searchQuery,
  "prompts/summary.txt": summary,
  "prompts/whole-text.txt": wholeText,
}

/** The version of the product is part of it, for its code joins the words: `0.3.0-1f2e3d4c5b6a`. */
export function versionOfPrompts(prompts: Readonly<Record<string, string>>, version: string): string {
  const named = Object.entries(prompts).sort(([left], [right]) => (left < right ? -1 : 1))
  const digest = createHash("sha256").update(JSON.stringify(named)).digest("hex")
  return `${version}-${digest.slice(0, 12)}`
}

export const PROMPT_VERSION = versionOfPrompts(PROMPTS, VERSION)
