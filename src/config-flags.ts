/** The words of a command: settings as flags, the command's own options, and what is neither. */
import { parseArgs } from "node:util"
import { ConfigError } from "./config-error.ts"
import { SETTINGS, type SettingName } from "./config-settings.ts"
import { didYouMean } from "./nearest.ts"

/** Options that a command has beside the settings; one of the same name as a setting takes its place. */
export interface OwnOptions {
  /** With a value. */
  values?: readonly string[]
  /** With a value, and given any number of times. */
  lists?: readonly string[]
  switches?: readonly string[]
}

export interface Flags {
  /** As they were written; a flag without a value is "true". */
  settings: Map<SettingName, string>
  /** The command's own; switches are "true". */
  options: Map<string, string>
  lists: Map<string, string[]>
  /** Words that are not options. */
  words: string[]
}

export const flagOf = (name: string): string => `--${name.replaceAll("_", "-")}`

type Option = { type: "string" | "boolean"; setting?: SettingName }

const SETTING_FLAGS = Object.entries(SETTINGS).map(([name, setting]): [string, Option] => [
  flagOf(name).slice(2),
  { type: "placeholder" in setting && setting.placeholder ? "string" : "boolean", setting: name as SettingName },
])

/** @throws ConfigError for an option that is unknown, lacks its value, or takes none */
export function readFlags(args: string[], { values = [], lists = [], switches = [] }: OwnOptions = {}): Flags {
  const known = new Map<string, Option>([
    ...SETTING_FLAGS,
    ...[...values, ...lists].map((name): [string, Option] => [name, { type: "string" }]),
    ...switches.map((name): [string, Option] => [name, { type: "boolean" }]),
  ])
  // Not strict: what is wrong is said in our words, and a value may begin with one dash (--keep-alive -1).
  const options = Object.fromEntries([...known].map(([name, { type }]) => [name, { type }]))
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true })
  const flags: Flags = { settings: new Map(), options: new Map(), lists: new Map(), words: [] }
  for (const token of tokens) {
    if (token.kind === "positional") flags.words.push(token.value)
    if (token.kind !== "option") continue
    const { name, rawName, value, inlineValue } = token
    const option = known.get(name)
    if (!option || !rawName.startsWith("--"))
      throw new ConfigError(`unknown option ${rawName}${didYouMean(rawName, [...known.keys()].map(flagOf))}`)
    if (option.type === "boolean" && !option.setting && inlineValue) throw new ConfigError(`${rawName} takes no value`)
    const given = option.type === "boolean" ? (value ?? "true") : value
    // The next option is no value; one that begins like it is written --name=--value.
    if (given === undefined || (!inlineValue && given.startsWith("--")))
      throw new ConfigError(`${rawName}${option.setting ? ":" : ""} needs a value`)
    if (option.setting) flags.settings.set(option.setting, given)
    else if (lists.includes(name)) flags.lists.set(name, [...(flags.lists.get(name) ?? []), given])
    else flags.options.set(name, given)
  }
  return flags
}
