/**
 * The executable alone: copied into an empty folder, started as an ordinary user, with an empty environment and in a
 * network of its own that reaches nothing. The walk itself is `alone.walk.ts`, because it must live in that network.
 */
import { beforeAll, expect, test } from "bun:test"
import { statSync } from "node:fs"
import { BUILD_TIMEOUT_MS, executable } from "../support/executable.ts"

/** The first start unpacks 250 MB, on a machine that may be busy with other tests. */
const WALK_TIMEOUT_MS = 180_000

let path: string
beforeAll(async () => {
  path = await executable()
}, BUILD_TIMEOUT_MS)

test("is at most 400 MB", () => {
  expect(statSync(path).size).toBeLessThanOrEqual(400_000_000)
})

test(
  "alone, without network, it serves upload, search, chat and console, keeps all of it over a restart and writes nowhere else",
  async () => {
    const child = Bun.spawn([...emptyNetwork(), process.execPath, "test", "./alone.walk.ts"], {
      cwd: import.meta.dir,
      env: { ...Bun.env, CARREL_EXECUTABLE: path },
      stdout: "pipe",
      stderr: "pipe",
    })
    const [output, report] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    if ((await child.exited) !== 0) console.error(`${output}${report}`)
    expect(await child.exited).toBe(0)
    expect(report).toMatch(/[1-9]\d* pass/)
  },
  WALK_TIMEOUT_MS,
)

/** How to start a process that no network reaches: as root, or through a user namespace where that is allowed. */
function emptyNetwork(): string[] {
  const way = ["unshare", process.getuid?.() === 0 ? "-n" : "-rn"]
  if (Bun.which("unshare") && Bun.spawnSync([...way, "true"]).exitCode === 0) return way
  console.warn("network namespaces are not allowed here: the executable runs with the network of this machine")
  return []
}
