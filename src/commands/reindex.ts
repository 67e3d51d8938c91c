import { BUILT_IN_EMBEDDING_MODELS } from "../backends/embedder.ts"
import type { Config } from "../config.ts"
import { openConfiguredEmbedder } from "../configured.ts"
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
  print,
  refuseWords,
  UsageError,
  withExistingDatabase,
} from "./command.ts"
import { type OpenedStores, withStoppedStores } from "./open-stores.ts"
import { withProgress } from "./progress.ts"

export const HELP = `Usage: carrel reindex [--data DIR]                 read and index every file again, by the daemon
       carrel reindex --warning CODE [--data DIR]  those whose records have this warning, such as ocr_language_missing
       carrel reindex --model NAME [--data DIR]    make all vectors anew with another embedding model

The first two forms queue files; a running daemon begins at once, and what is there stays findable until it is done.
The third form needs the daemon stopped. A daemon that is started with another --embedding-model does the same in the
background: the former model serves until the change is complete.
`

export const run: Command = async args => {
  const { config, words, options } = parseArguments(args, { values: ["model", "warning"] })
  refuseWords(words)
  const model = options.get("model")
  const warning = options.get("warning")
  if (model && warning) throw new UsageError("--model makes the vectors of all files; it goes without --warning")
  if (warning && !Object.hasOwn(WARNINGS, warning))
    throw new UsageError(`--warning must be one of ${Object.keys(WARNINGS).join(", ")} (given: ${warning})`)
  if (!model) {
    const count = await withProgress("Queueing the files", () =>
      withExistingDatabase(config, database => queue(database, warning)),
    )
    print(`${counted(count, "file")} queued`)
    return 0
  }
  const name = await withStoppedStores(config, stores => changeModel(config, stores, model))
  print(`all passages now have vectors of ${name}; start the daemon with --embedding-model ${model}`)
  return 0
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
    return files.length
  })
}
