/** All SDKs tell the same of the same calls: the scenarios of sdk/conformance, on the executable. */
import { expect, test } from "bun:test"
import { resolve } from "node:path"
import { BUILD_TIMEOUT_MS } from "../support/executable.ts"

const PROGRAM = resolve(import.meta.dir, "../../scripts/sdk/conformance.ts")

test(
  "every scenario is equal in every language that runs here",
  async () => {
    const child = Bun.spawn([process.execPath, PROGRAM], { stdout: "pipe", stderr: "pipe" })
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    const last = out.trimEnd().split("\n").at(-1)!
    expect([await child.exited, err]).toEqual([0, expect.not.stringContaining("differences")])
    expect(last).toMatch(/^\d+ scenarios × [123] languages: all equal/)
    expect(Number.parseInt(last, 10)).toBeGreaterThanOrEqual(60)
    if (last.includes("without")) console.warn(last)
  },
  BUILD_TIMEOUT_MS + 300_000,
)
