/** The sets beside this file: `# name` begins a set, each other line is one text of it. */
import type { Entity } from "../../../src/redaction/redact.ts"

export type Redact = (text: string) => Promise<Entity[]>

/** Texts by the name of their set. */
export type Sets = Map<string, string[]>

export async function ownSets(file: string): Promise<Sets> {
  const sets: Sets = new Map()
  let texts: string[] = []
  for (const line of (await Bun.file(new URL(`sets/${file}`, import.meta.url)).text()).split("\n")) {
    const name = /^# (\D+)$/.exec(line)?.[1]
    if (name) {
      texts = []
      sets.set(name, texts)
    } else if (line.trim() !== "") texts.push(line.replaceAll("\\n", "\n"))
  }
  return sets
}

/** Lines of odd number are for tuning, the others stay unseen. */
export const isTuned = (index: number): boolean => index % 2 === 0
