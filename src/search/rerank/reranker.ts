/** The table of reranking models: they judge a passage with the query before them, slower than comparing vectors, and surer. */
import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { log } from "../../log.ts"
import { openCrossEncoder } from "./cross-encoder.ts"
import type { Reranker, RerankerOptions, RerankFolder } from "./scorer.ts"

type OpenScorer = (folder: RerankFolder, options: RerankerOptions) => Reranker

/** By the `scorer` that a model folder names; another kind is a file and a line. */
const SCORERS = {
  "cross-encoder": openCrossEncoder,
} as const satisfies Record<string, OpenScorer>

/** The model that ships with the product. */
const BUILT_IN_RERANKER = "ms-marco-MiniLM-L-12-v2"

/** Undefined, and said so in the log, where the folder is missing or damaged: search goes on without. Loads with its first text. */
export function openReranker(modelDirectories: string[], options: RerankerOptions): Reranker | undefined {
  const directory = modelDirectories
    .map(parent => join(parent, BUILT_IN_RERANKER))
    .find(path => existsSync(path) && statSync(path).isDirectory())
  if (!directory) {
    log.error("there is no reranking model", { looked_in: modelDirectories })
    return undefined
  }
  try {
    const stated = JSON.parse(readFileSync(join(directory, "carrel.json"), "utf8")) as Record<string, unknown>
    const languages = Array.isArray(stated.languages) ? stated.languages.map(String) : null
    return SCORERS[stated.scorer as keyof typeof SCORERS]({ name: BUILT_IN_RERANKER, directory, languages }, options)
  } catch (error) {
    log.error("the reranking model cannot be opened", { directory, error })
    return undefined
  }
}
