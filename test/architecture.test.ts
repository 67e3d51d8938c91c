/** The shape of the house, made real: imports point down, and settings have one reader. See README, "How it is built". */
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { Glob } from "bun"

const SRC = resolve(import.meta.dir, "../src")

/** A file may import rooms of a lower rank and its own; two rooms of one rank do not know each other. */
const RANKS = [
  ["errors", "control-characters"],
  ["bounded-json", "canonical-json", "log", "id", "native", "metrics"],
  ["threads"],
  ["outbound", "guarded"],
  ["storage", "backends"],
  ["jobs", "redaction", "keys"],
  ["ingest", "search"],
  ["library", "grounding"],
  ["chat"],
  ["agents"],
  ["http"],
  [
    "config",
    "config-error",
    "config-file",
    "config-rules",
    "config-settings",
    "configured",
    "app",
    "main",
    "commands",
    "gauges",
  ],
]
/** The rank that is about joining the others: its rooms may know each other. */
const TOP = RANKS.length - 1
/** Runs in the browser and talks to the daemon over HTTP only; it shares no more than the types of public records. */
const CONSOLE = "console"

const files = [...new Glob("**/*.{ts,tsx}").scanSync({ cwd: SRC })].sort()
const roomOf = (file: string): string => file.split("/")[0]!.replace(/\.tsx?$/, "")
const codeOf = (file: string): string => readFileSync(join(SRC, file), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "")
const rankOf = (room: string): number => RANKS.findIndex(rooms => rooms.includes(room))

/** Imports of types count as well, but for the console: they are what one room knows of another. */
function importsOf(file: string): string[] {
  const code =
    roomOf(file) === CONSOLE ? codeOf(file).replace(/^(?:import|export) type [^"]*"[^"]*"/gm, "") : codeOf(file)
  return [...code.matchAll(/\b(?:from|import)[\s(]*"(\.[^"]+)"/g)]
    .map(([, path]) => relative(SRC, join(SRC, dirname(file), path!)))
    .filter(path => !path.startsWith(".."))
}

function isAllowed(from: string, to: string): boolean {
  if (from === to) return true
  if (from === CONSOLE || to === CONSOLE) return false
  const [own, other] = [rankOf(from), rankOf(to)]
  return other < own || (own === TOP && other === TOP)
}

describe("architecture", () => {
  test("every folder and top-level file of src has a rank", () => {
    expect(files.map(roomOf).filter(room => room !== CONSOLE && rankOf(room) < 0)).toEqual([])
  })

  test("imports point to a lower rank or stay in their room", () => {
    const broken = files.flatMap(file =>
      importsOf(file)
        .filter(path => !isAllowed(roomOf(file), roomOf(path)))
        .map(path => `${file} imports ${path}`),
    )
    expect(broken).toEqual([])
  })

  test("only config.ts reads process.env", () => {
    const readers = files.filter(
      file => file !== "config.ts" && /\b(process|Bun|import\.meta)\.env\b/.test(codeOf(file)),
    )
    expect(readers).toEqual([])
  })
})

describe("the guard", () => {
  const using = (pattern: RegExp): string[] => files.filter(file => pattern.test(codeOf(file)))

  test("nobody else marks a value as passed: the guard does, and what is read back from the store", () => {
    expect(using(/\bas (?:unknown as )?Guarded\b/)).toEqual(["grounding/guard.ts", "guarded.ts"])
    expect(using(/\bfromStore\(/)).toEqual(["chat/replay.ts"])
  })

  test("nobody else asks the redactor, but for the route that redacts a text", () => {
    expect(using(/\bredactor\.(?:redact|redactValue|stream)\(/)).toEqual([
      "grounding/guard.ts",
      "http/routes/redact.ts",
    ])
  })
})
