/** The command line of the executable: what differs from source is what it unpacks, and how it calls itself. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { BUILD_TIMEOUT_MS, executable } from "../support/executable.ts"

const LIMIT_MS = 120_000

let carrel: string
const folder = mkdtempSync(join(tmpdir(), "carrel-command-line-"))
beforeAll(async () => {
  carrel = await executable()
}, BUILD_TIMEOUT_MS)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function run(...args: string[]) {
  const child = Bun.spawn([carrel, ...args], {
    cwd: folder,
    env: { CARREL_OLLAMA_HOST: "http://127.0.0.1:9" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, out, err }
}

test(
  "unpacking tells its parent how far it is, up to the last byte",
  async () => {
    const { code, out } = await run("unpack", "models", join(folder, "native"))
    expect(code).toBe(0)
    const done = out.trim().split("\n").map(Number)
    expect(done.every((bytes, i) => bytes > (done[i - 1] ?? 0))).toBe(true)
    expect(done.at(-1)).toBeGreaterThan(1_000_000)
  },
  LIMIT_MS,
)

test(
  "the daemon reads carrel.toml, its banner names itself and the directory, and commands find its address",
  async () => {
    const data = join(folder, "it's data")
    await run("keys", "create", "--name", "first", "--data", data)
    writeFileSync(join(data, "carrel.toml"), 'port = 0\nlog_level = "warn"\n')
    const daemon = Bun.spawn([carrel, "serve", "--data", data], {
      cwd: folder,
      env: { CARREL_OLLAMA_HOST: "http://127.0.0.1:9" },
      stdout: "pipe",
      stderr: "pipe",
    })
    try {
      let said = ""
      for await (const chunk of daemon.stderr.pipeThrough(new TextDecoderStream())) {
        said += chunk
        if (said.includes("Create a key")) break
      }
      const address = /Console +(http:\/\/127\.0\.0\.1:\d+)\/setup\?token=/.exec(said)![1]
      expect(said).toContain(`${carrel} keys create --name NAME --data '${join(folder, "it'\\''s data")}'`)
      expect((await run("users", "setup-link", "--data", data)).out).toStartWith(`${address}/setup?token=`)
    } finally {
      daemon.kill()
      expect(await daemon.exited).toBe(0)
    }
    expect(await new Response(daemon.stdout).text()).toBe("") // nothing at warn
    const wrong = await run("verify", carrel)
    expect([wrong.code, wrong.out]).toEqual([1, ""])
    expect(wrong.err).toMatch(/^carrel: .* is not a backup, or it is truncated or damaged\n {2}→ .*\n$/)
  },
  LIMIT_MS,
)
