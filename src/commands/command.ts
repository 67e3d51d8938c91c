/** What the commands of the command line share: arguments, tables, a database to work on. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { type Config, readConfig } from "../config.ts"
import { type Database, openDatabase } from "../storage/database.ts"

/** Runs with the words after its name; the result is the exit status. */
export type Command = (args: string[]) => Promise<number>

export class UsageError extends Error {
  override name = "UsageError"
}

export interface Arguments {
  config: Config
  /** Words that are no option. */
  words: string[]
  /** `--name value` and `--name=value`; switches are "true". */
  options: Map<string, string>
}

/**
 * Settings, the command's own options and its words.
 * @throws UsageError for an option that the command does not know
 */
export function parseArguments(args: string[], known: { values?: string[]; switches?: string[] } = {}): Arguments {
  const { config, rest } = readConfig(args)
  const words: string[] = []
  const options = new Map<string, string>()
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i]!
    if (!word.startsWith("-") || word === "-") {
      words.push(word)
      continue
    }
    const [head, inline] = word.includes("=")
      ? [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]
      : [word, undefined]
    const name = head === "-h" ? "help" : head.replace(/^--?/, "")
    if (known.switches?.includes(name)) options.set(name, "true")
    else if (known.values?.includes(name)) {
      const value = inline ?? rest[++i]
      if (value === undefined) throw new UsageError(`${head} needs a value`)
      options.set(name, value)
    } else throw new UsageError(`unknown option ${head}`)
  }
  return { config, words, options }
}

/** The database of an installation that must be there: a mistyped directory is no empty one. @throws UsageError */
export async function withExistingDatabase<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  if (!hasDatabase(config)) throw new UsageError(`there is no Carrel in ${config.data}; name its directory with --data`)
  return withDatabase(config, work)
}

export const hasDatabase = (config: Config): boolean => existsSync(join(config.data, "carrel.db"))

/** Makes the installation where there is none. */
export async function withDatabase<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(config.data)
  try {
    return await work(database)
  } finally {
    await database.destroy()
  }
}

/** `1 file`, `2 files`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

export const print = (text: string): void => void process.stdout.write(`${text}\n`)
export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2))

/** Columns padded to their widest cell. */
export function printTable(header: string[], rows: (string | number | null)[][]): void {
  const table = [header, ...rows.map(row => row.map(cell => (cell === null ? "-" : String(cell))))]
  const widths = header.map((_, column) => Math.max(...table.map(row => row[column]!.length)))
  for (const row of table)
    print(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    )
}
