/**
 * The command line. Only looks at the first word and loads what that command needs: the reader child must start in
 * milliseconds, and `version` must not open a database.
 */
import { describeFailure, failureText, WRONG_USAGE } from "./commands/failure.ts"
import { COMMANDS } from "./commands/table.ts"
import { setLogSink } from "./log.ts"
import { didYouMean } from "./nearest.ts"
import { OWN_UMASK } from "./storage/file-modes.ts"
import { hideProcess } from "./threads/linux.ts"

function help(): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(16)}${summary}`)
  return `Carrel: an AI workspace that you run yourself.

Usage: carrel COMMAND [OPTIONS]

${lines.join("\n")}

\`carrel COMMAND --help\` says more. Exit status: 0 done, 1 not done or problems found, 2 wrong usage or a wrong setting.
`
}

async function main([name, ...args]: string[]): Promise<number> {
  process.umask(OWN_UMASK)
  if (name === "fenced") {
    const { enterFence } = await import("./threads/fence.ts")
    return enterFence(JSON.parse(args[0]!))
  }
  if (name === "reader") {
    await (await import("./ingest/process/reader-process.ts")).serveReader(args[0])
    return 0
  }
  if (name === "table") {
    await (await import("./tools/table-process.ts")).serveTables(args[0])
    return 0
  }
  if (name === "evaluate") {
    await (await import("./tools/evaluate-process.ts")).serveEvaluations(args[0])
    return 0
  }
  // The environment and the memory of all that follows may hold keys.
  hideProcess()
  if (name === "unpack") {
    ;(await import("./native/native.ts")).unpackGroup(args[0]!, args[1]!)
    return 0
  }
  if (name === "help" && args[0] !== undefined) return main([args[0], "--help"])
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    process.stdout.write(help())
    return name === undefined ? WRONG_USAGE : 0
  }
  const word = name === "--version" || name === "-v" ? "version" : name
  const entry = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined // names such as `constructor` are none
  if (!entry) {
    process.stderr.write(
      `carrel: there is no command ${JSON.stringify(name)}${didYouMean(name, Object.keys(COMMANDS))}\n\n${help()}`,
    )
    return WRONG_USAGE
  }
  const { HELP, run } = await entry.load()
  if (args[0] === "help" || args.some(word => word === "--help" || word === "-h")) {
    process.stdout.write(HELP)
    return 0
  }
  if (name !== "serve") await speakOnStandardError()
  return run(args)
}

/** Standard output is the command's answer, which a script may read; what nobody caught is said like any failure. */
async function speakOnStandardError(): Promise<void> {
  const { writeLine } = await import("./commands/progress.ts")
  setLogSink(line => writeLine(line))
  for (const event of ["uncaughtException", "unhandledRejection"])
    process.on(event, error => process.exit(failed(error)))
}

function failed(error: unknown): number {
  const failure = describeFailure(error)
  process.stderr.write(failureText(failure))
  return failure.status
}

process.exit(await main(process.argv.slice(2)).catch(failed))
