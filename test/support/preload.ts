/**
 * Runs before every test file and says in a sentence what would else show as files that never become searchable: children
 * of the daemon are fenced for one version of Bun, and may read packages only where they lie in the project itself.
 */
import { realpathSync } from "node:fs"
import { join, resolve } from "node:path"
import project from "../../package.json" with { type: "json" }

const ROOT = realpathSync(resolve(import.meta.dir, "../.."))
const pinned = project.devDependencies.bun
const packages = join(ROOT, "node_modules")

if (Bun.version !== pinned)
  throw new Error(`the tests run under Bun ${pinned}, and this is ${Bun.version}: \`npm test\` installs and uses it`)
if (realpathSync(packages) !== packages)
  throw new Error("node_modules is a link to another folder, which fenced processes may not read: install it here")

if (Bun.env.CARREL_TEST_DATABASE === "postgres") await import("./on-postgres.ts")
