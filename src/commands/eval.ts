import { readFile } from "node:fs/promises"
import type { Embedder } from "../backends/backend.ts"
import type { Config } from "../config.ts"
import { embeddingModels, openConfiguredEmbedder, tiersOf } from "../configured.ts"
import { enginesOf } from "../configured-cluster.ts"
import { checkExpectations, type Evaluation, type Expectation, evaluate, readExpectations } from "../search/evaluate.ts"
import { SearchIndex } from "../search/index.ts"
import { onlooker } from "../search/writing/membership.ts"
import type { Tier } from "../storage/chunk-tables.ts"
import {
  type Command,
  needInstallation,
  needWorkspace,
  parseArguments,
  prepareNative,
  printJson,
  printTable,
  UsageError,
  withStoppedInstallation,
} from "./command.ts"
import { openBesideNodes } from "./doctor-cluster.ts"
import { type OpenedStores, storesIn } from "./open-stores.ts"
import { withProgress } from "./progress.ts"

export const HELP = `Usage: carrel eval FILE [--workspace NAME] [--json] [--data DIR]

Measures how well search finds the right files. FILE has one JSON object per line: {"query": "…", "file": "…"}, the
file by id or name, or several in an array. Prints hit@k, MRR and nDCG@10 of each search mode. The daemon must be stopped; nodes of
several machines may run.
`

export const run: Command = async args => {
  const { config, words, options } = parseArguments(args, { values: ["workspace"], switches: ["json"] })
  if (words.length !== 1) throw new UsageError("one FILE is required; `carrel eval --help` says more")
  if (!enginesOf(config)) needInstallation(config)
  const text = await readFile(words[0]!, "utf8").catch(error => {
    throw Object.assign(error, { path: words[0] }) // a folder's error does not name it
  })
  const expectations = readExpectations(text)
  const results = await withStores(config, stores =>
    measure(config, stores, options.get("workspace") ?? "default", expectations),
  )
  if (options.has("json")) printJson(results)
  else
    printTable(
      ["MODE", "QUERIES", "HIT@1", "HIT@3", "HIT@10", "MRR", "NDCG@10"],
      results.map(({ mode, queries, hit_at, mrr, ndcg }) => [
        mode,
        queries,
        ...[hit_at[1], hit_at[3], hit_at[10], mrr, ndcg].map(value => value.toFixed(3)),
      ]),
    )
  return 0
}

async function withStores<T>(config: Config, work: (stores: OpenedStores) => Promise<T>): Promise<T> {
  const engines = enginesOf(config)
  if (!engines) return withStoppedInstallation(config, database => work(storesIn(config.data, database)))
  await using stack = new AsyncDisposableStack()
  const stores = await openBesideNodes(engines, stack)
  await prepareNative(config)
  return await work(stores) // before they are closed
}

async function measure(
  config: Config,
  { database, passages, isShared }: OpenedStores,
  workspace: string,
  expectations: Expectation[],
): Promise<Evaluation[]> {
  const workspaceId = await needWorkspace(database, workspace)
  const files = await database
    .selectFrom("files")
    .select(["id", "name"])
    .where("workspace_id", "=", workspaceId)
    .execute()
  checkExpectations(expectations, files)
  const embedders: Partial<Record<Tier, Embedder>> = {}
  for (const [tier, name] of tiersOf(embeddingModels(config)))
    embedders[tier] = await openConfiguredEmbedder(config, name)
  const tiers = tiersOf(embedders).map(([tier]) => tier)
  const members = isShared ? { members: onlooker() } : {}
  const index = new SearchIndex({ database, store: passages, embedders, tiers, ...members })
  await index.start()
  try {
    return await withProgress("Measuring", progress => {
      progress.step("Measuring", "questions")
      return evaluate(index, workspaceId, expectations, undefined, (done, total) => progress.update(done, total))
    })
  } finally {
    await index.stop()
    for (const embedder of Object.values(embedders)) await embedder.close()
  }
}
