import { startApp } from "../app.ts"
import { appUrl, type Config, ConfigError, settingsHelp } from "../config.ts"
import { log, setLogLevel } from "../log.ts"
import { type Command, parseArguments, print, UsageError } from "./command.ts"

/** A shutdown that takes longer is cut off; the contract promises 10 s. */
const SHUTDOWN_LIMIT_MS = 9_500

export const run: Command = async args => {
  if (args.includes("--help") || args.includes("-h")) {
    print(
      `Usage: carrel serve [OPTIONS]\n\nEvery option is also an environment variable; the option wins.\n\n${settingsHelp()}\n`,
    )
    return 0
  }
  const { config, words } = parseArguments(args)
  if (words.length > 0) throw new UsageError(`unknown word ${words[0]}`)
  setLogLevel(config.log_level)
  const stopped = Promise.withResolvers<void>()
  const onSignal = (signal: NodeJS.Signals) => {
    log.info("stopping", { signal })
    stopped.resolve()
  }
  process.on("SIGTERM", onSignal)
  process.on("SIGINT", onSignal)
  const app = await startApp(config).catch(error => {
    throw listenProblem(error, config) ?? error
  })
  const address = config.port === 0 ? app.url : appUrl(config)
  if (process.stderr.isTTY || config.log_level !== "error") announce(address, config.data, app.setupLink)
  await stopped.promise
  await Promise.race([app.stop(), Bun.sleep(SHUTDOWN_LIMIT_MS)])
  log.info("stopped")
  return 0
}

/** Why the address cannot be listened on, in words; undefined for any other error. */
function listenProblem(error: unknown, { host, port }: Config): ConfigError | undefined {
  const { code, syscall } = (error ?? {}) as { code?: string; syscall?: string }
  if (code === "EADDRINUSE") return new ConfigError(`--port: something listens on ${host}:${port} already`)
  if (syscall !== "listen") return undefined
  if (code === "EACCES") return new ConfigError(`--port: this user may not listen on port ${port}`)
  return new ConfigError(`--host: ${host} is no address of this machine (${code})`)
}

/** For the person who started it, beside the log on standard output. */
function announce(address: string, data: string, setupLink: string | null): void {
  const lines = [
    "",
    "  Carrel is running.",
    `  Console        ${setupLink ?? address}`,
    `  API            ${address}/external-docs/external`,
    `  Reference      ${address}/external-docs/docs`,
    `  Data           ${data}`,
    "  Create a key   carrel keys create --name NAME   (from source: npm run carrel -- keys create --name NAME)",
    "",
  ]
  process.stderr.write(`${lines.join("\n")}\n`)
}
