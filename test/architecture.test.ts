/** The shape of the house, made real: imports point down, and settings have one reader. See README, "How it is built". */
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { Glob } from "bun"

const SRC = resolve(import.meta.dir, "../src")

/** A file may import rooms of a lower rank and its own; two rooms of one rank do not know each other. */
const RANKS = [
  ["errors", "log-record", "control-characters", "storable", "nearest", "normal-form"],
  ["bounded-json", "canonical-json", "log", "id", "native", "metrics"],
  ["threads"],
  ["outbound", "guarded", "timing", "account"],
  ["egress"],
  ["storage", "backends"],
  ["nodes"],
  ["jobs", "redaction", "access"],
  ["events"],
  ["governance"],
  ["ingest", "search"],
  ["library", "grounding"],
  ["sources"],
  ["tools"],
  ["chat"],
  ["agents"],
  ["batches"],
  ["http"],
  [
    "config",
    "config-engines",
    "config-error",
    "config-file",
    "config-flags",
    "config-rules",
    "config-settings",
    "configured",
    "configured-cluster",
    "configured-sign-in",
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

/** Imports of types count as well: they are what one file knows of another. */
const importsOf = (file: string, code = codeOf(file)): string[] =>
  [...code.matchAll(/\b(?:from|import)[\s(]*"(\.[^"]+)"/g)]
    .map(([, path]) => relative(SRC, join(SRC, dirname(file), path!)))
    .filter(path => !path.startsWith(".."))

/** The console may share types of public records. */
const roomsKnownTo = (file: string): string[] =>
  roomOf(file) === CONSOLE
    ? importsOf(file, codeOf(file).replace(/^(?:import|export) type [^"]*"[^"]*"/gm, ""))
    : importsOf(file)

/** Each as the files on its way round; one of each pair of files that lead to each other. */
function cycles(): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const visit = (file: string, way: string[]): void => {
    const at = way.indexOf(file)
    if (at >= 0) found.push([...way.slice(at), file].join(" → "))
    if (at >= 0 || done.has(file)) return
    for (const next of importsOf(file)) visit(next, [...way, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  return found
}

function isAllowed(from: string, to: string): boolean {
  if (from === to) return true
  if (from === CONSOLE || to === CONSOLE) return false
  const [own, other] = [rankOf(from), rankOf(to)]
  return other < own || (own === TOP && other === TOP)
}

const MAX_LINES = 60
const COMMENT_LINES = 8
const FUNCTION =
  /^\s*(?:export )?(?:async )?function\b|^\s*(?:(?:private|protected|static|async|override) )*\*?\w+\(|=>/
const NO_FUNCTION = /^\s*(?:if|for|while|switch|catch|describe)\b/

/** By the indentation that the formatter gives. The comment of a long one says `Long, because`. */
function longFunctions(file: string): string[] {
  const lines = readFileSync(join(SRC, file), "utf8").split("\n")
  const indentOf = (line: string): number => line.search(/\S/)
  const ends = (from: number) => lines.findIndex((line, at) => at > from && indentOf(line) === indentOf(lines[from]!))
  return lines.flatMap((line, at) => {
    // A header of several lines ends in one of its own.
    const head = /^\s*\)/.test(line) ? lines.slice(0, at).findLastIndex(each => indentOf(each) === indentOf(line)) : at
    if (!line.endsWith("{") || !FUNCTION.test(lines[head]!) || NO_FUNCTION.test(lines[head]!)) return []
    const length = ends(at) - head + 1
    if (length <= MAX_LINES) return []
    const above = lines.slice(Math.max(0, head - COMMENT_LINES), head).join("\n")
    return /\bLong, because\b/.test(above) ? [] : [`${file}:${head + 1} has ${length} lines`]
  })
}

describe("architecture", () => {
  test("every folder and top-level file of src has a rank", () => {
    expect(files.map(roomOf).filter(room => room !== CONSOLE && rankOf(room) < 0)).toEqual([])
  })

  test("imports point to a lower rank or stay in their room", () => {
    const broken = files.flatMap(file =>
      roomsKnownTo(file)
        .filter(path => !isAllowed(roomOf(file), roomOf(path)))
        .map(path => `${file} imports ${path}`),
    )
    expect(broken).toEqual([])
  })

  test("no file leads back to itself", () => {
    expect(cycles()).toEqual([])
  })

  test("no function has over 60 lines without the reason in its comment", () => {
    expect(files.flatMap(longFunctions)).toEqual([])
  })

  test("what one file exports another uses", () => {
    const texts = ["src", "test", "scripts"].flatMap(room =>
      [...new Glob(`${room}/**/*.{ts,tsx}`).scanSync({ cwd: resolve(SRC, "..") })].map(file => ({
        file,
        words: new Set(readFileSync(resolve(SRC, "..", file), "utf8").match(/\w+/g)),
      })),
    )
    const unused = files.flatMap(file =>
      [...codeOf(file).matchAll(/^export (?:async )?(?:const|function\*?|(?:abstract )?class) (\w+)/gm)]
        .map(([, name]) => name!)
        .filter(name => !texts.some(other => other.file !== `src/${file}` && other.words.has(name)))
        .map(name => `${file}: ${name}`),
    )
    expect(unused).toEqual([])
  })

  test("only config.ts reads process.env", () => {
    // The name of a constant that bundles for browsers are given is no reading.
    const readers = files.filter(
      file => file !== "config.ts" && /\b(process|Bun|import\.meta)\.env\b(?!\.NODE_ENV":)/.test(codeOf(file)),
    )
    expect(readers).toEqual([])
  })
})

/** Variants are exports of the files below `folder` that look like `variant`; each is one line of `table`. */
const TABLES = [
  { table: "tools/index.ts", name: "TOOLS", folder: "tools", variant: /^export const (\w+): Tool\b/gm },
  {
    table: "backends/index.ts",
    name: "CHAT_BACKENDS",
    folder: "backends",
    variant: /^export (?:const|function) (open\w+Chat)\b|^export class (\w+) implements ChatBackend\b/gm,
    except: ["CountedBackend"], // around each of them
  },
  {
    table: "backends/embedder.ts",
    name: "EMBEDDERS",
    folder: "backends",
    variant: /^export (?:async function|const) (open\w+Embedder)\b/gm,
    except: ["openFolderEmbedder"], // names without a provider
  },
  {
    table: "search/rerank/reranker.ts",
    name: "SCORERS",
    folder: "search/rerank",
    variant: /^export (?:async )?function (open\w+)\b/gm,
  },
  {
    table: "console/pages.ts",
    name: "PAGES",
    folder: "console/pages",
    variant: /^export (?:const|function) (\w+Page)(?=\(\)|\(\{ rest\b| = \()/gm,
  },
  {
    table: "console/pages.ts",
    name: "DOORS",
    folder: "console/pages/doors",
    variant: /^export function (\w+Page)(?=\(\{ onSignedIn \}: DoorProps)/gm,
    except: ["SignInPage"], // stands in the place of whatever page was asked for
  },
  {
    table: "ingest/formats/formats.ts",
    name: "FORMATS",
    folder: "ingest/formats",
    variant: /^export const (extract\w+)(?:: Extractor\b| = reader\()/gm,
  },
  {
    table: "redaction/recognizers/index.ts",
    name: "TABLE",
    folder: "redaction/recognizers",
    variant: /^export const (\w+): (?:Rule|Model)Kind\b/gm,
  },
  {
    table: "sources/connectors/index.ts",
    name: "SOURCE_KINDS",
    folder: "sources/connectors",
    variant: /^export const (\w+Source): SourceKind\b/gm,
  },
  {
    table: "storage/migrations/index.ts",
    name: "MIGRATIONS",
    folder: "storage/migrations",
    variant: /^export const (\w+): (?:Former)?Migration\b/gm,
  },
]

describe("each variant has one line in its table:", () => {
  for (const { table, name, folder, variant, except = [] } of TABLES)
    test(`${table}, ${name}`, () => {
      const variants = files
        .filter(file => file.startsWith(`${folder}/`) && file !== table)
        .flatMap(file => [...codeOf(file).matchAll(variant)].map(([, first, second]) => first ?? second!))
        .filter(each => !except.includes(each))
      const lines = new RegExp(`\\b${name}\\b[^=\\n]*= [{[]\\n([\\s\\S]*?)\\n[}\\]]`).exec(codeOf(table))![1]!
      const times = (each: string) => lines.match(new RegExp(`\\b${each}\\b(?!:|\\.|/|-)`, "g"))?.length ?? 0
      expect(variants.length).toBeGreaterThan(0)
      expect(variants.filter(each => times(each) !== 1)).toEqual([])
    })
})

const using = (pattern: RegExp): string[] => files.filter(file => pattern.test(codeOf(file)))

describe("usage", () => {
  test("a model is had with an account alone, which counts what it takes", () => {
    expect(using(/\bnew CountedBackend\(/)).toEqual(["backends/index.ts"])
    expect(using(/\bnew Account\(/)).toEqual(["governance/usage/usage.ts"])
    expect(using(/\bbackend(?:!|\?)?\.chat\(/)).toEqual([
      "backends/counted.ts",
      "backends/measured.ts",
      "chat/model-trial.ts",
      "chat/query-rewriter.ts",
      "chat/reading/note-taker.ts",
      "grounding/window.ts",
    ])
  })

  test("what is counted is written at one place, and by triggers", () => {
    expect(using(/usage_(?:hours|entries)\b/).filter(file => !file.startsWith("storage/"))).toEqual([
      "commands/move/records.ts",
      "governance/usage/entries.ts",
      "governance/usage/fold.ts",
      "governance/usage/quotas.ts", // reads
      "governance/usage/report.ts", // reads
    ])
  })
})

describe("the guard", () => {
  test("nobody else marks a value as passed: the guard does, and what is read back from the store", () => {
    expect(using(/\bas (?:unknown as )?Guarded\b/)).toEqual(["grounding/guard.ts", "guarded.ts"])
    expect(using(/\bfromStore\(/)).toEqual(["agents/resumed-calls.ts", "chat/replay.ts"])
  })

  test("nobody else asks the redactor, but for the route that redacts a text", () => {
    expect(using(/\bredactor\.(?:redact|redactValue|stream)\(/)).toEqual([
      "grounding/guard.ts",
      "http/routes/redact.ts",
    ])
  })
})
