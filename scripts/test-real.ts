/**
 * `npm run test:real [-- FILE…]`: sets up real model servers with real weights, starts them, and runs the test files in
 * `test/real/` against them, one at a time; the last line is `N passed, N failed`. Ends with 3, and says why, where the
 * machine cannot set them up or a registry does not answer. See docs/real-models.md.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Glob } from "bun"
import { start, stop } from "./cluster/index.ts"
import { NotFetched } from "./cluster/packages.ts"
import { StateFile } from "./cluster/state.ts"
import { installModelServers, LACKS, lacksModelServers, MODEL_SERVERS } from "./real-models/index.ts"
import type { ModelUrls } from "./real-models/urls.ts"
import { PROJECT, runAll, summarize } from "./test/runner.ts"

/** Only what hangs: a model that shares its processor with others takes seconds for a token. */
const TEST_TIMEOUT_MS = 600_000

const tell = (line: string) => console.error(`real models: ${line}`)

const missing = lacksModelServers()
if (missing.length > 0) {
  tell(`skipped, because ${missing.join("; ")}`)
  process.exit(LACKS)
}
const wanted = process.argv.slice(2)
const files = [...new Glob("test/real/**/*.test.ts").scanSync({ cwd: PROJECT })]
  .sort()
  .filter(file => wanted.length === 0 || wanted.some(part => file.includes(part.replace(/^\.\//, ""))))
if (files.length === 0) {
  tell(`no test file matches ${wanted.join(" ")}`)
  process.exit(1)
}

const folder = mkdtempSync(join(tmpdir(), "carrel-real-models-"))
const state = new StateFile<ModelUrls>(join(folder, "up.json"))
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.once(signal, () => void remove().finally(() => process.exit(1)))
let code = 1
try {
  await installModelServers(tell)
  const urls = await start(state, { nodes: 1, engines: MODEL_SERVERS })
  process.env.CARREL_TEST_REAL_MODELS = JSON.stringify(urls)
  const begun = performance.now()
  code = summarize(await runAll(files, 1, { testMs: TEST_TIMEOUT_MS }), begun)
} catch (error) {
  const isSkipped = error instanceof NotFetched
  if (isSkipped) code = LACKS
  tell(`${isSkipped ? "skipped, because a registry did not answer: " : ""}${(error as Error).message}`)
} finally {
  await remove()
}
process.exit(code)

async function remove(): Promise<void> {
  await stop(state)
  rmSync(folder, { recursive: true, force: true })
}
