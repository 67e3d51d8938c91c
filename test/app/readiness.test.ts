/** What is said of an embedding model that does not answer, and of one that answers again. */
import { afterAll, afterEach, expect, setDefaultTimeout, test } from "bun:test"
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { WatchedEmbedder } from "../../src/backends/watched-embedder.ts"
import { describeModelFolders } from "../../src/commands/doctor-models.ts"
import { readConfig } from "../../src/config.ts"
import { setLogSink } from "../../src/log.ts"
import { startTestApp, type TestApp } from "../support/app.ts"
import { rejection } from "../support/rejection.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(60_000)
setLogSink(() => {})

const root = mkdtempSync(join(tmpdir(), "carrel-readiness-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const ready = async ({ url }: TestApp): Promise<[number, string]> => {
  const response = await fetch(`${url}/readyz`)
  return [response.status, (await response.json()).status]
}
const settled = async (app: TestApp): Promise<[number, string]> => {
  await until(async () => (await ready(app))[1] !== "starting")
  return ready(app)
}
const modelGauge = async ({ url }: TestApp, model: string): Promise<string> =>
  new RegExp(`^carrel_embedding_model.*model="${model}".*status="(\\w+)"`, "m").exec(
    await (await fetch(`${url}/metrics`)).text(),
  )![1]!

/** A server of one embedding model; `down` makes it refuse. */
function embeddingServer() {
  const state = { down: false }
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (!request.url.endsWith("/api/embed")) return new Response(null, { status: 404 })
      const { input } = (await request.json()) as { input: string[] }
      if (state.down) return new Response("{}", { status: 500 })
      return Response.json({ embeddings: input.map(text => [text.length, 1, 2, 3]) })
    },
  })
  return { state, host: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) }
}

const open: { stop(): unknown }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.stop()
})

test("without the named model, which does not load, the daemon is degraded, and search goes by the built-in one", async () => {
  cpSync(join(import.meta.dir, "../fixtures/models/tiny-mean"), join(root, "damaged"), { recursive: true })
  writeFileSync(join(root, "damaged/onnx/model.onnx"), "not a model")
  const settings = { "models-dir": root, "embedding-model": "damaged" }
  const app = await startTestApp(settings)
  open.push(app)
  const client = await app.client()
  await client.index([{ name: "a.txt", data: "The river is wide." }])
  await until(async () => (await ready(app))[1] === "degraded") // the model is loaded when there is something for it to do
  expect(await modelGauge(app, "damaged")).toBe("failing")
  const { body } = await client.post("/search", { query: "river" })
  expect(body).toMatchObject({
    degraded: null,
    index: { vectors: { done: 0, total: 1 } },
    hits: [{ text: "The river is wide." }],
  })
  const { config } = readConfig(["--data", app.data, "--models-dir", root, "--embedding-model", "damaged"], {})
  expect((await describeModelFolders(config))[1]).toMatchObject({
    state: "problem",
    text: expect.stringContaining("cannot be opened"),
  })
})

test("while a model server is down the daemon is degraded, and ready again when the server answers", async () => {
  const server = embeddingServer()
  const app = await startTestApp({ "ollama-host": server.host, "embedding-model": "ollama/letters" })
  open.push(app, server)
  expect(await settled(app)).toEqual([200, "ready"])
  const client = await app.client()
  await client.index([{ name: "a.txt", data: "The river is wide." }])
  server.state.down = true
  const { body } = await client.post("/search", { query: "river" }) // the built-in model answers
  expect(body.degraded).not.toBe("keyword_only")
  expect(await ready(app)).toEqual([200, "degraded"])
  expect(await modelGauge(app, "ollama/letters")).toBe("failing")
  server.state.down = false
  await client.post("/search", { query: "river" })
  expect(await ready(app)).toEqual([200, "ready"])
})

test("a library whose model server is down starts, and finds by meaning once the server answers", async () => {
  const server = embeddingServer()
  const settings = { "ollama-host": server.host, "embedding-model": "ollama/letters" }
  const app = await startTestApp(settings)
  open.push(app)
  const client = await app.client()
  await client.index([{ name: "a.txt", data: "The river is wide." }])
  server.stop()
  await app.restart()
  await until(async () => (await ready(app))[1] === "degraded")
  expect((await client.post("/search", { query: "river" })).body.degraded).not.toBe("keyword_only")
  const { port } = new URL(server.host)
  open.push(
    Bun.serve({
      port: Number(port),
      hostname: "127.0.0.1",
      fetch: async request => {
        const { input = [] } = (await request.json()) as { input?: string[] }
        return Response.json({ embeddings: input.map(text => [text.length, 1, 2, 3]) })
      },
    }),
  )
  await client.post("/search", { query: "river" })
  expect(await ready(app)).toEqual([200, "ready"])
})

test("a library that never had vectors does not start without its model server", async () => {
  const failed = startTestApp({ "ollama-host": "http://127.0.0.1:9", "embedding-model": "ollama/letters" })
  expect(await rejection(failed)).toMatchObject({ code: "model_unavailable" })
})

test("a model that failed counts as well again by itself, without anybody asking it", async () => {
  let works = false
  const embedder = new WatchedEmbedder(
    {
      model: "letters",
      dimensions: 1,
      fusionWeight: 0.5,
      embed: async texts => {
        if (!works) throw new Error("down")
        return texts.map(() => new Float32Array(1))
      },
      close: async () => {},
    },
    { retryMs: 1 },
  )
  expect(embedder.state).toBe("starting")
  embedder.watch()
  await until(() => embedder.state === "failing")
  works = true
  await until(() => embedder.state === "answering")
  await embedder.close()
})

test("a call that its caller gave up says nothing of the model", async () => {
  const embedder = new WatchedEmbedder({
    model: "letters",
    dimensions: 1,
    fusionWeight: 0.5,
    embed: async (_texts, _role, signal) => {
      throw signal!.reason
    },
    close: async () => {},
  })
  const gone = AbortSignal.abort(new Error("gone"))
  expect((await rejection(embedder.embed(["a"], "query", gone))).message).toBe("gone")
  expect(embedder.state).toBe("starting")
})
