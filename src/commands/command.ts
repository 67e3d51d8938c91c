/** What the commands of the command line share: arguments, tables, a database to work on. */
import { statfsSync } from "node:fs"
import { join } from "node:path"
import {
  type Config,
  flagOf,
  mayUseColor,
  type ReadConfig,
  readConfig,
  SETTINGS_FILE,
  type SettingName,
  variableOf,
} from "../config.ts"
import type { EngineAddresses } from "../config-engines.ts"
import type { OwnOptions } from "../config-flags.ts"
import type { Setting } from "../config-rules.ts"
import { SETTINGS } from "../config-settings.ts"
import { enginesOf } from "../configured-cluster.ts"
import { diskTrouble, OperatorError } from "../errors.ts"
import { log, setLogFormat, setLogLevel, visible } from "../log.ts"
import { unpackAll, useNativeDirectory } from "../native/native.ts"
import { checkCluster, sharesContract } from "../nodes/cluster.ts"
import { exists, needAccess, outermostMissing, removeUpTo } from "../storage/access.ts"
import type { Database } from "../storage/database.ts"
import { keyringOf } from "../storage/encryption/keyring.ts"
import { unlock } from "../storage/encryption/unlock.ts"
import { refuseArriving } from "../storage/half-moved.ts"
import { lockDirectory } from "../storage/sqlite/lock.ts"
import { openSqlite } from "../storage/sqlite/open.ts"
import { UsageError } from "./failure.ts"
import { withProgress } from "./progress.ts"
import { findRunning, forgetRunning } from "./running.ts"

export { UsageError } from "./failure.ts"

/** Runs with the words after its name; the result is the exit status. `--help` never gets here. */
export type Command = (args: string[]) => Promise<number>

/** A line of the table of commands. */
export interface Entry {
  summary: string
  load: () => Promise<{ HELP: string; run: Command }>
}

export interface Arguments {
  config: Config
  sources: ReadConfig["sources"]
  unknown: ReadConfig["unknown"]
  /** Words that are not options. */
  words: string[]
  /** The command's own, without their dashes; switches are "true". */
  options: Map<string, string>
  /** Those of them that may be given again and again. */
  lists: Map<string, string[]>
}

interface Known extends OwnOptions {
  /** False for commands that touch no data directory: a mistake in its settings does not concern them. */
  settingsFile?: boolean
}

/**
 * Settings, the command's own options and its words. The log is written as the settings say from here on.
 * @throws ConfigError for an option that the command does not know
 */
export function parseArguments(args: string[], { settingsFile = true, ...own }: Known = {}): Arguments {
  const { rest, ...read } = readConfig(args, undefined, { settingsFile, own })
  writeLogFor(read.config, process.stderr)
  for (const name of secretFlags(read))
    log.warn(
      `${flagOf(name)} holds a secret that every user of this machine sees in the process list; ${variableOf(name)} or ${SETTINGS_FILE} hides it`,
    )
  return { ...read, words: rest }
}

/** Settings whose secret stands in the command line. */
const secretFlags = ({ config, sources }: Pick<ReadConfig, "config" | "sources">): SettingName[] =>
  (Object.keys(SETTINGS) as SettingName[]).filter(name => {
    const { shown } = SETTINGS[name] as Setting<unknown>
    return sources[name] === flagOf(name) && config[name] !== "" && shown && shown(config[name]) !== config[name]
  })

/** Log lines as the settings want them on the stream that takes them. */
export function writeLogFor({ log_level, log_format }: Config, stream: { isTTY?: boolean }): void {
  const isTerminal = stream.isTTY === true
  setLogLevel(log_level)
  if (log_format === "pretty" || (log_format === "auto" && isTerminal))
    setLogFormat("pretty", isTerminal && mayUseColor())
  else setLogFormat("json")
}

/** What a command with several is told to do. @throws UsageError naming them when it is told nothing */
export function needAction(command: string, action: string | undefined, actions: string): string {
  if (action === undefined || action.startsWith("-"))
    throw new UsageError(`${command}: ${actions}? \`carrel ${command} --help\` says more`)
  return action
}

/** @throws UsageError for words where the command takes none */
export function refuseWords(words: string[]): void {
  if (words.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(words[0])}`)
}

/**
 * The data directory of an installation that must be there: a mistyped one is no empty one.
 * @throws UsageError; DataDirectoryError where this user has no permission
 */
export function needInstallation({ data }: Pick<Config, "data">): void {
  refuseScratch(data)
  if (!hasDatabase({ data })) throw new UsageError(`there is no Carrel in ${data}; name its directory with --data`)
}

/** @throws OperatorError where a node runs: a command that names no engines would look for, or make, records of one machine */
function refuseScratch(data: string): void {
  if (findRunning(data)?.is_node)
    throw new OperatorError(`the node that runs on ${data} keeps its records in PostgreSQL`, {
      hint: "give the command the addresses that the node has: CARREL_DATABASE_URL, CARREL_BLOB_URL and CARREL_SEARCH_URL",
    })
}

/** Id of the workspace with this name. @throws UsageError: a mistyped one is no empty one */
export async function needWorkspace(database: Database, name: string): Promise<string> {
  const found = await database.selectFrom("workspaces").select("id").where("name", "=", name).executeTakeFirst()
  if (!found) throw new UsageError(`there is no workspace ${JSON.stringify(name)}`)
  return found.id
}

/** @throws DataDirectoryError where this user may not know */
export const hasDatabase = ({ data }: Pick<Config, "data">): boolean => exists(join(data, "carrel.db"))

/** @throws as `needInstallation`; OperatorError for a database that no cluster uses */
export const withExistingDatabase = <T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> =>
  withPlainRecords(config, plain => withUnlocked(config, plain, work))

/** The same, with what is encrypted as it is stored. */
export async function withPlainRecords<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  const engines = enginesOf(config)
  if (engines) return withClusterDatabase(engines, work)
  needInstallation(config)
  return withPlainDatabase(config, work)
}

/** The records of a cluster, beside its nodes. */
async function withClusterDatabase<T>(
  { database: url }: EngineAddresses,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const { openPostgres } = await import("../storage/postgres/open.ts")
  const before = async (database: Database) => {
    if ((await checkCluster(database, undefined)) === undefined)
      throw new OperatorError("no cluster uses this database yet", {
        hint: "start its first node, or see --database-url",
      })
  }
  const database = await openPostgres(url, {
    before,
    poolSize: 2,
    applicationName: "carrel command",
    mayBeNewer: sharesContract,
  })
  try {
    return await work(database)
  } finally {
    await database.destroy()
  }
}

/** @throws OperatorError as `unlock` */
async function withUnlocked<T>(
  { encryption_key_file }: Pick<Config, "encryption_key_file">,
  plain: Database,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await unlock(plain, encryption_key_file)
  try {
    return await work(database)
  } finally {
    keyringOf(database).close()
  }
}

/** Makes the installation where there is none. */
const withDatabase = <T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> =>
  withPlainDatabase(config, database => withUnlocked(config, database, work))

/** The same, with what is encrypted as it is stored. */
async function withPlainDatabase<T>(
  config: Pick<Config, "data">,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  if (hasDatabase(config)) for (const path of [config.data, join(config.data, "carrel.db")]) needAccess(path)
  return namingFullDisk(config, async () => {
    const database = await openSqlite(config.data)
    try {
      return await work(database)
    } finally {
      await database.destroy()
    }
  })
}

/** SQLite speaks of an I/O error where a full disk does not let it lengthen the memory that its processes share. */
export async function namingFullDisk<T>({ data }: Pick<Config, "data">, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (diskTrouble(error) !== "failing" || !isFull(data)) throw error
    throw new OperatorError(`there is no space left on the disk of ${data}`, { hint: "make room", cause: error })
  }
}

function isFull(path: string): boolean {
  try {
    return statfsSync(path).bavail === 0
  } catch {
    return false
  }
}

/** As `withDatabase`, and says so where it made one: the directory may have been mistyped. */
export async function withNewDatabase<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  if (enginesOf(config)) return withExistingDatabase(config, work)
  refuseScratch(config.data)
  refuseArriving(config.data)
  const isNew = !hasDatabase(config)
  const result = await leavingNothing(config, () => withDatabase(config, work))
  if (isNew) process.stderr.write(`Created a new data directory: ${config.data}\n`)
  return result
}

/**
 * What fails must not leave a data directory that was not there before.
 * One that somebody else began to use meanwhile stays.
 */
export async function leavingNothing<T>({ data }: Pick<Config, "data">, work: () => Promise<T>): Promise<T> {
  exists(data) // throws where this user may not look
  const made = outermostMissing(data)
  try {
    return await work()
  } catch (error) {
    if (made) await removeUnused(data, made).catch(() => {}) // the first error is the one to tell
    throw error
  }
}

async function removeUnused(data: string, outermost: string): Promise<void> {
  if (!exists(data)) return removeUpTo(data, outermost)
  try {
    const lock = lockDirectory(data)
    try {
      const isUsed = exists(join(data, "carrel.db")) && (await withPlainDatabase({ data }, holdsAnything))
      if (!isUsed) removeUpTo(data, outermost)
    } finally {
      lock.release()
    }
  } catch (error) {
    // A disk that took nothing from us took nothing from anybody else.
    if (diskTrouble(error)) removeUpTo(data, outermost)
  }
}

async function holdsAnything(database: Database): Promise<boolean> {
  for (const table of ["users", "api_keys", "files"] as const)
    if (await database.selectFrom(table).select("id").limit(1).executeTakeFirst()) return true
  return false
}

/**
 * Works on an installation whose daemon is stopped, and keeps it from being started meanwhile.
 * @throws as `needInstallation`; AppError conflict while a daemon runs
 */
export async function withStoppedInstallation<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  needInstallation(config)
  const lock = lockDirectory(config.data)
  forgetRunning(config.data)
  try {
    return await withDatabase(config, async database => {
      await prepareNative(config)
      return work(database)
    })
  } finally {
    lock.release()
  }
}

/** Makes the native libraries and built-in models ready, which takes a while at a version's first use of a directory. */
export async function prepareNative({ data }: Pick<Config, "data">): Promise<void> {
  useNativeDirectory(join(data, "native"))
  await withProgress("Unpacking libraries and models", progress =>
    unpackAll((done, total) => progress.update(done, total)),
  )
}

/** `1 file`, `2 files`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

export const print = (text: string): void => void process.stdout.write(`${text}\n`)
export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2))

/** Columns padded to their widest cell. */
export function printTable(header: string[], rows: (string | number | null)[][]): void {
  const table = [header, ...rows.map(row => row.map(cell => (cell === null ? "-" : visible(String(cell)))))]
  const widths = header.map((_, column) => Math.max(...table.map(row => row[column]!.length)))
  for (const row of table)
    print(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    )
}
