/** The settings of this process: flags over environment over `carrel.toml` over defaults. The only reader of `process.env`. */
import { ConfigError } from "./config-error.ts"
import { readSettingsFile, SETTINGS_FILE } from "./config-file.ts"
import type { Setting } from "./config-rules.ts"
import { type Config, SETTINGS, type SettingName } from "./config-settings.ts"

export { ConfigError } from "./config-error.ts"
export { SETTINGS_FILE } from "./config-file.ts"
export type { Config, SettingName } from "./config-settings.ts"

type Environment = Record<string, string | undefined>

/** Where a value comes from: `default`, `carrel.toml`, the name of a variable or of a flag. */
export type Source = string

export interface ReadConfig {
  config: Config
  sources: Record<SettingName, Source>
  /** Words of the command line that are no setting. */
  rest: string[]
  /** Variables that are named like settings and are none: most likely mistyped, and without effect. */
  unknown: UnknownVariable[]
}

export interface UnknownVariable {
  name: string
  /** The setting's that is spelt most like it; null where none is close. */
  meant: string | null
}

export const flagOf = (name: string): string => `--${name.replaceAll("_", "-")}`
export const variableOf = (name: string): string => `CARREL_${name.toUpperCase()}`

const ENTRIES = Object.entries(SETTINGS) as [SettingName, Setting<unknown>][]
const BY_FLAG = new Map(ENTRIES.map(([name, setting]) => [flagOf(name), { name, setting }]))

/**
 * `args` are the words after the command. The data directory is the flag's, else the environment's, else `./data`; the
 * settings file is looked for in it, unless `settingsFile` is false.
 * @throws ConfigError naming the flag, the variable or the line, and the rule that is broken
 */
export function readConfig(
  args: string[],
  env: Environment = process.env,
  { settingsFile = true }: { settingsFile?: boolean } = {},
): ReadConfig {
  const flags = readFlags(args)
  const given: Layer = new Map([...readEnvironment(env), ...flags.values])
  const data = given.get("data")?.value ?? SETTINGS.data.parse(SETTINGS.data.default, process.cwd())
  const file = settingsFile ? readSettingsFile(String(data)) : {}
  const values: Record<string, unknown> = {}
  const sources: Record<string, Source> = {}
  for (const [name, setting] of ENTRIES) {
    const own = given.get(name)
    const isInFile = Object.hasOwn(file, name)
    values[name] = own ? own.value : isInFile ? file[name] : setting.default
    sources[name] = own ? own.source : isInFile ? SETTINGS_FILE : "default"
  }
  values.data = data
  return {
    config: values as Config,
    sources: sources as Record<SettingName, Source>,
    rest: flags.rest,
    unknown: unknownVariables(env),
  }
}

const VARIABLES = ENTRIES.map(([name]) => variableOf(name))
/** Letters put in, left out or changed: more than this is another word. */
const MAX_MISTAKES = 3

const unknownVariables = (env: Environment): UnknownVariable[] =>
  Object.keys(env)
    .filter(name => name.toUpperCase().startsWith("CARREL_") && !VARIABLES.includes(name))
    .map(name => {
      const [meant] = VARIABLES.map(known => ({ known, mistakes: mistakesBetween(name.toUpperCase(), known) }))
        .filter(({ mistakes }) => mistakes <= MAX_MISTAKES)
        .sort((a, b) => a.mistakes - b.mistakes)
      return { name, meant: meant?.known ?? null }
    })

/** Levenshtein's distance. */
function mistakesBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++)
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1)))
    row = next
  }
  return row.at(-1)!
}

/** What is said of such a variable. */
export const unknownVariableText = ({ name, meant }: UnknownVariable): string =>
  `${name} is the name of no setting and changes nothing${meant ? `; ${meant} is one` : ""}`

type Layer = Map<SettingName, { value: unknown; source: Source }>

function readEnvironment(env: Environment): Layer {
  const values: Layer = new Map()
  for (const [name, setting] of ENTRIES) {
    const source = [variableOf(name), setting.alias].find(variable => variable && env[variable])
    if (source) values.set(name, { value: parse(source, setting, env[source]!), source })
  }
  return values
}

function readFlags(args: string[]): { values: Layer; rest: string[] } {
  const values: Layer = new Map()
  const rest: string[] = []
  for (let i = 0; i < args.length; i++) {
    const word = args[i]!
    const [head, inline] = word.startsWith("--") ? splitOnce(word) : [word, undefined]
    const known = BY_FLAG.get(head)
    if (!known) {
      rest.push(word)
      continue
    }
    const value = inline ?? (known.setting.placeholder ? args[++i] : "true")
    // The next option is no value; one that begins like it is written --name=--value.
    if (value === undefined || (inline === undefined && value.startsWith("--")))
      throw new ConfigError(`${head}: needs a value`)
    values.set(known.name, { value: parse(head, known.setting, value), source: head })
  }
  return { values, rest }
}

function parse(source: string, setting: Setting<unknown>, value: string): unknown {
  try {
    return setting.parse(value, process.cwd())
  } catch (error) {
    throw new ConfigError(
      `${source}: ${(error as Error).message} (given: ${setting.secret ? "…" : JSON.stringify(value)})`,
    )
  }
}

function splitOnce(word: string): [string, string | undefined] {
  const at = word.indexOf("=")
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)]
}

/** Where browsers reach the console; `port` is the one listened on, where the system chose it. */
export function appUrl(config: Config, port = config.port): string {
  if (config.app_url) return config.app_url
  // Every address of the machine is no address to go to.
  const host = config.host === "0.0.0.0" ? "127.0.0.1" : config.host === "::" ? "::1" : config.host
  return `${config.tls_cert ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`
}

/** Whether a terminal may be written to in colors, after https://no-color.org. */
export const mayUseColor = (env: Environment = process.env): boolean => !env.NO_COLOR && env.TERM !== "dumb"

/** Whether a line on this terminal can be written again, as a progress bar does. */
export const canRewriteLine = (env: Environment = process.env): boolean => env.TERM !== "dumb"

/** The lines of `carrel serve --help` about settings. */
export function settingsHelp(): string {
  return ENTRIES.map(([name, setting]) => {
    const head = `${flagOf(name)}${setting.placeholder ? ` ${setting.placeholder}` : ""}`
    const fallback = defaultText(setting)
    return `  ${head}\n      ${setting.doc}${fallback ? ` [${fallback}]` : ""}\n      ${variableOf(name)}${setting.alias ? `, or ${setting.alias}` : ""}`
  }).join("\n")
}

/** Empty for none. */
export const defaultText = ({ default: value }: Setting<unknown>): string =>
  value === false || (Array.isArray(value) && value.length === 0) ? "" : String(value)
