/**
 * What became of candidates that were measured, in `<data>/evaluations.json`: whoever changes the embedding model is told when
 * it was found worse. The last measurement of a model counts.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Difference, Verdict } from "../../search/comparison.ts"

const FILE = "evaluations.json"

export interface Measured {
  /** As `Embedder.model` says it. */
  model: string
  verdict: Verdict
  /** Of the hybrid search. */
  difference: Difference
  questions: number
  /** ISO-8601. */
  at: string
}

export function noteVerdict(dataDirectory: string, measured: Measured): void {
  const path = join(dataDirectory, FILE)
  const others = read(path).filter(({ model }) => model !== measured.model)
  writeFileSync(`${path}.new`, `${JSON.stringify([...others, measured], null, 2)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

export const hasVerdicts = (dataDirectory: string): boolean => existsSync(join(dataDirectory, FILE))

export const verdictOn = (dataDirectory: string, model: string): Measured | undefined =>
  read(join(dataDirectory, FILE)).find(each => each.model === model)

/** A file that somebody broke says nothing. */
function read(path: string): Measured[] {
  if (!existsSync(path)) return []
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Measured[]
  } catch {
    return []
  }
}
