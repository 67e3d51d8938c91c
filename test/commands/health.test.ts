/** `carrel health`, which the image's health check calls. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { startDaemon } from "../support/daemon.ts"
import { carrel } from "./carrel.ts"

test("says that a running daemon is ready, and that a stopped one is not", async () => {
  const daemon = await startDaemon()
  try {
    const port = ["--port", new URL(daemon.url).port]
    expect(await carrel(["health", ...port], { data: daemon.data })).toEqual({ code: 0, out: "ready\n", err: "" })
    await daemon.stop()
    const stopped = await carrel(["health", ...port], { data: daemon.data })
    expect([stopped.code, stopped.out]).toEqual([1, ""])
    expect(stopped.err).toStartWith(`carrel: no daemon answers at ${daemon.url}/readyz`)
  } finally {
    await daemon.remove()
  }
}, 120_000)

test("the image runs as a user who is not root, and asks health of the daemon that it starts", () => {
  const [, image = ""] = readFileSync(join(import.meta.dir, "../../deploy/Dockerfile"), "utf8").split(
    /^(?=FROM debian)/m,
  )
  const uid = /^USER (\d+):\d+$/m.exec(image)![1]
  expect(Number(uid)).toBeGreaterThan(0)
  expect(image).toContain(`--uid ${uid} `)
  expect(image).toMatch(/^HEALTHCHECK .* CMD \["\/usr\/bin\/carrel", "health"\]$/m)
  expect(image).toMatch(/^ENTRYPOINT \["\/usr\/bin\/carrel"\]\nCMD \["serve"\]$/m)
  const folder = /CARREL_DATA=(\S+)/.exec(image)![1]
  expect(image).toContain(`--mode=0700 ${folder}`)
  expect(image).toContain(`VOLUME ${folder}`)
})
