/** The Go SDK: its own tests, and the examples of its README, against the real application. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { startTestApp, type TestApp } from "../support/app.ts"
import { LLAMA, type OllamaStandIn, startOllama } from "../support/ollama.ts"
import { goOfSdk } from "../support/sdks.ts"

const SDK = resolve(import.meta.dir, "../../sdk/go")
const go = goOfSdk()
if (!go) console.warn("the Go SDK is not tested: there is no go, or one older than its go.mod asks")
const MINUTES_3 = 180_000

let app: TestApp
let ollama: OllamaStandIn
let token: string

beforeAll(async () => {
  ollama = await startOllama([LLAMA])
  ollama.server.scenes.add("gosdk", { text: "Six — ستة 六 🦡 months." })
  ollama.server.scenes.add("gosdkrun", { text: "It is six months." })
  ollama.server.scenes.add("gosdkerror", { status: 500, error: "boom" })
  app = await startTestApp({ "ollama-host": ollama.server.url })
  const { key } = await app.client()
  token = [key.client_id, key.private_key, key.secret].join(".")
}, 60_000)

afterAll(async () => {
  await app.stop()
  ollama.server.stop()
})

async function run(folder: string, ...args: string[]): Promise<string> {
  const child = Bun.spawn([go!, ...args], {
    cwd: folder,
    env: {
      ...process.env,
      ...{ CARREL_URL: app.url, CARREL_TOKEN: token, CARREL_TEST_MODEL: `ollama/${LLAMA.name}` },
      ...{ GOFLAGS: "-mod=mod", GOPROXY: "off", GOTOOLCHAIN: "local" }, // the standard library alone
    },
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  const said = `${out}${err}`
  expect([await child.exited, said]).toEqual([0, expect.anything()])
  expect(said).not.toContain(token.split(".")[2]!)
  return said
}

describe.skipIf(!go)("the Go SDK", () => {
  test("is as gofmt writes it and passes vet", async () => {
    expect(Bun.spawnSync([join(go!, "../gofmt"), "-l", SDK]).stdout.toString()).toBe("")
    await run(SDK, "vet", "./...")
  }, 120_000)

  test(
    "passes its own tests",
    async () => {
      expect(await run(SDK, "test", "-count=1", "./...")).toMatch(/^ok\s/m)
    },
    MINUTES_3,
  )

  test(
    "its README's examples run",
    async () => {
      const examples = [...readFileSync(join(SDK, "README.md"), "utf8").matchAll(/```go\n(package main[\s\S]*?)```/g)]
      expect(examples.length).toBeGreaterThan(2)
      const folder = mkdtempSync(join(tmpdir(), "carrel-go-"))
      writeFileSync(
        join(folder, "go.mod"),
        `module example\n\ngo 1.24\n\nrequire carrel.internal/sdk v0.0.0\n\nreplace carrel.internal/sdk => ${SDK}\n`,
      )
      for (const [at, [, code]] of examples.entries()) {
        mkdirSync(join(folder, `${at}`))
        writeFileSync(join(folder, `${at}/main.go`), code!)
        const said = await run(folder, "run", `./${at}`)
        if (at === 0) expect(said).toContain("The notice period is six months.")
      }
      rmSync(folder, { recursive: true })
    },
    MINUTES_3,
  )
})
