import { join } from "node:path"
import { openConfiguredEmbedder } from "../configured.ts"
import { ensureWorkspace } from "../keys/keys.ts"
import { useNativeDirectory } from "../native/native.ts"
import { evaluate, readExpectations } from "../search/evaluate.ts"
import { SearchIndex } from "../search/index.ts"
import { lockDirectory } from "../storage/lock.ts"
import { type Command, parseArguments, print, printJson, printTable, UsageError, withDatabase } from "./command.ts"

const HELP = `Usage: carrel eval FILE [--workspace NAME] [--json] [--data DIR]

Measures how well the library finds what it should. FILE has one JSON object a line: {"query": "…", "file": "…"}, the
file by id or name, or several in an array. Prints hit@k, MRR and nDCG@10 of each search mode. The daemon must be stopped.
`

export const run: Command = async args => {
  const { config, words, options } = parseArguments(args, { values: ["workspace"], switches: ["json", "help"] })
  if (options.has("help")) {
    print(HELP)
    return 0
  }
  if (words.length !== 1) throw new UsageError(`one FILE is needed\n\n${HELP}`)
  const file = Bun.file(words[0]!)
  if (!(await file.exists())) throw new UsageError(`there is no file ${words[0]}`)
  const expectations = readExpectations(await file.text())
  const lock = lockDirectory(config.data)
  useNativeDirectory(join(config.data, "native"))
  try {
    const results = await withDatabase(config, async database => {
      const workspaceId = await ensureWorkspace(database, options.get("workspace"))
      const embedder = await openConfiguredEmbedder(config, config.embedding_model)
      const index = new SearchIndex({ database, dataDirectory: config.data, embedder })
      await index.start()
      try {
        return await evaluate(index, workspaceId, expectations)
      } finally {
        await index.stop()
        await embedder.close()
      }
    })
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
  } finally {
    lock.release()
  }
}
