/**
 * The command line. Only looks at the first word and loads what that command needs: the reader child must start in
 * milliseconds, and `version` must not open a database.
 */
import type { Command } from "./commands/command.ts"
import { describeFailure, failureText, WRONG_USAGE } from "./commands/failure.ts"
import { setLogSink } from "./log.ts"
import { didYouMean } from "./nearest.ts"
import { OWN_UMASK } from "./storage/file-modes.ts"

interface Entry {
  summary: string
  load: () => Promise<{ HELP: string; run: Command }>
}

const COMMANDS: Record<string, Entry> = {
  serve: { summary: "run the daemon", load: () => import("./commands/serve.ts") },
  keys: { summary: "create, list and revoke API keys", load: () => import("./commands/keys.ts") },
  users: {
    summary: "add users, list them, set passwords, print the setup link",
    load: () => import("./commands/users.ts"),
  },
  models: { summary: "list the chat models and whether they answer", load: () => import("./commands/models.ts") },
  packs: {
    summary: "add languages of OCR from a file, list and remove them",
    load: () => import("./commands/packs.ts"),
  },
  doctor: {
    summary: "find what is wrong with an installation, and what to do about it",
    load: () => import("./commands/doctor.ts"),
  },
  backup: {
    summary: "write a backup, beside a running daemon",
    load: async () => (await import("./commands/backup.ts")).backup,
  },
  restore: {
    summary: "create a data directory from a backup",
    load: async () => (await import("./commands/backup.ts")).restore,
  },
  verify: {
    summary: "check that a backup is complete",
    load: async () => (await import("./commands/backup.ts")).verify,
  },
  "verify-receipt": {
    summary: "check the signature of the receipt of a deletion",
    load: () => import("./commands/verify-receipt.ts"),
  },
  move: {
    summary: "move an installation to the engines of several machines, or back",
    load: () => import("./commands/move.ts"),
  },
  rekey: {
    summary: "encrypt what is stored, or change the key file, also while the daemon runs",
    load: () => import("./commands/rekey.ts"),
  },
  reindex: {
    summary: "index every file again, or change the embedding model",
    load: () => import("./commands/reindex.ts"),
  },
  mcp: {
    summary: "give an assistant the library, over standard input and output",
    load: () => import("./commands/mcp.ts"),
  },
  sync: {
    summary: "bring a folder, a bucket or a repository to a daemon, and keep it there in sync",
    load: () => import("./commands/sync.ts"),
  },
  eval: { summary: "measure how well search finds the right files", load: () => import("./commands/eval.ts") },
  settings: {
    summary: "show the settings and where each comes from",
    load: () => import("./commands/settings.ts"),
  },
  licenses: {
    summary: "list the packages inside Carrel and their licenses",
    load: () => import("./commands/licenses.ts"),
  },
  version: { summary: "print the version", load: () => import("./commands/version.ts") },
}

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
