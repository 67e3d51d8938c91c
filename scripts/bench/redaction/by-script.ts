/**
 * Labelled sentences by language (`{text, spans: [start, end, kind][], language}` a line, as scripts/train/entities/script_sentences.py
 * writes them): what is found, how much of what is hidden is right, and what is hidden of sentences that name nobody.
 */
import type { Redact } from "./sets.ts"

interface Sample {
  text: string
  spans: [number, number, "NAME" | "ADDRESS"][]
  language: string
}
interface Tally {
  NAME: { found: number; labels: number }
  ADDRESS: { found: number; labels: number }
  finds: number
  right: number
  hidden: number
  letters: number
}

const LETTER = /[\p{L}\p{N}]/gu
const count = (text: string): number => text.match(LETTER)?.length ?? 0
const shared = (a: { start: number; end: number }, start: number, end: number): number =>
  Math.max(0, Math.min(a.end, end) - Math.max(a.start, start))

/** @param failures prints misses and wrong finds of this language, or of all */
export async function measureByScript(redact: Redact, file: string, failures?: string): Promise<void> {
  const tallies = new Map<string, Tally>()
  for (const line of (await Bun.file(file).text()).split("\n")) {
    if (line === "") continue
    const sample = JSON.parse(line) as Sample
    const tally = tallies.get(sample.language) ?? emptyTally()
    tallies.set(sample.language, tally)
    await measure(sample, tally, redact, failures === "all" || failures === sample.language)
  }
  console.log("language    NAME recall        ADDRESS recall     precision   hidden of impersonal, %")
  for (const [language, { NAME, ADDRESS, finds, right, hidden, letters }] of [...tallies].sort()) {
    const recall = ({ found, labels }: Tally["NAME"]) =>
      `${(found / Math.max(1, labels)).toFixed(3)} of ${String(labels).padEnd(6)}`
    const precision = (right / Math.max(1, finds)).toFixed(3)
    const share = ((100 * hidden) / Math.max(1, letters)).toFixed(2)
    console.log(
      `${language.padEnd(10)}  ${recall(NAME)}     ${recall(ADDRESS)}     ${precision}       ${share} of ${letters}`,
    )
  }
}

async function measure({ text, spans }: Sample, tally: Tally, redact: Redact, print: boolean): Promise<void> {
  const entities = (await redact(text)).filter(({ kind }) => kind === "NAME" || kind === "ADDRESS")
  for (const [start, end, kind] of spans) {
    const covered = entities
      .filter(entity => entity.kind === kind)
      .reduce((sum, entity) => sum + shared(entity, start, end), 0)
    const found = covered * 2 >= end - start
    tally[kind].labels++
    if (found) tally[kind].found++
    else if (print) console.log(`missed ${kind} «${text.slice(start, end)}» in ${JSON.stringify(text)}`)
  }
  for (const entity of entities) {
    const right = spans.some(([start, end]) => shared(entity, start, end) > 0)
    tally.finds++
    if (right) tally.right++
    else if (print)
      console.log(
        `wrong ${entity.kind} ${entity.score.toFixed(2)} «${text.slice(entity.start, entity.end)}» in ${JSON.stringify(text)}`,
      )
  }
  if (spans.length > 0) return
  tally.letters += count(text)
  tally.hidden += entities.reduce((sum, { start, end }) => sum + count(text.slice(start, end)), 0)
}

const emptyTally = (): Tally => ({
  NAME: { found: 0, labels: 0 },
  ADDRESS: { found: 0, labels: 0 },
  finds: 0,
  right: 0,
  hidden: 0,
  letters: 0,
})
