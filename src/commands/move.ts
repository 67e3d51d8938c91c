import { existsSync, readdirSync, renameSync, rmdirSync } from "node:fs"
import { resolve } from "node:path"
import type { Embedder } from "../backends/backend.ts"
import type { Config } from "../config.ts"
import { openConfiguredEmbedder } from "../configured.ts"
import { enginesOf } from "../configured-cluster.ts"
import { OperatorError } from "../errors.ts"
import { arrivedIn } from "../governance/audit/anchors.ts"
import { SearchIndex } from "../search/index.ts"
import { onlooker } from "../search/writing/membership.ts"
import { arrivingAt } from "../storage/half-moved.ts"
import { type Command, counted, parseArguments, print, refuseWords, UsageError } from "./command.ts"
import { copyBlobs } from "./move/blobs.ts"
import { claim, release } from "./move/claim.ts"
import { compareSearches } from "./move/index-check.ts"
import { compareRecords, copyRecords } from "./move/records.ts"
import { needRecords, openCluster, openDirectory, type Side } from "./move/sides.ts"
import { unlocked } from "./open-stores.ts"
import { type Progress, withProgress } from "./progress.ts"

export const HELP = `Usage: carrel move --from DIR --database-url URL --blob-url URL --search-url URL [--data SCRATCH]
       carrel move --to DIR --database-url URL --blob-url URL --search-url URL [--data SCRATCH]

Moves an installation from the data directory of one machine to the engines of several, or back: users, keys, files,
texts, conversations, runs and jobs. Everything must be stopped, and the target empty. The search index is made anew from
the passages, with the embedding model that made it (--embedding-model).

The source stays as it was. A move that was cut goes on when the same command is given again; until it is complete nothing
starts on the target. At the end all records are compared, all files by their hashes, and a sample of searches.
`

export const run: Command = async args => {
  const { config, words, options } = parseArguments(args, { settingsFile: false, values: ["from", "to"] })
  refuseWords(words)
  const [from, to] = [options.get("from"), options.get("to")]
  if ((from === undefined) === (to === undefined)) throw new UsageError("either --from DIR or --to DIR is required")
  const engines = enginesOf(config)
  if (!engines) throw new UsageError("--database-url, --blob-url and --search-url are required")
  const directory = resolve((from ?? to)!)
  if (resolve(config.data) === directory)
    throw new UsageError("--data holds copies while they are moved, and must not be the directory that is moved")
  await using stack = new AsyncDisposableStack()
  if (from !== undefined) {
    needRecords(directory)
    const source = await openDirectory(directory, stack)
    await move(config, source, await openCluster(engines, config, stack))
  } else await moveBack(config, directory, await openCluster(engines, config, stack))
  return 0
}

/** What is half-moved does not lie under the name that somebody will start. */
async function moveBack(config: Config, directory: string, source: Side): Promise<void> {
  if (existsSync(directory) && readdirSync(directory).length > 0)
    throw new OperatorError(`${directory} is not empty`, { hint: "name another directory with --to" })
  const partial = arrivingAt(directory)
  {
    await using stack = new AsyncDisposableStack()
    await move(config, source, await openDirectory(partial, stack))
  }
  if (existsSync(directory)) rmdirSync(directory)
  renameSync(partial, directory)
}

async function move(config: Config, source: Side, target: Side): Promise<void> {
  const goesOn = await claim(target.database, source.place)
  await withProgress(goesOn ? "Going on with the move" : "Moving", async progress => {
    const on = (done: number, total: number) => progress.update(done, total)
    await using stack = new AsyncDisposableStack()
    const opened = await unlocked(config, source, stack)
    progress.step("Copying the records", "rows")
    const rows = await copyRecords(source.database, target.database, on)
    const moved = await unlocked(config, target, stack)
    progress.step("Copying the files", "bytes")
    const files = await copyBlobs(opened, moved, { on })
    const searches = await index(config, opened, moved, progress)
    progress.step("Comparing the records", "rows")
    await compareRecords(source.database, target.database, on)
    await arrivedIn(target.database, "installation.move")
    await release(target.database)
    print(
      `${counted(rows, "record")} and ${counted(files, "file")} are moved and compared, ${searches} searches find the same`,
    )
  })
}

type Opened = Pick<Side, "database" | "passages">

/** Makes the index of the target, and asks both sides the same. @returns searches that were compared */
async function index(config: Config, source: Opened, target: Opened, progress: Progress): Promise<number> {
  await using stack = new AsyncDisposableStack()
  const opened: Embedder[] = []
  stack.defer(async () => {
    for (const embedder of opened) await embedder.close()
  })
  const embedderNamed = async (model: string) => {
    const embedder = await openConfiguredEmbedder(config, model).catch(() => undefined)
    if (embedder) opened.push(embedder)
    return embedder
  }
  // Completed here and now, not in the background as well.
  const made = new SearchIndex({
    database: target.database,
    store: target.passages,
    embedderNamed,
    members: onlooker(),
  })
  stack.defer(() => made.stop())
  await made.start()
  progress.step("Making the search index", "passages")
  await made.complete((done, total) => progress.update(done, total))
  const former = new SearchIndex({
    database: source.database,
    store: source.passages,
    members: onlooker(),
  })
  stack.defer(() => former.stop())
  await former.start()
  progress.step("Comparing searches", "questions")
  return await compareSearches(target.database, former, made, (done, total) => progress.update(done, total))
}
