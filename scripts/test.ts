/**
 * `npm test [-- FILE…]`: runs the test files, each in a process of its own so that none sees another's leftovers, and prints
 * the sum over all of them last: `N passed, N failed`. Storms over a cluster run only when they are named:
 * `npm test -- cluster/node-storm cluster/engine-storm cluster/upgrade`. Those with real models have a command of their own.
 */
import { availableParallelism } from "node:os"
import { Glob } from "bun"
import { ensureChromium } from "./test/chromium.ts"
import { ensureClients } from "./test/clients.ts"
import { PROJECT, runAll, summarize } from "./test/runner.ts"

/** Tests wait for processes and clocks as well as for the CPU, so there is room for one more than there are cores. */
const PROCESSES = Math.min(8, availableParallelism() + 1)

/** Storms over real engines take half an hour: they run when they are named. */
const BY_NAME = /^test\/cluster\/(?:\w+-storm|upgrade)\.test\.ts$/

const wanted = process.argv.slice(2)
const files = [...new Glob("test/**/*.test.{ts,tsx}").scanSync({ cwd: PROJECT })]
  .filter(file => !file.startsWith("test/real/"))
  .sort()
  .filter(file =>
    wanted.length === 0 ? !BY_NAME.test(file) : wanted.some(part => file.includes(part.replace(/^\.\//, ""))),
  )
if (files.length === 0) {
  console.error(`test: no test file matches ${wanted.join(" ")}`)
  process.exit(1)
}
await Promise.all([ensureChromium(files), ensureClients(files)])

/**
 * Files of these folders time what they see, or start many processes: they run after the others, one at a time in each
 * lane. Two lanes, since one leaves half of two cores idle; but nothing that sets up networks runs beside a browser, which
 * drops its connections when it sees one come or go.
 */
const ROUNDS = [
  [["test/console/"], ["test/binary/", "test/crash/", "test/trust/"]],
  [["test/cluster/"], ["test/packages/"]],
]

const begun = performance.now()
const isIn = (folders: string[]) => (file: string) => folders.some(folder => file.startsWith(folder))
const results = await runAll(
  files.filter(file => !isIn(ROUNDS.flat(2))(file)),
  PROCESSES,
)
for (const lanes of ROUNDS)
  results.push(...(await Promise.all(lanes.map(folders => runAll(files.filter(isIn(folders)), 1)))).flat())
process.exit(summarize(results, begun))
