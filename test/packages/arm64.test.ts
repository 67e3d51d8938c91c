/**
 * The executable for arm64, run by an emulator of that processor: alone in a file system with glibc and libstdc++, without
 * network. The walk itself is `arm64.walk.ts`, because it must live there. A namespace of its own tells the kernel how such
 * programs are run, so that nothing on this machine changes.
 */
import { expect, test } from "bun:test"
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { ran } from "../support/debian-machine.ts"

const PROJECT = resolve(import.meta.dir, "../..")
const EXECUTABLE = join(PROJECT, "dist/carrel-linux-arm64")
const EMULATOR = "qemu-aarch64-static"
/** Debian's package libstdc++6-arm64-cross and what it depends on. */
const LIBRARIES = "/usr/aarch64-linux-gnu/lib"
const NAMESPACE = ["unshare", "-U", "-r", "-m", "-n", "-p", "-f", "--mount-proc"]
/** The build packs what another processor needs, then all runs at a tenth of its speed. */
const LIMIT_MS = 600_000

const PROGRAM =
  "\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00:\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff"
const MOUNT = "mount -t binfmt_misc none /proc/sys/fs/binfmt_misc"
/** The emulator is opened when it is registered (F): the file system that programs run in needs none. */
const SETUP = `set -e
${MOUNT}
printf '%s' ':carrel-arm64:M::${PROGRAM}:'"$EMULATOR"':F' > /proc/sys/fs/binfmt_misc/register
mount --rbind ${LIBRARIES} "$ROOT/lib"
mount --bind "$EXECUTABLE" "$ROOT/carrel"
mount --rbind /dev "$ROOT/dev"
mount -t proc proc "$ROOT/proc"
exec "$@"`

async function lacks(): Promise<string | undefined> {
  if (!Bun.which(EMULATOR)) return `${EMULATOR} is not installed`
  if (!existsSync(join(LIBRARIES, "libstdc++.so.6"))) return `there are no libraries in ${LIBRARIES}`
  const { code, err } = await ran([...NAMESPACE, "sh", "-c", MOUNT])
  return code === 0 ? undefined : `the kernel runs no foreign programs in a namespace: ${err.trim()}`
}

const missing = await lacks()
if (missing) console.warn(`skipped: the executable for arm64 is not run here: ${missing}`)

test.skipIf(missing !== undefined)(
  "the executable for arm64 serves upload, search, chat, agents and console, and keeps all of it over a restart",
  async () => {
    const built = await ran([process.execPath, join(PROJECT, "scripts/build.ts"), "--target", "linux-arm64"])
    expect([built.code, built.err]).toEqual([0, ""])
    const root = mkdtempSync(join(tmpdir(), "carrel-arm64-"))
    try {
      for (const folder of ["lib", "dev", "proc", "tmp", "etc", "data"]) mkdirSync(join(root, folder))
      writeFileSync(join(root, "carrel"), "") // to be mounted on
      const child = Bun.spawn(
        [...NAMESPACE, "bash", "-c", SETUP, "bash", process.execPath, "test", "./arm64.walk.ts"],
        {
          cwd: import.meta.dir,
          env: { ...Bun.env, ROOT: root, EXECUTABLE, EMULATOR: Bun.which(EMULATOR)! },
          stdout: "pipe",
          stderr: "pipe",
        },
      )
      const [output, report] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
      if ((await child.exited) !== 0) console.error(`${output}${report}`)
      expect(await child.exited).toBe(0)
      expect(report).toMatch(/[1-9]\d* pass/)
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  },
  LIMIT_MS,
)
