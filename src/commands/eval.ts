import type { Embedder } from "../backends/backend.ts"
import type { Config } from "../config.ts"
import { embeddingModels, openConfiguredEmbedder, tiersOf } from "../configured.ts"
import { enginesOf } from "../configured-cluster.ts"
import { type Evaluation, evaluate } from "../search/evaluate.ts"
import { SearchIndex } from "../search/index.ts"
import { onlooker } from "../search/writing/membership.ts"
import type { Tier } from "../storage/chunk-tables.ts"
import {
  type Command,
  counted,
  hasDatabase,
  parseArguments,
  prepareNative,
  print,
  printJson,
  printTable,
  UsageError,
  withExistingDatabase,
  withStoppedInstallation,
} from "./command.ts"
import { openBesideNodes } from "./doctor-cluster.ts"
import {
  type Candidate,
  type Comparison,
  compareWith,
  measureCopy,
  type Questions,
  readQuestions,
  USUAL_PASSAGES,
} from "./evaluation/measure.ts"
import type { Taken } from "./evaluation/sample.ts"
import { noteVerdict } from "./evaluation/verdicts.ts"
import { type OpenedStores, storesIn } from "./open-stores.ts"
import { withProgress } from "./progress.ts"
import { findRunning } from "./running.ts"

export const HELP = `Usage: carrel eval FILE [--workspace NAME] [--json] [--data DIR]
       carrel eval FILE [--model NAME] [--tier auto|fast|quality] [--fusion SHARE] [--rerank] [--passages N] [--workspace NAME] …

Measures how well search finds the right files. FILE has one JSON object per line: {"query": "…", "file": "…"}, the
file by id or name, or several in an array. Prints hit@k, MRR and nDCG@10 of each search mode.

With --model, --tier, --fusion (share of meaning beside words, 0 to 1) or --rerank it measures a candidate beside what serves now, before
anything is switched: both search the same passages, and the difference is printed with the probability that chance makes one
as large. A candidate is worse when its hybrid search has a lower nDCG@10 and that probability is below .05, or when it loses
.05 or more; the exit status is then 1, and \`carrel reindex --model\` refuses it.

A daemon may run, and the nodes of a cluster. Beside a daemon, and for candidates, a copy is measured: of the files that the
questions name and of others up to N passages (${USUAL_PASSAGES}). It lies in the temporary directory, and is removed. Else the index itself
is measured.
`

const MAX_PASSAGES = 1_000_000
const TIERS_NAMED = ["auto", "fast", "quality"] as const

export const run: Command = async args => {
  const { config, words, options } = parseArguments(args, {
    values: ["workspace", "model", "tier", "fusion", "passages"],
    switches: ["json", "rerank"],
  })
  if (words.length !== 1) throw new UsageError("one FILE is required; `carrel eval --help` says more")
  const path = words[0]!
  const workspace = options.get("workspace") ?? "default"
  const isJson = options.has("json")
  const candidate = candidateIn(options)
  const passages = numberIn(options, "passages", { least: 1, most: MAX_PASSAGES }) ?? USUAL_PASSAGES
  if (candidate) {
    const comparison = await withExistingDatabase(config, async database => {
      const questions = await readQuestions(database, path, workspace)
      return measured(progress => compareWith(config, database, questions, { candidate, passages }, progress))
    })
    if (isJson) printJson(comparison)
    else printComparison(comparison)
    if (candidate.model !== undefined && candidate.fusion === undefined && !candidate.rerank) note(config, comparison)
    return comparison.verdict === "worse" ? 1 : 0
  }
  const isFree = enginesOf(config) || !findRunning(config.data)
  const { evaluations, taken } = await (isFree ? wholeLibrary : beside)(config, path, workspace, passages)
  if (isJson) printJson(evaluations)
  else {
    if (taken) print(describeTaken(taken))
    printEvaluations(evaluations)
  }
  return 0
}

interface Measurement {
  evaluations: Evaluation[]
  /** Where a copy was measured. */
  taken?: Taken
}

const measured = <T>(work: Parameters<typeof withProgress<T>>[1]): Promise<T> => withProgress("Measuring", work)

/** The index itself: of a stopped installation, or beside the nodes of a cluster. */
async function wholeLibrary(config: Config, path: string, workspace: string): Promise<Measurement> {
  const work = async (stores: OpenedStores): Promise<Measurement> => {
    const questions = await readQuestions(stores.database, path, workspace)
    return { evaluations: await measureIndex(config, stores, questions) }
  }
  const engines = enginesOf(config)
  if (!engines) return withStoppedInstallation(config, database => work(storesIn(config.data, database)))
  await using stack = new AsyncDisposableStack()
  const stores = await openBesideNodes(config, engines, stack)
  await prepareNative(config)
  return await work(stores) // before they are closed
}

const beside = (config: Config, path: string, workspace: string, passages: number): Promise<Measurement> =>
  withExistingDatabase(config, async database => {
    const questions = await readQuestions(database, path, workspace)
    const { evaluations, passages: taken } = await measured(progress =>
      measureCopy(config, database, questions, passages, progress),
    )
    return { evaluations, taken }
  })

async function measureIndex(
  config: Config,
  { database, passages, isShared }: OpenedStores,
  { workspaceId, expectations }: Questions,
): Promise<Evaluation[]> {
  const embedders: Partial<Record<Tier, Embedder>> = {}
  for (const [tier, name] of tiersOf(embeddingModels(config)))
    embedders[tier] = await openConfiguredEmbedder(config, name)
  const tiers = tiersOf(embedders).map(([tier]) => tier)
  const members = isShared ? { members: onlooker() } : {}
  const index = new SearchIndex({ database, store: passages, embedders, tiers, ...members })
  await index.start()
  try {
    return await measured(progress => {
      progress.step("Measuring", "questions")
      return evaluate(index, workspaceId, expectations, undefined, (done, total) => progress.update(done, total))
    })
  } finally {
    await index.stop()
    for (const embedder of Object.values(embedders)) await embedder.close()
  }
}

/** @throws UsageError for a value that is none */
function candidateIn(options: Map<string, string>): Candidate | undefined {
  const [model, tier] = [options.get("model"), options.get("tier")]
  const fusion = numberIn(options, "fusion", { least: 0, most: 1 })
  if (tier !== undefined && !isTier(tier)) throw new UsageError(`--tier is one of ${TIERS_NAMED.join(", ")}`)
  const rerank = options.has("rerank")
  if (model === undefined && tier === undefined && fusion === undefined && !rerank) return undefined
  return {
    ...(model === undefined ? {} : { model }),
    ...(tier === undefined ? {} : { tier }),
    ...(fusion === undefined ? {} : { fusion }),
    ...(rerank ? { rerank } : {}),
  }
}

const isTier = (text: string): text is (typeof TIERS_NAMED)[number] => (TIERS_NAMED as readonly string[]).includes(text)

function numberIn(
  options: Map<string, string>,
  name: string,
  { least, most }: { least: number; most: number },
): number | undefined {
  const text = options.get(name)
  if (text === undefined) return undefined
  const number = Number(text)
  if (text.trim() === "" || !(number >= least && number <= most))
    throw new UsageError(`--${name} is a number from ${least} to ${most}`)
  return number
}

/** For who changes to the model; in a cluster nobody looks there. */
function note(config: Config, { models, verdict, differences, current }: Comparison): void {
  if (enginesOf(config) || !hasDatabase(config)) return
  const difference = differences.find(({ mode }) => mode === "hybrid")!
  const [model] = models.slice(-1)
  noteVerdict(config.data, {
    model: model!,
    verdict,
    difference,
    questions: current[0]!.queries,
    at: new Date().toISOString(),
  })
}

const figures = ({ hit_at, mrr, ndcg }: Evaluation): string[] =>
  [hit_at[1], hit_at[3], hit_at[10], mrr, ndcg].map(value => value.toFixed(3))

const printEvaluations = (evaluations: Evaluation[]): void =>
  printTable(
    ["MODE", "QUERIES", "HIT@1", "HIT@3", "HIT@10", "MRR", "NDCG@10"],
    evaluations.map(each => [each.mode, each.queries, ...figures(each)]),
  )

function printComparison({ passages, current, candidate, differences, verdict, models }: Comparison): void {
  print(describeTaken(passages))
  printTable(
    ["MODE", "", "HIT@1", "HIT@3", "HIT@10", "MRR", "NDCG@10", "DIFFERENCE", "P", "BETTER", "WORSE"],
    current.flatMap((now, i) => {
      const { ndcg, p, better, worse } = differences[i]!
      const signed = `${ndcg > 0 ? "+" : ""}${ndcg.toFixed(3)}`
      return [
        [now.mode, "now", ...figures(now), "", "", "", ""],
        [now.mode, "candidate", ...figures(candidate[i]!), signed, p.toFixed(3), better, worse],
      ]
    }),
  )
  const told = {
    better: "finds more than what serves now",
    worse: "finds less than what serves now: it is not worth the change",
    alike: "finds as much as what serves now, as far as these questions tell",
  }[verdict]
  print(`${models.at(-1)} ${told}`)
}

const describeTaken = ({ passages, total }: Taken): string =>
  passages === total
    ? `${counted(total, "passage")} of the library`
    : `${passages} of the library's ${counted(total, "passage")}: those of the files asked for, and others; --passages takes more`
