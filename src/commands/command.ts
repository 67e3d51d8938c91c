/** What the commands of the command line share: arguments, tables, a database to work on. */
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
    const name = head.replace(/^--?/, "")
    if (known.switches?.includes(name)) options.set(name, "true")
    else if (known.values?.includes(name)) {
      const value = inline ?? rest[++i]
      if (value === undefined) throw new UsageError(`${head} needs a value`)
      options.set(name, value)
    } else throw new UsageError(`unknown option ${head}`)
  }
  return { config, words, options }
}

export async function withDatabase<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(config.data)
  try {
    return await work(database)
  } finally {
    await database.destroy()
  }
}

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
