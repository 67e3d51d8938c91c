import { type App, startApp } from "../app.ts"
import { type Config, ConfigError, type ReadConfig, settingsHelp, unknownVariableText } from "../config.ts"
import { OperatorError } from "../errors.ts"
import { log, setLogSink } from "../log.ts"
import { COMPILED } from "../native/self.ts"
import { VERSION } from "../native/version.ts"
import { type Command, leavingNothing, parseArguments, refuseWords, writeLogFor } from "./command.ts"
import { withProgress, writeLine } from "./progress.ts"
import { findRunning, forgetRunning, noteRunning } from "./running.ts"

/** A shutdown that takes longer is cut off; the contract promises 10 s. */
const SHUTDOWN_LIMIT_MS = 9_500

export const HELP = `Usage: carrel serve [OPTIONS]

Every option is also an environment variable, and a line of carrel.toml in the data directory, which the other commands
read as well: --rate-limit-per-minute 200 is CARREL_RATE_LIMIT_PER_MINUTE=200 or rate_limit_per_minute = 200. The option
wins over the variable, the variable over the file. The data directory itself is --data, else CARREL_DATA, else ./data.
\`carrel settings\` shows what holds and where it comes from.

${settingsHelp()}
`

export const run: Command = async args => {
  const { config, sources, words, unknown } = parseArguments(args)
  refuseWords(words)
  setLogSink(line => writeLine(line, process.stdout))
  writeLogFor(config, process.stdout)
  for (const variable of unknown) log.warn(unknownVariableText(variable))
  const stopped = Promise.withResolvers<NodeJS.Signals>()
  process.on("SIGTERM", stopped.resolve)
  process.on("SIGINT", stopped.resolve)
  // Said once: a terminal signals whoever it runs, and `npm start` passes on what it got.
  void stopped.promise.then(signal => log.info("stopping", { signal }))
  refuseTaken(config)
  const starting = leavingNothing(config, () => start(config, sources)).catch(error => {
    throw listenProblem(error, config) ?? error
  })
  // Whoever waits for an engine has nothing to finish.
  const app = await Promise.race([starting, stopped.promise.then(() => Bun.sleep(SHUTDOWN_LIMIT_MS))])
  if (!app) return 0
  noteAddress(config, app.address)
  if (process.stderr.isTTY || config.log_level !== "error") announce(app.address, config, app.setupLink)
  await stopped.promise
  forgetRunning(config.data)
  await Promise.race([app.stop(), Bun.sleep(SHUTDOWN_LIMIT_MS)])
  log.info("stopped")
  return 0
}

const start = (config: Config, sources: ReadConfig["sources"]): Promise<App> =>
  withProgress("Starting", progress =>
    startApp(config, {
      sources,
      unpacking(done, total) {
        if (done === 0) progress.step("Unpacking libraries and models")
        if (done < total) progress.update(done, total)
        else progress.step("Starting")
      },
    }),
  )

/** Looks before anything is made in the data directory. @throws ConfigError, OperatorError */
function refuseTaken(config: Config): void {
  const { data, host, port } = config
  const running = findRunning(data)
  if (running) throw new OperatorError(`another Carrel is running on ${data}: ${running.url} (process ${running.pid})`)
  try {
    Bun.listen({ hostname: host, port, exclusive: true, socket: { data() {} } }).stop(true)
  } catch (error) {
    throw listenProblem(error, config) ?? new ConfigError(`--host: ${host} is not an address of this machine`)
  }
}

/** Of several machines. */
const isNode = ({ database_url }: Config): boolean => database_url !== ""

function noteAddress(config: Config, url: string): void {
  try {
    const started_at = new Date().toISOString()
    noteRunning(config.data, { url, pid: process.pid, version: VERSION, started_at, is_node: isNode(config) })
  } catch (error) {
    log.warn("commands beside the daemon cannot be told its address", { error })
  }
}

/** Why the address cannot be listened on, in words; undefined for any other error. */
function listenProblem(error: unknown, { host, port }: Config): Error | undefined {
  const { code, syscall } = (error ?? {}) as { code?: string; syscall?: string }
  if (code === "EADDRINUSE") return new OperatorError(`--port: something is already listening on ${host}:${port}`)
  if (syscall !== "listen") return undefined
  if (code === "EACCES") return new OperatorError(`--port: this user may not listen on port ${port}`)
  return new ConfigError(`--host: ${host} is not an address of this machine (${code})`)
}

/** For the person who started it, beside the log on standard output. */
function announce(address: string, config: Config, setupLink: string | null): void {
  const carrel = COMPILED ? quoted(process.execPath) : "npm run --silent carrel --"
  const lines = [
    "",
    "  Carrel is running.",
    `  Console        ${setupLink ?? address}`,
    `  API            ${address}/external-docs/external`,
    `  Reference      ${address}/external-docs/docs`,
    `  ${isNode(config) ? "Scratch" : "Data   "}        ${config.data}`,
    `  Create a key   ${carrel} keys create --name NAME ${isNode(config) ? "(with the engines' addresses, CARREL_DATABASE_URL and its like)" : `--data ${quoted(config.data)}`}`,
    "",
  ]
  process.stderr.write(`${lines.join("\n")}\n`)
}

/** As a shell takes it. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)
