/** The Python SDK: its own tests, against the real application. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { startTestApp, type TestApp } from "../support/app.ts"
import { LLAMA, type OllamaStandIn, startOllama } from "../support/ollama.ts"

const ROOT = resolve(import.meta.dir, "../..")
const SDK = join(ROOT, "sdk/python")
/** Python of another version: `CARREL_TEST_PYTHON=python3.9`. */
const PYTHON = Bun.env.CARREL_TEST_PYTHON ?? "python3"
const VENV = join(ROOT, ".build", `sdk-${PYTHON.replaceAll("/", "-")}`)

const python = pythonWithHttpx()
if (!python) console.warn("the Python SDK is not tested: there is no python3, or httpx cannot be installed")

/** A Python 3.9 or newer that has httpx, in an environment of its own. */
function pythonWithHttpx(): string | undefined {
  const own = join(VENV, "bin/python")
  const works = () => existsSync(own) && Bun.spawnSync([own, "-c", "import httpx"]).exitCode === 0
  if (works()) return own
  const system = Bun.which(PYTHON)
  if (!system) return undefined
  Bun.spawnSync([system, "-m", "venv", VENV])
  Bun.spawnSync([own, "-m", "pip", "install", "--quiet", "httpx>=0.26,<1"])
  return works() ? own : undefined
}

let app: TestApp
let ollama: OllamaStandIn

beforeAll(async () => {
  ollama = await startOllama([LLAMA])
  app = await startTestApp({ "ollama-host": ollama.server.url })
}, 60_000)

afterAll(async () => {
  await app.stop()
  ollama.server.stop()
})

describe.skipIf(!python)("the Python SDK", () => {
  test("passes its own tests, the examples of its README among them", async () => {
    const { key } = await app.client()
    const child = Bun.spawn([python!, "-m", "unittest", "discover", "--start-directory", "tests"], {
      cwd: SDK,
      env: {
        ...process.env,
        PYTHONPATH: join(SDK, "src"),
        PYTHONDONTWRITEBYTECODE: "1",
        CARREL_URL: app.url,
        CARREL_TOKEN: [key.client_id, key.private_key, key.secret].join("."),
        CARREL_TEST_MODEL: `ollama/${LLAMA.name}`,
      },
      stdout: "pipe",
      stderr: "pipe",
    })
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    expect([await child.exited, `${out}${err}`]).toEqual([0, expect.stringMatching(/\nOK\n/)])
    expect(out + err).not.toContain(key.secret)
  }, 180_000)
})
