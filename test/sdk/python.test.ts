/** The Python SDK: its own tests, against the real application. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { join, resolve } from "node:path"
import { startTestApp, type TestApp } from "../support/app.ts"
import { LLAMA, type OllamaStandIn, startOllama } from "../support/ollama.ts"
import { pythonWithHttpx } from "../support/sdks.ts"

const SDK = resolve(import.meta.dir, "../../sdk/python")
const python = pythonWithHttpx()
if (!python) console.warn("the Python SDK is not tested: there is no python3, or httpx cannot be installed")

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
