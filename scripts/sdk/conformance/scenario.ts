/** Scenarios, as sdk/conformance/README.md describes them, and how what was told is compared. */
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { ScriptedTurn } from "../../../test/support/model-script.ts"
import type { Fault } from "./fault-proxy.ts"

export interface Step {
  call: string
  ids?: string[]
  body?: unknown
  files?: object[]
  options?: object
  limit?: number
  save?: string
  faults?: Fault[]
  /** At which places its answer is cut; `to` is the length of the answer before. */
  sweep?: { step: number; parallel: number }
  /** The runner is killed once so many requests were answered; the step tells nothing. */
  kill_after?: number
  /** Files of the folder that are written first. */
  write?: Record<string, string>
  expect?: unknown
  error?: unknown
  /** What comes by chance is not compared between the languages, only with what is expected. */
  loose?: boolean
}

export interface Scenario {
  name: string
  /** The scenario whose workspace, as it leaves it, this one stands in. */
  after?: string
  /** The way of the language to give a call up, which blocking Python lacks. */
  needs?: "cancel"
  scenes?: Record<string, ScriptedTurn>
  client?: { token?: string; retry_ms?: number; closed?: boolean }
  folder?: Record<string, string>
  faults?: Fault[]
  steps: Step[]
  sent?: { on: string; times: number; keys?: number }[]
}

const FOLDER = resolve(import.meta.dir, "../../../sdk/conformance")

export function readScenarios(only = ""): Scenario[] {
  const files = readdirSync(FOLDER).filter(name => name.endsWith(".json"))
  const all = files.sort().flatMap(file => JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Scenario[])
  const names = all.map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice) throw new Error(`two scenarios are called ${twice}`)
  const wanted = all.filter(({ name }) => name.includes(only))
  const before = new Set(wanted.map(({ after }) => after))
  return all.filter(scenario => wanted.includes(scenario) || before.has(scenario.name))
}

/** Each with those that stand in its workspace; the long ones first: begun last they would go on alone. */
export function chainsOf(scenarios: readonly Scenario[]): Scenario[][] {
  const chains = scenarios
    .filter(({ after }) => after === undefined)
    .map(first => [first, ...scenarios.filter(({ after }) => after === first.name)])
  const isLong = (chain: readonly Scenario[]) => chain.some(({ steps }) => steps.some(({ sweep }) => sweep))
  return [...chains.filter(isLong), ...chains.filter(chain => !isLong(chain))]
}

/** The value with `$name.path` replaced by what was saved. */
export function filled(value: unknown, saved: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === "string" && value.startsWith("$folder/"))
    return `${saved.folder}${value.slice("$folder".length)}`
  if (typeof value === "string" && value.startsWith("$")) {
    const [name, ...path] = value.slice(1).split(".")
    // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape
    return path.reduce((found: any, part) => found?.[part === "last" ? found.length - 1 : part], saved[name!])
  }
  if (Array.isArray(value)) return value.map(each => filled(each, saved))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, saved)]))
}

/** Where it differs from what is expected; undefined where it does not. */
export function difference(expected: unknown, got: unknown, at = ""): string | undefined {
  const told = () => `${at || "."}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)?.slice(0, 400)}`
  if (typeof expected === "string" && expected.startsWith("~"))
    return new RegExp(expected.slice(1)).test(`${got}`) ? undefined : told()
  // InvalidJsonError here is InvalidJSONError there.
  if (at.endsWith(".class")) return `${expected}`.toLowerCase() === `${got}`.toLowerCase() ? undefined : told()
  if (Array.isArray(expected)) {
    if (!Array.isArray(got) || got.length !== expected.length) return told()
    return firstOf(expected.map((each, place) => () => difference(each, got[place], `${at}.${place}`)))
  }
  if (typeof expected !== "object" || expected === null) return (got ?? null) === expected ? undefined : told()
  const rules = expected as Record<string, unknown>
  if ("$length" in rules) return difference(rules.$length, (got as unknown[])?.length, `${at}.length`)
  if ("$each" in rules) {
    if (!Array.isArray(got)) return told()
    return firstOf(got.map((each, place) => () => difference(rules.$each, each, `${at}.${place}`)))
  }
  if ("$first" in rules) return difference(rules.$first, (got as unknown[])?.[0], `${at}.first`)
  if ("$last" in rules) return difference(rules.$last, (got as unknown[])?.at(-1), `${at}.last`)
  if (typeof got !== "object" || got === null) return told()
  const fields = got as Record<string, unknown>
  return firstOf(
    Object.entries(rules).map(
      ([name, each]) =>
        () =>
          difference(each, fields[name], `${at}.${name}`),
    ),
  )
}

function firstOf(looks: (() => string | undefined)[]): string | undefined {
  for (const look of looks) {
    const found = look()
    if (found) return found
  }
  return undefined
}

const VOLATILE = /(_at|_ms|_seconds|^created|^id|_id|_ids|timestamp|score|etag|secret|private_key|token|cursor|prefix)$/
const ID = /\b[a-z]{2,8}_[A-Za-z0-9-]{8,}\b/g
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g
const ADDRESS = /127\.0\.0\.1:\d+/g

/** Without what is another at each run: ids, times, secrets. What is null is as if it were absent. */
export function scrubbed(value: unknown): unknown {
  if (typeof value === "string") return value.replace(ID, "<id>").replace(TIME, "<time>").replace(ADDRESS, "<address>")
  if (Array.isArray(value)) return value.map(scrubbed)
  if (typeof value !== "object" || value === null) return value
  const kept = Object.entries(value).filter(
    ([name, each]) => each !== null && each !== undefined && !VOLATILE.test(name),
  )
  return Object.fromEntries(
    kept
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, name === "class" ? `${each}`.toLowerCase() : scrubbed(each)]),
  )
}
