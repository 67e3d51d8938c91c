/** A data directory that cannot be written is said in one line, not by a stack. */
import { afterAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { lockDirectory } from "../../src/storage/sqlite/lock.ts"

const scratch = mkdtempSync(join(tmpdir(), "carrel-unwritable-"))
const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=1m,ro", "tmpfs", scratch]).exitCode === 0
if (!mounted) console.log("skipped: a read-only disk cannot be mounted here, which takes root")
const plain = mkdtempSync(join(tmpdir(), "carrel-unwritable-"))
afterAll(() => {
  if (mounted) Bun.spawnSync(["umount", scratch])
  for (const directory of [scratch, plain]) rmSync(directory, { recursive: true, force: true })
})

const REFUSAL = /^the data directory .* cannot be written \(E[A-Z]+\)$/

describe("a data directory", () => {
  test.skipIf(!mounted)("on a read-only disk is refused, also when it is not there yet", () => {
    for (const path of [scratch, join(scratch, "data")]) expect(() => lockDirectory(path)).toThrow(REFUSAL)
  })

  test("that is a file is refused", () => {
    const path = join(plain, "file")
    writeFileSync(path, "")
    expect(() => lockDirectory(path)).toThrow(REFUSAL)
  })
})
