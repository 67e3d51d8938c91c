import { tokenFromEnvironment } from "../config.ts"
import { enginesOf } from "../configured-cluster.ts"
import { OperatorError } from "../errors.ts"
import { log } from "../log.ts"
import { type Command, parseArguments, refuseWords, UsageError } from "./command.ts"
import { findRunning } from "./running.ts"

export const HELP = `Usage: carrel mcp --url URL [--token TOKEN]
       carrel mcp [--workspace NAME] [--data DIR]

Speaks the Model Context Protocol on standard input and output, for assistants that start their servers themselves.

With --url it passes everything on to a daemon, under the key whose token CARREL_TOKEN holds (or --token, which every user
of this machine sees in the process list). A daemon that was started anew is greeted anew.
Without --url it reads the library of a stopped daemon: search, fetch, search_library, read_file, list_files and
query_table, and changes nothing, but that a directory of an older version is brought up to date. No daemon can be started
on the directory meanwhile; where one runs it is asked, which needs the token of a key.

Standard output holds nothing but the protocol; what goes wrong is said on standard error.
`

export const run: Command = async args => {
  const { config, words, options } = parseArguments(args, { values: ["url", "token", "workspace"] })
  refuseWords(words)
  if (options.has("token"))
    log.warn("--token is seen by every user of this machine in the process list; CARREL_TOKEN hides it")
  const token = options.get("token") ?? tokenFromEnvironment()
  const given = options.get("url")
  if (given !== undefined) {
    if (options.has("workspace")) throw new UsageError("--workspace: a daemon answers for the workspace of the key")
    await pass(endpointOf(given), token)
    return 0
  }
  if (enginesOf(config)) throw new UsageError("--url is needed: name the address of a node of the cluster")
  const running = findRunning(config.data)
  if (running && !token)
    throw new OperatorError(`a Carrel is running on ${config.data}: ${running.url}`, {
      hint: "it can be asked with a key: put its token into CARREL_TOKEN (`carrel keys create --json` prints one)",
    })
  if (running) await pass(endpointOf(running.url), token)
  else await (await import("./mcp/stopped.ts")).serveStopped(config, options.get("workspace") ?? "default")
  return 0
}

async function pass(endpoint: URL, token: string | undefined): Promise<void> {
  if (!token) throw new UsageError("a token is needed: put that of a key into CARREL_TOKEN, or give it with --token")
  await (await import("./mcp/bridge.ts")).passOn(endpoint, token)
}

/** @throws UsageError */
function endpointOf(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError("--url is an address such as http://127.0.0.1:4747")
  const base = url.pathname.replace(/\/+$/, "")
  if (!base.endsWith("/mcp")) url.pathname = `${base}/mcp`
  return url
}
