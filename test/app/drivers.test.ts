import { expect, test } from "bun:test"
import { join } from "node:path"

/** What a daemon loads at its start takes time and memory of every installation. */
test("one machine alone loads no driver of an engine", async () => {
  const walk = Bun.spawn([process.execPath, join(import.meta.dir, "drivers.walk.ts")], { stderr: "inherit" })
  expect((await new Response(walk.stdout).text()).trim()).toBe("0")
}, 60_000)
