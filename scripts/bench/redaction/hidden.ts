/** How much is hidden of text in which nothing should be. */
import type { Entity } from "../../../src/redaction/redact.ts"
import { isTuned, type Redact, type Sets } from "./sets.ts"

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'’-]*/gu
const LETTER = /[\p{L}\p{N}]/gu

/** @param right what is rightly hidden wherever it stands: text that was not written for this names a few persons */
export async function measureHidden(
  redact: Redact,
  sets: Sets,
  unit: "words" | "letters",
  failures: boolean,
  right: ReadonlySet<string> = new Set(),
): Promise<void> {
  const pattern = unit === "words" ? WORD : LETTER
  const count = (text: string): number => text.match(pattern)?.length ?? 0
  const sums = { tuned: [0, 0], unseen: [0, 0] } as Record<"tuned" | "unseen", [number, number]>
  console.log(`${"".padEnd(22)} ${unit.padStart(8)}   tuned  unseen`)
  for (const [name, texts] of sets) {
    const shares: Record<"tuned" | "unseen", [number, number]> = { tuned: [0, 0], unseen: [0, 0] }
    for (const [index, text] of texts.entries()) {
      const half = isTuned(index) ? "tuned" : "unseen"
      const entities = (await redact(text)).filter(({ start, end }) => !right.has(text.slice(start, end)))
      shares[half][0] += entities.reduce((sum, { start, end }) => sum + count(text.slice(start, end)), 0)
      shares[half][1] += count(text)
      if (failures && half === "tuned") for (const entity of entities) console.log("   ", shown(entity, text))
    }
    for (const half of ["tuned", "unseen"] as const)
      for (const side of [0, 1] as const) sums[half][side] += shares[half][side]
    line(name, shares)
  }
  line("all", sums)
}

function line(name: string, { tuned, unseen }: Record<"tuned" | "unseen", [number, number]>): void {
  const share = ([hidden, all]: [number, number]) => ((100 * hidden) / Math.max(1, all)).toFixed(2).padStart(7)
  console.log(`${name.padEnd(22)} ${String(tuned[1] + unseen[1]).padStart(8)} ${share(tuned)} ${share(unseen)}`)
}

export function shown({ kind, start, end, score }: Entity, text: string): string {
  const around = `${text.slice(Math.max(0, start - 40), start)}«${text.slice(start, end)}»${text.slice(end, end + 30)}`
  return `${kind} ${score.toFixed(2)} ${JSON.stringify(around)}`
}
