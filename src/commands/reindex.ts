import { join } from "node:path"
import { openConfiguredEmbedder } from "../configured.ts"
import { indexJob } from "../ingest/task.ts"
import { JobQueue } from "../jobs/queue.ts"
import { QUEUED } from "../library/library.ts"
import { useNativeDirectory } from "../native/native.ts"
import { SearchIndex } from "../search/index.ts"
import { lockDirectory } from "../storage/lock.ts"
import { type Command, counted, parseArguments, print, withDatabase, withExistingDatabase } from "./command.ts"

const HELP = `Usage: carrel reindex [--data DIR]                 read and index every file again, by the daemon
       carrel reindex --model NAME [--data DIR]    make all vectors anew with another embedding model

The first form queues every file; a running daemon begins at once, and what is there stays findable until it is done.
The second form needs the daemon stopped. A daemon that is started with another --embedding-model does the same in the
background: the former model serves until the change is complete.
`

export const run: Command = async args => {
  const { config, options } = parseArguments(args, { values: ["model"], switches: ["help"] })
  if (options.has("help")) {
    print(HELP)
    return 0
  }
  const model = options.get("model")
  if (!model) {
    const count = await withExistingDatabase(config, queueAll)
    print(`${counted(count, "file")} queued`)
    return 0
  }
  const lock = lockDirectory(config.data)
  useNativeDirectory(join(config.data, "native"))
  try {
    await withDatabase(config, async database => {
      const embedder = await openConfiguredEmbedder(config, model)
      const former = (name: string) => openConfiguredEmbedder(config, name).catch(() => undefined)
      const index = new SearchIndex({
        database,
        dataDirectory: config.data,
        embedder: undefined,
        embedderNamed: former,
      })
      await index.start()
      const watch = setInterval(async () => {
        const { reindex } = await index.stats()
        if (reindex) process.stderr.write(`\r${reindex.done} of ${reindex.total} passages`)
      }, 1_000)
      try {
        await index.reindexVectors(embedder)
      } finally {
        clearInterval(watch)
        await index.stop()
        await embedder.close()
      }
      print(`all passages have vectors of ${embedder.model}; start the daemon with --embedding-model ${model}`)
    })
  } finally {
    lock.release()
  }
  return 0
}

/** One transaction for all: a job and a new generation for each file. */
async function queueAll(database: Parameters<Parameters<typeof withDatabase>[1]>[0]): Promise<number> {
  const queue = new JobQueue(database)
  return database.transaction().execute(async trx => {
    const files = await trx.selectFrom("files").select(["id", "workspace_id", "type", "size"]).execute()
    await trx
      .updateTable("files")
      .set(eb => ({ ...QUEUED, generation: eb("generation", "+", 1), updated_at: new Date().toISOString() }))
      .execute()
    await queue.enqueue(trx, files.map(indexJob))
    return files.length
  })
}
