/** What is found of `«persons»` and `⟦addresses⟧`, and what is hidden beside them. */
import { shown } from "./hidden.ts"
import { isTuned, type Redact, type Sets } from "./sets.ts"

interface Label {
  kind: string
  start: number
  end: number
}

export async function measurePersons(redact: Redact, sets: Sets, failures: boolean): Promise<void> {
  console.log(`${"".padEnd(28)} labels  tuned: recall wrong   unseen: recall wrong`)
  for (const [name, marked] of sets) {
    const counts = [
      { found: 0, labels: 0, wrong: 0 },
      { found: 0, labels: 0, wrong: 0 },
    ]
    for (const [index, written] of marked.entries()) {
      const { text, labels } = unmarked(written)
      const tally = counts[isTuned(index) ? 0 : 1]!
      const entities = await redact(text)
      for (const label of labels) {
        const covered = entities.reduce((sum, entity) => sum + shared(entity, label), 0)
        const found = covered * 2 >= label.end - label.start
        tally.labels++
        if (found) tally.found++
        else if (failures && isTuned(index)) console.log("    missed", JSON.stringify(written))
      }
      for (const entity of entities.filter(entity => !labels.some(label => shared(entity, label) > 0))) {
        tally.wrong++
        if (failures && isTuned(index)) console.log("    wrong ", shown(entity, text))
      }
    }
    const cell = ({ found, labels, wrong }: (typeof counts)[0]) =>
      `${(found / Math.max(1, labels)).toFixed(3).padStart(13)} ${String(wrong).padStart(5)}`
    const total = counts[0]!.labels + counts[1]!.labels
    console.log(`${name.padEnd(28)} ${String(total).padStart(6)} ${cell(counts[0]!)}  ${cell(counts[1]!)}`)
  }
}

function unmarked(written: string): { text: string; labels: Label[] } {
  const labels: Label[] = []
  let text = ""
  for (const part of written.split(/(«[^»]*»|⟦[^⟧]*⟧)/)) {
    const marked = /^[«⟦]/.test(part)
    const plain = marked ? part.slice(1, -1) : part
    if (marked)
      labels.push({ kind: part[0] === "«" ? "NAME" : "ADDRESS", start: text.length, end: text.length + plain.length })
    text += plain
  }
  return { text, labels }
}

const shared = (a: { start: number; end: number }, b: { start: number; end: number }): number =>
  Math.max(0, Math.min(a.end, b.end) - Math.max(a.start, b.start))
