/** Runs test files, each in a process of its own so that none sees another's leftovers, and prints the sum over all of them. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { cpus } from "node:os"
import { resolve } from "node:path"

export const PROJECT = resolve(import.meta.dir, "../..")
/** A file that takes longer hangs: the slowest builds the executable, which takes minutes on a slow machine. */
const FILE_TIMEOUT_MS = 900_000
/** Only what hangs: Bun's 5 s for one test is little where three processes share two cores. */
const TEST_TIMEOUT_MS = 120_000

/** What is told again at the end, where much stands between: errors, where tests threw them, and the names of these. */
const REASON = /^(?:\(fail\)|error:|\S*Error:|Expected:|Received:|\s+at .*\.(?:test|walk)\.tsx?:).*/gm

interface Limits {
  /** Of one test. */
  testMs: number
}

/** A file in which several commands keep their common sum, as the last of them prints it; empty for one command alone. */
const SUM_FILE = process.env.CARREL_TEST_SUM ?? ""

export interface Result {
  file: string
  passed: number
  failed: number
  skipped: number
  /** Where it failed and why: lines of its report. */
  reasons: readonly string[]
}

/** Runs them, so many at a time, and prints a line for each as it ends. */
export async function runAll(
  all: readonly string[],
  processes: number,
  limits: Limits = { testMs: TEST_TIMEOUT_MS },
): Promise<Result[]> {
  const waiting = [...all]
  const results: Result[] = []
  const runner = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) results.push(await runFile(file, limits))
  }
  await Promise.all(Array.from({ length: processes }, runner))
  return results
}

async function runFile(file: string, { testMs }: Limits): Promise<Result> {
  const begun = performance.now()
  const child = Bun.spawn([process.execPath, "test", `--timeout=${testMs}`, `./${file}`], {
    cwd: PROJECT,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, FORCE_COLOR: "0", NO_COLOR: "1" },
    timeout: FILE_TIMEOUT_MS,
    killSignal: "SIGKILL",
  })
  const [output, report] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  const exitCode = await child.exited
  const result = { file, ...countsOf(report, exitCode) }
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  const skipped = result.skipped > 0 ? `, ${result.skipped} skipped` : ""
  console.log(`${result.failed ? "FAIL" : "ok  "} ${file}  ${result.passed} passed${skipped} (${seconds} s)`)
  const told = `${output}${report}`.trim()
  if (result.failed > 0) console.log(told.replace(/^\(pass\).*\n/gm, "").replace(/^/gm, "     "))
  return { ...result, reasons: result.failed > 0 ? (told.match(REASON) ?? [`exit code ${exitCode}`]) : [] }
}

/** Bun ends its report with lines such as ` 12 pass`, ` 1 skip`, ` 0 fail`, ` 1 error`. */
function countsOf(report: string, exitCode: number): Omit<Result, "file" | "reasons"> {
  const count = (word: string) => Number(new RegExp(`^\\s*(\\d+) ${word}s?$`, "m").exec(report)?.[1] ?? 0)
  const failed = count("fail") + count("error")
  // A process that died before it could count, or a file without tests, has failed.
  return { passed: count("pass"), failed: exitCode === 0 ? failed : Math.max(1, failed), skipped: count("skip") }
}

/** Prints the sum, last of all `N passed, N failed`. @returns the exit code of the command */
export function summarize(results: readonly Result[], begun: number): number {
  const sum = (key: "passed" | "failed" | "skipped") => results.reduce((total, result) => total + result[key], 0)
  const seconds = ((performance.now() - begun) / 1000).toFixed(0)
  const broken = results.filter(({ failed }) => failed > 0)
  console.log(`\n${results.length} test files, ${sum("skipped")} skipped, ${seconds} s on ${cpus().length} cores`)
  for (const { file, reasons } of broken) console.log(`failed in ${file}\n${reasons.join("\n")}`)
  console.log(withEarlier(sum("passed"), sum("failed")))
  return sum("failed") > 0 ? 1 : 0
}

/** The closing line, with what commands before this one counted. */
function withEarlier(passed: number, failed: number): string {
  const kept = SUM_FILE && existsSync(SUM_FILE) ? readFileSync(SUM_FILE, "utf8") : ""
  const [, earlierPassed = 0, earlierFailed = 0] = /^(\d+) passed, (\d+) failed$/m.exec(kept) ?? []
  const line = `${passed + Number(earlierPassed)} passed, ${failed + Number(earlierFailed)} failed`
  if (SUM_FILE) writeFileSync(SUM_FILE, `${line}\n`)
  return line
}
