/**
 * `npm test [-- FILE…]`: runs the test files, each in a process of its own so that none sees another's leftovers, and prints
 * the sum over all of them last: `N passed, N failed`. Storms over a cluster run only when they are named:
 * `npm test -- cluster/node-storm cluster/engine-storm cluster/upgrade`.
 */
import { availableParallelism, cpus } from "node:os"
import { resolve } from "node:path"
import { Glob } from "bun"
import { ensureChromium } from "./test/chromium.ts"
import { ensureClients } from "./test/clients.ts"

const PROJECT = resolve(import.meta.dir, "..")
/** A file that takes longer hangs: the slowest builds the executable, which takes minutes on a slow machine. */
const FILE_TIMEOUT_MS = 900_000
/** Only what hangs: Bun's 5 s for one test is little where three processes share two cores. */
const TEST_TIMEOUT_MS = 120_000
/** Tests wait for processes and clocks as well as for the CPU, so there is room for one more than there are cores. */
const PROCESSES = Math.min(8, availableParallelism() + 1)

interface Result {
  file: string
  passed: number
  failed: number
  skipped: number
}

/** Storms over real engines take half an hour: they run when they are named. */
const BY_NAME = /^test\/cluster\/(?:\w+-storm|upgrade)\.test\.ts$/

const wanted = process.argv.slice(2)
const files = [...new Glob("test/**/*.test.{ts,tsx}").scanSync({ cwd: PROJECT })]
  .sort()
  .filter(file =>
    wanted.length === 0 ? !BY_NAME.test(file) : wanted.some(part => file.includes(part.replace(/^\.\//, ""))),
  )
if (files.length === 0) {
  console.error(`test: no test file matches ${wanted.join(" ")}`)
  process.exit(1)
}
await Promise.all([ensureChromium(files), ensureClients(files)])

/** Files of these folders time what they see, or start many processes: they run after the others, one at a time. */
const ALONE = ["test/binary/", "test/cluster/", "test/console/", "test/crash/", "test/trust/"]

const started = performance.now()
const results: Result[] = []
const isAlone = (file: string) => ALONE.some(folder => file.startsWith(folder))
await runAll(
  files.filter(file => !isAlone(file)),
  PROCESSES,
)
await runAll(files.filter(isAlone), 1)
summarize()

async function runAll(all: string[], processes: number): Promise<void> {
  const waiting = [...all]
  const runner = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) results.push(await runFile(file))
  }
  await Promise.all(Array.from({ length: processes }, runner))
}

async function runFile(file: string): Promise<Result> {
  const begun = performance.now()
  const child = Bun.spawn([process.execPath, "test", `--timeout=${TEST_TIMEOUT_MS}`, `./${file}`], {
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
  if (result.failed > 0) console.log(`${output}${report}`.trim().replace(/^/gm, "     "))
  return result
}

/** Bun ends its report with lines such as ` 12 pass`, ` 1 skip`, ` 0 fail`, ` 1 error`. */
function countsOf(report: string, exitCode: number): Omit<Result, "file"> {
  const count = (word: string) => Number(new RegExp(`^\\s*(\\d+) ${word}s?$`, "m").exec(report)?.[1] ?? 0)
  const failed = count("fail") + count("error")
  // A process that died before it could count, or a file without tests, has failed.
  return { passed: count("pass"), failed: exitCode === 0 ? failed : Math.max(1, failed), skipped: count("skip") }
}

function summarize(): void {
  const sum = (key: "passed" | "failed" | "skipped") => results.reduce((total, result) => total + result[key], 0)
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  const broken = results.filter(({ failed }) => failed > 0).map(({ file }) => file)
  console.log(`\n${files.length} test files, ${sum("skipped")} skipped, ${seconds} s on ${cpus().length} cores`)
  if (broken.length > 0) console.log(`failed in ${broken.join(", ")}`)
  console.log(`${sum("passed")} passed, ${sum("failed")} failed`)
  process.exit(sum("failed") > 0 ? 1 : 0)
}
