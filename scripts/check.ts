/** `npm run check`: format and lint, types, and the rules about who may import whom. Runs all, then fails if any failed. */
import { resolve } from "node:path"

const PROJECT = resolve(import.meta.dir, "..")

const CHECKS = {
  "format and lint": ["node_modules/@biomejs/biome/bin/biome", "check", "--max-diagnostics=200"],
  types: ["node_modules/typescript/bin/tsc", "--project", "."],
  architecture: ["test", "./test/architecture.test.ts"],
  "generated code": ["scripts/sdk/generate.ts", "--check"],
}

const failed: string[] = []
for (const [name, argv] of Object.entries(CHECKS)) {
  const started = performance.now()
  // The tools are scripts for Node; Bun runs them too, so that they work where Node is not installed.
  const { exitCode } = Bun.spawnSync([process.execPath, ...argv], {
    cwd: PROJECT,
    stdio: ["ignore", "inherit", "inherit"],
  })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${exitCode === 0 ? "ok" : "FAILED"}  ${name} (${seconds} s)`)
  if (exitCode !== 0) failed.push(name)
}
if (failed.length > 0) {
  console.error(`\ncheck: failed: ${failed.join(", ")}`)
  process.exit(1)
}
