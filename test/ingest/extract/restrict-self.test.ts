import { expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

test.skipIf(process.platform !== "linux")(
  "a restricted process opens no connection and starts no program, and still works",
  async () => {
    const directory = mkdtempSync(join(tmpdir(), "carrel-restrict-"))
    using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("reached") })
    const script = join(directory, "child.ts")
    const module = join(import.meta.dir, "../../../src/ingest/extract/restrict-self.ts")
    writeFileSync(
      script,
      `import { restrictSelf } from ${JSON.stringify(module)}
     const said = async action => { try { return await action() } catch (error) { return "refused" } }
     const attempts = async () => [
       await said(async () => (await fetch("http://127.0.0.1:${server.port}/", { keepalive: false })).text()),
       await said(() => Bun.spawnSync(["/bin/true"]).exitCode),
       await said(() => require("node:fs").readFileSync(${JSON.stringify(script)}).length > 0),
     ]
     const before = await attempts()
     const restricted = restrictSelf()
     process.stdout.write(JSON.stringify({ before, restricted, after: await attempts() }))`,
    )
    try {
      const child = Bun.spawn([process.execPath, script], { stdout: "pipe", stderr: "ignore" })
      const told = JSON.parse(await new Response(child.stdout).text())
      expect(told.before).toEqual(["reached", 0, true])
      if (!told.restricted) return // a kernel without seccomp: reading goes on without this fence
      expect(told.after).toEqual(["refused", "refused", true])
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  },
)
