/** What the model list says, and which model a request means. */

import { afterEach, expect, test } from "bun:test"
import type { ChatBackendOptions } from "../../src/backends/backend-options.ts"
import { chatBackends, ModelCatalog } from "../../src/backends/index.ts"
import { labelOf } from "../../src/backends/probe.ts"
import { anAccount } from "../support/accounts.ts"
import { EMBEDDER, LLAMA, type OllamaStandIn, QWEN, startOllama } from "../support/ollama.ts"
import { startOpenAi } from "../support/openai.ts"
import { rejection } from "../support/rejection.ts"
import { until } from "../support/until.ts"

const running: { stop(): void }[] = []
afterEach(() => {
  for (const server of running.splice(0)) server.stop()
})

async function ollama(models?: Parameters<typeof startOllama>[0], port?: number): Promise<OllamaStandIn> {
  const standIn = await startOllama(models, port)
  running.push(standIn.server)
  return standIn
}

const catalog = (host: string, more: Partial<ChatBackendOptions> = {}, preferred = "") =>
  new ModelCatalog(
    chatBackends({
      ollamaHost: host,
      keepAlive: "",
      openAiBaseUrl: "",
      openAiApiKey: "",
      openAiContextTokens: 8_192,
      silenceMs: 5_000,
      queue: { parallel: 4, waiting: 4 },
      allowRemoteModels: false,
      ...more,
    }),
    preferred,
  )

const CLOUD = { ...QWEN, name: "gpt-oss:120b-cloud", digest: "cloud", remoteHost: "https://ollama.com:443" }

test("chat models with all fields; no embedding models; one default", async () => {
  const { server } = await ollama([{ ...LLAMA, loadedContext: 4_096 }, QWEN, EMBEDDER])
  const models = await catalog(server.url).list(null)
  expect(models.map(model => model.value)).toEqual(["ollama/llama3.2:3b", "ollama/qwen3:8b", "builtin/extractive"])
  expect(models[0]).toEqual({
    label: "Llama 3.2 3B",
    value: "ollama/llama3.2:3b",
    available: true,
    status: "loaded",
    status_reason: null,
    provider: "ollama",
    local: true,
    capabilities: ["chat", "tools"],
    context_length: 131_072,
    size_bytes: 2_019_393_189,
    default: true,
    checked_at: expect.stringMatching(/^\d{4}-.*Z$/),
  })
  expect(models[1]).toMatchObject({ status: "ready", capabilities: ["chat", "tools", "thinking"], default: false })
})

test("without a model server only the built-in mode is there, at once, and is the default", async () => {
  const models = await catalog("http://127.0.0.1:9").list(null)
  expect(models).toHaveLength(1)
  expect(models[0]).toMatchObject({ value: "builtin/extractive", available: true, default: true, local: true })
})

test("a server that accepts and says nothing delays the list for a probe's time, not for that of a silent reply", async () => {
  const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } })
  running.push({ stop: () => silent.stop(true) })
  const started = performance.now()
  const models = await catalog(`http://127.0.0.1:${silent.port}`, { silenceMs: 60_000 }).list(null)
  expect(performance.now() - started).toBeLessThan(20_000)
  expect(models.map(model => model.value)).toEqual(["builtin/extractive"])
})

test("models of a server that died are listed as unavailable, and come back", async () => {
  const standIn = await ollama()
  const models = catalog(standIn.server.url)
  const port = Number(new URL(standIn.server.url).port)
  await models.list(null)
  standIn.server.stop()
  const dead = await until(async () =>
    (await models.list(null)).find(model => model.value === "ollama/llama3.2:3b" && !model.available),
  )
  expect(await rejection(models.resolve("ollama/none", null, anAccount()))).toMatchObject({ code: "model_not_found" })
  expect(dead).toMatchObject({ available: false, status: "unavailable", default: false })
  expect(dead?.status_reason).toContain("does not answer")
  expect(await rejection(models.resolve("llama3.2:3b", null, anAccount()))).toMatchObject({ code: "model_unavailable" })
  expect((await models.resolve(undefined, null, anAccount())).info.value).toBe("builtin/extractive")
  await ollama(undefined, port)
  const { info } = await until(() => models.resolve("llama3.2:3b", null, anAccount()).catch(() => undefined))
  expect(info.status).toBe("ready")
})

test("models that run elsewhere are not local, and unavailable unless allowed", async () => {
  const { server } = await ollama([CLOUD, LLAMA])
  const barred = (await catalog(server.url).list(null))[0]
  expect(barred).toMatchObject({ local: false, available: false, default: false })
  expect(barred?.status_reason).toContain("ollama.com")
  expect(await rejection(catalog(server.url).resolve(CLOUD.name, null, anAccount()))).toMatchObject({
    code: "model_unavailable",
  })
  const allowed = (await catalog(server.url, { allowRemoteModels: true }).list(null))[0]
  expect(allowed).toMatchObject({ local: false, available: true, default: false })
})

test("names: value, bare name, :latest; unknown ones and embedding models are not found", async () => {
  const { server } = await ollama([{ ...LLAMA, name: "mistral:latest" }, EMBEDDER])
  const models = catalog(server.url)
  for (const name of ["ollama/mistral:latest", "mistral:latest", "mistral", "ollama/mistral"])
    expect((await models.resolve(name, null, anAccount())).name).toBe("mistral:latest")
  for (const name of ["none", "ollama/none", "nomic-embed-text", "openai/mistral", ""])
    if (name)
      expect(await rejection(models.resolve(name, null, anAccount()))).toMatchObject({ code: "model_not_found" })
})

test("an unknown name is told which models there are, some of many", async () => {
  const few = await rejection(catalog((await ollama([LLAMA, EMBEDDER])).server.url).resolve("gpt-9", null, anAccount()))
  expect(few).toMatchObject({
    message: 'there is no model "gpt-9"; there are ollama/llama3.2:3b, builtin/extractive',
    hint: expect.stringContaining("/external/models"),
  })
  const hundred = Array.from({ length: 100 }, (_, i) => ({ ...LLAMA, name: `llama-${i}:latest` }))
  const many = await rejection(catalog((await ollama(hundred)).server.url).resolve("gpt-9", null, anAccount()))
  expect((many as Error).message).toEndWith("ollama/llama-19:latest and 81 more")
})

test("a model that was pulled a moment ago is found", async () => {
  const standIn = await ollama([LLAMA])
  const models = catalog(standIn.server.url)
  await models.list(null)
  standIn.models.push(QWEN)
  const { name } = await until(() => models.resolve("qwen3:8b", null, anAccount()).catch(() => undefined))
  expect(name).toBe("qwen3:8b")
})

test("the configured default wins while it is available", async () => {
  const { server } = await ollama()
  expect((await catalog(server.url, {}, "qwen3:8b").resolve(undefined, null, anAccount())).name).toBe("qwen3:8b")
  expect((await catalog(server.url, {}, "gone:1b").resolve(undefined, null, anAccount())).name).toBe("llama3.2:3b")
})

test("an OpenAI-compatible server stands beside Ollama", async () => {
  const { server } = await ollama([LLAMA])
  const openai = await startOpenAi([
    { id: "mistral-7b", max_model_len: 32_768 },
    { id: "/models/phi-4.Q4_K_M.gguf", meta: { n_ctx: 4_096, size: 1_000 } },
    { id: "text-embedding-3", max_model_len: 512 },
  ])
  running.push(openai)
  const models = await catalog(server.url, { openAiBaseUrl: `${openai.url}/v1` }).list(null)
  expect(models.map(model => [model.value, model.context_length])).toEqual([
    ["ollama/llama3.2:3b", 131_072],
    ["openai/mistral-7b", 32_768],
    ["openai//models/phi-4.Q4_K_M.gguf", 4_096],
    ["builtin/extractive", null],
  ])
})

test.each([
  ["llama3.2:3b", "Llama 3.2 3B"],
  ["qwen3:8b", "Qwen 3 8B"],
  ["mistral:latest", "Mistral"],
])("%s is shown as %s", (name, label) => {
  expect(labelOf(name)).toBe(label)
})
