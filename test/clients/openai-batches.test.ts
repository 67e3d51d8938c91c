/** Batches with OpenAI's own clients, of npm and of Python, as docs/batches.md shows them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { type OllamaStandIn, startOllama } from "../support/ollama.ts"
import { MODEL } from "../support/talk.ts"
import { until } from "../support/until.ts"
import { npmClients, npmPackage, python, runPython } from "./installed.ts"

let app: TestApp
let ollama: OllamaStandIn
let client: Client
beforeAll(async () => {
  ollama = await startOllama()
  app = await startTestApp({ "ollama-host": ollama.server.url })
  client = await app.client()
})
afterAll(async () => {
  await app.stop()
  ollama.server.stop()
})

const chat = (customId: string, content = "Hi.", model = MODEL) => ({
  custom_id: customId,
  method: "POST",
  url: "/v1/chat/completions",
  body: { model, messages: [{ role: "user", content }] },
})

describe.skipIf(!npmClients)("the npm client", () => {
  // biome-ignore lint/suspicious/noExplicitAny: its types are not there
  let openai: any
  // biome-ignore lint/suspicious/noExplicitAny: the same
  let loaded: any
  beforeAll(async () => {
    loaded = await npmPackage("openai")
    openai = new loaded.OpenAI({ apiKey: client.key.token, baseURL: `${app.url}/v1`, maxRetries: 0 })
  })

  const upload = async (lines: unknown[]) => {
    const text = lines.map(line => JSON.stringify(line)).join("\n")
    return openai.files.create({ file: await loaded.toFile(Buffer.from(text), "requests.jsonl"), purpose: "batch" })
  }
  const make = async (lines: unknown[]) =>
    openai.batches.create({
      input_file_id: (await upload(lines)).id,
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
      metadata: { night: "1" },
    })
  const ended = (id: string) =>
    until(async () => {
      const batch = await openai.batches.retrieve(id)
      return ["completed", "failed", "cancelled"].includes(batch.status) && batch
    })
  const linesIn = async (fileId: string) =>
    (await (await openai.files.content(fileId)).text())
      .trim()
      .split("\n")
      .map((line: string) => JSON.parse(line))

  test("makes a batch, waits for it, and reads answers and errors by custom_id", async () => {
    const made = await make([chat("good"), chat("bad", "Hi.", "ollama/none")])
    expect(made).toMatchObject({
      object: "batch",
      status: "validating",
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
      metadata: { night: "1" },
      request_counts: { total: 0, completed: 0, failed: 0 },
    })
    const batch = await ended(made.id)
    expect(batch).toMatchObject({ status: "completed", request_counts: { total: 2, completed: 1, failed: 1 } })
    expect(batch.completed_at).toBeGreaterThanOrEqual(batch.created_at)
    const [good] = await linesIn(batch.output_file_id)
    expect(good).toMatchObject({ custom_id: "good", error: null, response: { status_code: 200 } })
    expect(good.response.body.choices[0].message.content).toBe("Hello from the model.")
    const [bad] = await linesIn(batch.error_file_id)
    expect(bad).toMatchObject({ custom_id: "bad", response: { status_code: 404 } })
    expect(bad.response.body.error.code).toBe("model_not_found")
    expect(await openai.files.retrieve(batch.output_file_id)).toMatchObject({ purpose: "batch_output" })
    expect(await openai.files.delete(batch.output_file_id)).toMatchObject({ deleted: true })
  })

  test("is told which line is wrong", async () => {
    const batch = await ended((await make([chat("twice"), chat("twice")])).id)
    expect(batch.errors.data).toEqual([
      {
        code: "duplicate_custom_id",
        line: 2,
        message: "custom_id: is that of line 1 already",
        param: "custom_id",
      },
    ])
  })

  test("lists batches page by page and cancels one", async () => {
    ollama.server.scenes.add("hang", { hang: true })
    const made = [await make([chat("a")]), await make([chat("b", "case-hang")])]
    const ids: string[] = []
    for await (const batch of openai.batches.list({ limit: 1 })) ids.push(batch.id)
    expect(ids.slice(0, 2)).toEqual(made.map(({ id }) => id).toReversed())
    expect((await openai.batches.cancel(made[1].id)).status).toBe("cancelling")
    expect((await ended(made[1].id)).status).toBe("cancelled")
  })

  test("is refused an endpoint that there is not, and a foreign file", async () => {
    const refused = (endpoint: string, file: string) =>
      openai.batches
        .create({ input_file_id: file, endpoint, completion_window: "24h" })
        .catch((error: unknown) => error)
    expect(await refused("/v1/moderations", (await upload([chat("a")])).id)).toBeInstanceOf(loaded.BadRequestError)
    expect(await refused("/v1/chat/completions", "file_none")).toBeInstanceOf(loaded.NotFoundError)
  })
})

test.skipIf(!python)(
  "the Python client does the same",
  async () => {
    const told = await runPython("batches.py", { BASE_URL: `${app.url}/v1`, TOKEN: client.key.token, MODEL })
    expect(told).toEqual({
      status: "completed",
      counts: [2, 1, 1],
      answers: { good: "Hello from the model." },
      errors: { bad: 404 },
      listed: true,
      line: 2,
    })
  },
  60_000,
)
