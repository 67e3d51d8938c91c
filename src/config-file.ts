/**
 * `carrel.toml` in the data directory: settings that the daemon and every command beside it share. Only read, never
 * written. A mistake in it stops whatever reads it, naming line and key: settings that are silently left out would run
 * a daemon without, say, its redaction.
 */
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { ConfigError } from "./config-error.ts"
import type { Setting } from "./config-rules.ts"
import { SETTINGS, type SettingName } from "./config-settings.ts"
import { didYouMean } from "./nearest.ts"
import { dataDirectoryProblem } from "./storage/access.ts"

export const SETTINGS_FILE = "carrel.toml"
const MAX_BYTES = 65_536

/** Values by setting; empty without a file. @throws ConfigError naming file, line and key; DataDirectoryError */
export function readSettingsFile(dataDirectory: string): Partial<Record<SettingName, unknown>> {
  const path = join(dataDirectory, SETTINGS_FILE)
  const text = contentOf(path, dataDirectory)
  if (text === undefined) return {}
  const lines = text.split(/\r?\n/)
  const refuse = (line: number, what: string) => new ConfigError(`${path}, line ${line}: ${what}`)
  let given: Record<string, unknown>
  try {
    given = parseToml(text)
  } catch (error) {
    throw refuse(firstBrokenLine(lines), (error as Error).message.replace(/^TOML Parse error: /, ""))
  }
  const values: Partial<Record<SettingName, unknown>> = {}
  for (const [key, value] of Object.entries(given)) {
    try {
      const parsed = parseValue(key, value, dataDirectory)
      if (parsed !== undefined) values[key as SettingName] = parsed
    } catch (error) {
      throw refuse(lineOf(key, lines), `${key}: ${(error as Error).message}`)
    }
  }
  return values
}

/** Undefined where the file is not there. */
function contentOf(path: string, dataDirectory: string): string | undefined {
  let place = dataDirectory
  try {
    const found = statSync(path)
    place = path
    if (!found.isFile()) throw new ConfigError(`${path}: must be a file with settings`)
    if (found.size > MAX_BYTES) throw new ConfigError(`${path}: larger than ${MAX_BYTES} bytes`)
    return readFileSync(path, "utf8")
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "ENOENT") return undefined
    throw code ? dataDirectoryProblem(place, error) : error
  }
}

const parseToml = (text: string) => Bun.TOML.parse(text) as Record<string, unknown>

/** Undefined for an empty text, which leaves the default. @throws Error with the rule that is broken */
function parseValue(key: string, value: unknown, base: string): unknown {
  if (key === "data") throw new Error("cannot be set here: the file is in that directory")
  if (!Object.hasOwn(SETTINGS, key)) throw new Error(unknown(key, value))
  const setting = SETTINGS[key as SettingName] as Setting<unknown>
  const text = asText(setting.written, value)
  if (text === "") return undefined
  try {
    return setting.parse(text, base)
  } catch (error) {
    throw new Error(`${(error as Error).message} (given: ${setting.shown ? "…" : JSON.stringify(value)})`)
  }
}

function unknown(key: string, value: unknown): string {
  const underscored = key.replaceAll("-", "_")
  if (underscored !== key && Object.hasOwn(SETTINGS, underscored)) return `is written ${underscored} here`
  const isTable = typeof value === "object" && value !== null && !Array.isArray(value)
  return isTable
    ? "there are no tables in this file: every setting stands by itself, such as port = 4747"
    : `there is no such setting${didYouMean(key, Object.keys(SETTINGS)) || "; `carrel serve --help` lists them"}`
}

/** The value as the command line would give it. @throws Error for a value of another type */
function asText(written: Setting<unknown>["written"], value: unknown): string {
  switch (written) {
    case "number":
      if (Number.isSafeInteger(value)) return String(value)
      throw new Error("must be a whole number, without quotes")
    case "switch":
      if (typeof value === "boolean") return String(value)
      throw new Error("must be true or false, without quotes")
    case "list":
      if (Array.isArray(value) && value.every(item => typeof item === "string")) return value.join(",")
      if (typeof value === "string") return value
      throw new Error('must be an array of strings, such as ["one", "two"]')
    case "text":
      if (typeof value === "string") return value
      throw new Error("must be a string in quotes")
  }
}

/** 1-based. The parser does not say where: everything before the broken statement can be parsed. */
function firstBrokenLine(lines: string[]): number {
  for (let count = lines.length; count > 0; count--) if (parses(lines, count)) return count + 1
  return 1
}

/** 1-based: where the statement with this key begins. */
function lineOf(key: string, lines: string[]): number {
  let before = 0
  for (let count = 1; count <= lines.length; count++) {
    if (!parses(lines, count)) continue
    if (Object.hasOwn(parseToml(lines.slice(0, count).join("\n")), key)) return before + 1
    before = count
  }
  return 1
}

function parses(lines: string[], count: number): boolean {
  try {
    parseToml(lines.slice(0, count).join("\n"))
    return true
  } catch {
    return false
  }
}
