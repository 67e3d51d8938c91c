/** What a request asks to have redacted: the `redaction` field, checked and completed. */
import { AppError, invalid } from "../errors.ts"
import { type CustomPattern, compilePattern } from "./custom-pattern.ts"
import { MAX_ALL_STEPS, MAX_NAMED_CLASSES, MAX_PATTERN_STEPS, namedClassesOf, stepsOf } from "./pattern-size.ts"
import { BUILT_IN_KINDS, type BuiltInKind, KINDS } from "./recognizers/index.ts"

const MAX_PATTERNS = 50
const MAX_PATTERN_LENGTH = 1000
const MAX_EXCLUDED = 1000
const PATTERN_NAME = /^[A-Z][A-Z0-9_]{0,31}$/

/** Plain data, so that it can be stored with a conversation: `parseRedaction(policy.source, …)` gives an equal policy. */
export interface RedactionPolicy {
  kinds: BuiltInKind[]
  /** Whole values that are left alone, lower-cased. */
  exclude: string[]
  customPatterns: CustomPattern[]
  /** The request's own words, as far as they were understood. */
  source: unknown
}

/**
 * Reads the `redaction` field. `enforced` (the daemon or the workspace insists): whatever is asked, everything is
 * redacted; custom patterns still add, exclusions and narrowing do not apply.
 * @returns null where redaction is off.
 * @throws AppError invalid_request naming the field; invalid_pattern naming the pattern.
 */
export function parseRedaction(input: unknown, enforced: boolean): RedactionPolicy | null {
  if (input === undefined || input === null || typeof input === "boolean") {
    if (!enforced && input !== true) return null
    return { kinds: [...BUILT_IN_KINDS], exclude: [], customPatterns: [], source: true }
  }
  if (typeof input !== "object" || Array.isArray(input)) throw invalid("redaction", "must be true, false or an object")
  const config = input as Record<string, unknown>
  const customPatterns = parsePatterns(config.custom_patterns)
  const exclude = parseStrings(config.exclude, "redaction.exclude", MAX_EXCLUDED).map(value =>
    value.trim().toLowerCase(),
  )
  const kinds = parseKinds(
    config,
    customPatterns.map(({ name }) => name),
  )
  if (config.enabled !== undefined && typeof config.enabled !== "boolean")
    throw invalid("redaction.enabled", "must be true or false")
  if (enforced) return { kinds: [...BUILT_IN_KINDS], exclude: [], customPatterns, source: input }
  if (config.enabled === false) return null
  return { kinds, exclude: exclude.filter(value => value !== ""), customPatterns, source: input }
}

/** Whether a `redaction` field that `parseRedaction` has accepted turns redaction on. */
export const asksForRedaction = (input: unknown): boolean =>
  typeof input === "object" && input !== null ? (input as { enabled?: boolean }).enabled !== false : input === true

/**
 * The `redaction` field as it is kept for follow-ups: the choices and the rules that `parseRedaction` has accepted, and
 * nothing else that came with them. Values to be left alone are not kept where they would be redacted all the same.
 */
export function keptRedaction(input: unknown, enforced: boolean): unknown {
  if (typeof input !== "object" || input === null) return input
  const { enabled, categories, kinds, exclude, custom_patterns } = input as Record<string, unknown>
  const rules = Array.isArray(custom_patterns)
    ? (custom_patterns as CustomPattern[]).map(({ name, pattern, flags }) => ({ name, pattern, flags }))
    : custom_patterns
  const kept = { enabled, categories, kinds, ...(enforced ? {} : { exclude }), custom_patterns: rules }
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined))
}

/** Custom patterns always apply: naming them or their category is allowed and changes nothing. */
function parseKinds(config: Record<string, unknown>, customNames: string[]): BuiltInKind[] {
  const categories = parseChoices(config.categories, "redaction.categories", [
    "personal",
    "financial",
    "credentials",
    "custom",
  ])
  const kinds = parseChoices<string>(config.kinds, "redaction.kinds", [...BUILT_IN_KINDS, ...customNames])
  if (kinds) return BUILT_IN_KINDS.filter(kind => kinds.includes(kind))
  if (!categories) return [...BUILT_IN_KINDS]
  return BUILT_IN_KINDS.filter(kind => categories.includes(KINDS[kind].category))
}

/** undefined where the field is absent or null. */
function parseChoices<T extends string>(given: unknown, field: string, choices: readonly T[]): T[] | undefined {
  if (given === undefined || given === null) return undefined
  return parseStrings(given, field, 100).map(value => {
    const found = choices.find(choice => choice === value)
    if (!found) throw invalid(field, `must hold only ${choices.join(", ")}`)
    return found
  })
}

function parseStrings(given: unknown, field: string, max: number): string[] {
  if (given === undefined || given === null) return []
  if (!Array.isArray(given) || given.some(value => typeof value !== "string"))
    throw invalid(field, "must be a list of strings")
  if (given.length > max) throw invalid(field, `must hold at most ${max} entries`)
  return given as string[]
}

function parsePatterns(given: unknown): CustomPattern[] {
  if (given === undefined || given === null) return []
  if (!Array.isArray(given)) throw invalid("redaction.custom_patterns", "must be a list")
  if (given.length > MAX_PATTERNS)
    throw invalid("redaction.custom_patterns", `must hold at most ${MAX_PATTERNS} patterns`)
  const left = { steps: MAX_ALL_STEPS, namedClasses: MAX_NAMED_CLASSES }
  return given.map((entry, index) => parsePattern(entry, `redaction.custom_patterns[${index}]`, left))
}

/** What the patterns of a request may still cost together. */
interface Left {
  steps: number
  namedClasses: number
}

/** @param left what it costs is taken from it */
function parsePattern(entry: unknown, field: string, left: Left): CustomPattern {
  if (typeof entry !== "object" || entry === null) throw invalid(field, "must be an object with name and pattern")
  const { name, pattern, flags = "" } = entry as Record<string, unknown>
  if (typeof name !== "string" || typeof pattern !== "string")
    throw invalid(field, "must have the strings name and pattern")
  if (flags !== null && typeof flags !== "string") throw invalid(`${field}.flags`, "must be a string")
  const refuse = (issue: string) =>
    new AppError("invalid_pattern", {
      message: `custom pattern ${JSON.stringify(name.slice(0, 64))}: ${issue}`,
      details: [{ field, name: name.slice(0, 64), issue }],
    })
  if (!PATTERN_NAME.test(name)) throw refuse("the name must match [A-Z][A-Z0-9_]{0,31}")
  if (pattern === "") throw refuse("the pattern must not be empty")
  if (pattern.length > MAX_PATTERN_LENGTH) throw refuse(`the pattern is longer than ${MAX_PATTERN_LENGTH} characters`)
  const custom: CustomPattern = { name, pattern, flags: flags ?? "" }
  if (!/^(?!.*(.).*\1)[ims]*$/.test(custom.flags)) throw refuse("flags may hold i, m and s, each once")
  const steps = stepsOf(pattern)
  if (steps > MAX_PATTERN_STEPS)
    throw refuse(`its repetitions make about ${steps} steps of it; at most ${MAX_PATTERN_STEPS} are allowed`)
  left.steps -= steps
  left.namedClasses -= namedClassesOf(pattern)
  if (left.steps < 0)
    throw refuse(`with it all patterns together have more than ${MAX_ALL_STEPS} steps; shorten their repetitions`)
  if (left.namedClasses < 0)
    throw refuse(`with it all patterns together name more than ${MAX_NAMED_CLASSES} classes of characters`)
  try {
    compilePattern(custom)
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : "does not compile")
  }
  return custom
}
