import { BUILT_IN_EMBEDDING_MODELS } from "../backends/embedder.ts"
import type { Config } from "../config.ts"
import { openConfiguredEmbedder } from "../configured.ts"
import { OperatorError } from "../errors.ts"
import { WARNINGS } from "../ingest/formats/warnings.ts"
import { indexJob } from "../ingest/task.ts"
import { JobQueue } from "../jobs/queue.ts"
import { QUEUED } from "../library/library.ts"
import { SearchIndex } from "../search/index.ts"
import { onlooker } from "../search/writing/membership.ts"
import type { Database } from "../storage/database.ts"
import { withWarning } from "../storage/files.ts"
import { inOrder } from "../storage/shared.ts"
import {
  type Command,
  counted,
  parseArguments,
  prepareNative,
  print,
  refuseWords,
  UsageError,
  withExistingDatabase,
} from "./command.ts"
import { compareWith, readQuestions, USUAL_PASSAGES } from "./evaluation/measure.ts"
import { hasVerdicts, type Measured, verdictOn } from "./evaluation/verdicts.ts"
import { type OpenedStores, withStoppedStores } from "./open-stores.ts"
import { withProgress } from "./progress.ts"
import { tellAll } from "./told.ts"

export const HELP = `Usage: carrel reindex [--data DIR]                 read and index every file again, by the daemon
       carrel reindex --warning CODE [--data DIR]  those whose records have this warning, such as ocr_language_missing
       carrel reindex --model NAME [--questions FILE [--workspace NAME]] [--force] [--data DIR]
                                                   make all vectors anew with another embedding model

The first two forms queue files; a running daemon begins at once, and what is there stays findable until it is done.
The third form needs the daemon stopped. A daemon that is started with another --embedding-model does the same in the
background: the former model serves until the change is complete.

With --questions the model is first measured by these questions, as \`carrel eval FILE --model NAME\` does, and refused when it
finds less than what serves; so is one of which the last \`carrel eval\` said so. --force changes to it all the same.
`

export const run: Command = async args => {
  const { config, words, options } = parseArguments(args, {
    values: ["model", "warning", "questions", "workspace"],
    switches: ["force"],
  })
  refuseWords(words)
  const model = options.get("model")
  const warning = options.get("warning")
  if (model && warning) throw new UsageError("--model makes the vectors of all files; it goes without --warning")
  if (warning && !Object.hasOwn(WARNINGS, warning))
    throw new UsageError(`--warning must be one of ${Object.keys(WARNINGS).join(", ")} (given: ${warning})`)
  if (!model) {
    for (const name of ["questions", "workspace", "force"])
      if (options.has(name)) throw new UsageError(`--${name} goes with --model`)
    const count = await withProgress("Queueing the files", () =>
      withExistingDatabase(config, database => queue(database, warning)),
    )
    print(`${counted(count, "file")} queued`)
    return 0
  }
  if (!options.has("force")) await refuseWorse(config, model, options)
  const name = await withStoppedStores(config, stores => changeModel(config, stores, model))
  print(`all passages now have vectors of ${name}; start the daemon with --embedding-model ${model}`)
  return 0
}

/** @throws OperatorError for a model that was found worse than what serves */
async function refuseWorse(config: Config, model: string, options: Map<string, string>): Promise<void> {
  const path = options.get("questions")
  const found = path
    ? await measure(config, model, { path, workspace: options.get("workspace") ?? "default" })
    : await lastMeasured(config, model)
  if (found?.verdict !== "worse") return
  const { ndcg, p } = found.difference
  throw new OperatorError(
    `${model} finds less than what serves now: ${ndcg.toFixed(3)} nDCG@10 over ${counted(found.questions, "question")} (p ${p.toFixed(3)})`,
    { hint: "`carrel eval` shows which mode loses what; --force changes to it all the same" },
  )
}

type Found = Pick<Measured, "verdict" | "difference" | "questions">

const measure = (config: Config, model: string, asked: { path: string; workspace: string }): Promise<Found> =>
  withExistingDatabase(config, async database => {
    const questions = await readQuestions(database, asked.path, asked.workspace)
    const { verdict, differences } = await withProgress("Measuring", progress =>
      compareWith(config, database, questions, { candidate: { model }, passages: USUAL_PASSAGES }, progress),
    )
    const difference = differences.find(({ mode }) => mode === "hybrid")!
    return { verdict, difference, questions: questions.expectations.length }
  })

/** By the name that the model gives itself. */
async function lastMeasured(config: Config, name: string): Promise<Found | undefined> {
  if (!hasVerdicts(config.data)) return undefined
  await prepareNative(config)
  const embedder = await openConfiguredEmbedder(config, name)
  await embedder.close()
  return verdictOn(config.data, embedder.model)
}

async function changeModel(config: Config, { database, passages }: OpenedStores, model: string): Promise<string> {
  const embedder = await openConfiguredEmbedder(config, model)
  const tier = embedder.model === BUILT_IN_EMBEDDING_MODELS.fast ? "fast" : "quality"
  const former = (name: string) => openConfiguredEmbedder(config, name).catch(() => undefined)
  const index = new SearchIndex({
    database,
    store: passages,
    members: onlooker(), // nothing else is made in the background
    embedderNamed: former,
  })
  await index.start()
  try {
    await withProgress("Making vectors", progress => {
      progress.step("Making vectors", "passages")
      return index.reindexVectors(tier, embedder, ({ done, total }) => progress.update(done, total))
    })
    await tellAll(database, "reindex --model", "installation.reindex")
    return embedder.model
  } finally {
    await index.stop()
    await embedder.close()
  }
}

/** One transaction for all: a job and a new generation for each file. */
async function queue(database: Database, warning: string | undefined): Promise<number> {
  const jobs = new JobQueue(database)
  return database.transaction().execute(async trx => {
    const workspaces = await trx.selectFrom("workspaces").select("id").execute()
    await inOrder(trx, ...workspaces.map(({ id }) => id))
    const files = await trx
      .updateTable("files")
      .set(eb => ({ ...QUEUED, generation: eb("generation", "+", 1), updated_at: new Date().toISOString() }))
      .$if(warning !== undefined, query => query.where("warnings", "like", withWarning(warning!)))
      .returning(["id", "workspace_id", "type", "size"])
      .execute()
    await jobs.enqueue(trx, files.map(indexJob))
    await tellAll(trx, "reindex", "installation.reindex", { files: files.length })
    return files.length
  })
}
