/** Which of the installed languages a page that was read is in, told by its words: Latin and Cyrillic serve many. */
import { francAll } from "franc"
import type { Reading } from "./reading.ts"
import { LATIN, scriptOf } from "./scripts.ts"

/** Their letters, and what stands within words. */
const SHARED_SCRIPTS = { [LATIN]: /[^\p{sc=Latin}\s'’-]+/gu, Cyrillic: /[^\p{sc=Cyrillic}\s'’-]+/gu }
/** Letters of a paragraph that tell its language. */
const TELLING = 40
/** Share of the letters from which on a second language is one. */
const SECOND = 0.12
const MAX_SPOKEN = 2

/** The most frequent first; none where there is nothing to choose from, or nothing to tell it by. */
export function spokenLanguages({ text }: Reading, installed: ReadonlyMap<string, string>): string[] {
  const letters = new Map<string, number>()
  let all = 0
  for (const [script, others] of Object.entries(SHARED_SCRIPTS)) {
    const only = [...installed.keys()].filter(language => scriptOf(language) === script)
    if (only.length < 2) continue
    for (const paragraph of text.split("\n\n")) {
      const own = paragraph.replace(others, " ")
      const count = own.replace(/\P{L}/gu, "").length
      if (count < TELLING) continue
      const language = francAll(own, { only })[0]?.[0]
      if (!language || !only.includes(language)) continue
      letters.set(language, (letters.get(language) ?? 0) + count)
      all += count
    }
  }
  return [...letters]
    .filter(([, count]) => count >= all * SECOND)
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_SPOKEN)
    .map(([language]) => language)
}
