/** The settings of this process: flags over environment over `carrel.toml` over defaults. The only reader of `process.env`. */
import { ConfigError } from "./config-error.ts"
import { readSettingsFile, SETTINGS_FILE } from "./config-file.ts"
import { type Flags, flagOf, type OwnOptions, readFlags } from "./config-flags.ts"
import type { Setting } from "./config-rules.ts"
import { type Config, SETTINGS, type SettingName } from "./config-settings.ts"
import { nearest } from "./nearest.ts"
import type { S3Credentials } from "./storage/blobs/s3/credentials.ts"

export { ConfigError } from "./config-error.ts"
export { SETTINGS_FILE } from "./config-file.ts"
export { flagOf } from "./config-flags.ts"
export type { Config, SettingName } from "./config-settings.ts"

type Environment = Record<string, string | undefined>

/** Where a value comes from: `default`, `carrel.toml`, the name of a variable or of a flag. */
export type Source = string

export interface ReadConfig {
  config: Config
  sources: Record<SettingName, Source>
  /** Options of the command line that are the command's own; switches are "true". */
  options: Map<string, string>
  /** Of those that are given any number of times, all values in their order. */
  lists: Map<string, string[]>
  /** Words of the command line that are not options. */
  rest: string[]
  /** Variables named like settings that do not exist: most likely mistyped, and without effect. */
  unknown: UnknownVariable[]
}

export interface UnknownVariable {
  name: string
  /** The setting's that is spelt most like it; null where none is close. */
  meant: string | null
}

/** Credentials of an object storage in the variables of Amazon's tools; undefined where they are not set. */
export function amazonCredentials(env: Environment = process.env): S3Credentials | undefined {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = env
  if (!accessKeyId || !secretAccessKey) return undefined
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) }
}

export const variableOf = (name: string): string => `CARREL_${name.toUpperCase()}`

/** That of this process, with settings for a process that it starts: passwords in them stand in no process list. */
export const environmentWith = (
  settings: Partial<Record<SettingName, string>>,
  env: Environment = process.env,
): Environment => ({
  ...env,
  ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [variableOf(name), value])),
})

const ENTRIES = Object.entries(SETTINGS) as [SettingName, Setting<unknown>][]

interface ReadOptions {
  /** False: the settings file is not looked for. */
  settingsFile?: boolean
  /** What the command takes beside the settings. */
  own?: OwnOptions
}

/**
 * `args` are the words after the command. The data directory is the flag's, else the environment's, else `./data`; the
 * settings file is looked for in it.
 * @throws ConfigError naming the flag, the variable or the line, and the rule that is broken
 */
export function readConfig(
  args: string[],
  env: Environment = process.env,
  { settingsFile = true, own = {} }: ReadOptions = {},
): ReadConfig {
  const flags = readFlags(args, own)
  const given: Layer = new Map([...readEnvironment(env), ...settingsIn(flags)])
  const data = given.get("data")?.value ?? SETTINGS.data.parse(SETTINGS.data.default, process.cwd())
  const file = settingsFile ? readSettingsFile(String(data)) : {}
  const values: Record<string, unknown> = {}
  const sources: Record<string, Source> = {}
  for (const [name, setting] of ENTRIES) {
    const here = given.get(name)
    const isInFile = Object.hasOwn(file, name)
    values[name] = here ? here.value : isInFile ? file[name] : setting.default
    sources[name] = here ? here.source : isInFile ? SETTINGS_FILE : "default"
  }
  values.data = data
  return {
    config: values as Config,
    sources: sources as Record<SettingName, Source>,
    options: flags.options,
    lists: flags.lists,
    rest: flags.words,
    unknown: unknownVariables(env),
  }
}

const VARIABLES = ENTRIES.map(([name]) => variableOf(name))

/** Of no setting; commands that ask a daemon read it. */
const TOKEN_VARIABLE = "CARREL_TOKEN"

/** The bearer token of a key, for commands that ask a daemon; it stands in no process list. */
export const tokenFromEnvironment = (env: Environment = process.env): string | undefined =>
  env[TOKEN_VARIABLE] || undefined

const unknownVariables = (env: Environment): UnknownVariable[] =>
  Object.keys(env)
    .filter(name => name.toUpperCase().startsWith("CARREL_") && ![...VARIABLES, TOKEN_VARIABLE].includes(name))
    .map(name => ({ name, meant: nearest(name.toUpperCase(), VARIABLES) ?? null }))

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

function settingsIn(flags: Flags): Layer {
  const values: Layer = new Map()
  for (const [name, given] of flags.settings)
    values.set(name, { value: parse(flagOf(name), SETTINGS[name] as Setting<unknown>, given), source: flagOf(name) })
  return values
}

function parse(source: string, setting: Setting<unknown>, value: string): unknown {
  try {
    return setting.parse(value, process.cwd())
  } catch (error) {
    throw new ConfigError(
      `${source}: ${(error as Error).message} (given: ${setting.shown ? "…" : JSON.stringify(value)})`,
    )
  }
}

/** A setting as it may be shown: `carrel settings` and administrators in the console see the same. */
export interface ShownSetting {
  name: SettingName
  /** What of a secret may be shown, without users and passwords of addresses. */
  value: unknown
  source: Source
}

export const shownSettings = ({ config, sources }: Pick<ReadConfig, "config" | "sources">): ShownSetting[] =>
  ENTRIES.map(([name, { shown }]) => {
    const value: unknown = config[name]
    return { name, value: shown && value ? shown(value) : withoutCredentials(value), source: sources[name] }
  })

/** An address may carry a user and a password, whatever setting it is of. */
const withoutCredentials = (value: unknown): unknown =>
  typeof value === "string" ? value.replace(/\/\/[^/@\s]+@/g, "//…@") : value

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
const defaultText = ({ default: value }: Setting<unknown>): string =>
  value === false || (Array.isArray(value) && value.length === 0) ? "" : String(value)
