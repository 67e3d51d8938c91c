/**
 * Redaction seen from the far side: stand-ins for a model server and an external tool server record every byte that
 * they get, and values planted in every field of every request, and in everything that a model can write, must not be
 * among them, nor in the data directory, the log, or any answer.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import { Glob } from "bun"
import { setLogLevel, setLogSink } from "../../src/log.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import type { ModelServer } from "../support/model-server.ts"
import { LLAMA, startOllama } from "../support/ollama.ts"
import { startOpenAi } from "../support/openai.ts"
import { createNotebook } from "./notebook.ts"

/** What callers plant: an address that tells its field, a card number, a password. */
const mail = (field: string) => `${field.replaceAll("_", "-")}@leak.example`
const CARD = "4111111111111111"
const SPACED_CARD = "4111 1111 1111 1111"
const PASSWORD = "Hunter2leak!"
/** What the library holds: on disk, because it was uploaded, but for nobody's eyes in a chat. */
const FILED = "anna.berg@filed.example"
const LEAKS = ["leak.example", CARD, SPACED_CARD, "4111-1111-1111-1111", PASSWORD]

/** Bodies with a plant in every field that takes words; `null` marks fields that hold none, and where their plant is. */
const options = { temperature: 0.1, top_p: 0.5, max_tokens: 50, seed: Number(CARD), stop: [mail("stop"), "END"] }
const schema = (field: string) => ({
  type: "object",
  title: mail(`${field}-title`),
  description: `Ask ${mail(`${field}-description`)} or ${SPACED_CARD}`,
  properties: {
    answer: { type: "string", enum: ["yes", mail(`${field}-enum`)], default: mail(`${field}-default`) },
    days: { type: "integer", const: Number(CARD) },
  },
})
const metadata = (field: string) => ({
  [mail(`${field}-key`)]: mail(`${field}-value`),
  nested: [{ [CARD]: { password: PASSWORD, phone: Number(CARD) } }],
})
const turnFields = (route: string) => ({
  title: `Title ${mail(`${route}-title`)}`,
  system_prompt: `You write to ${mail(`${route}-system`)}`,
  use_library: true,
  options,
  thinking: true,
  response_format: schema(`${route}-format`),
  additional_metadata: metadata(`${route}-metadata`),
})
/**
 * Fields that name something: what does not exist is refused, and their plants stand in requests of their own. An end user is
 * the caller's own name for somebody, and kept as it is.
 */
const NAMES = ["model", "context_id", "file_ids", "filter", "tools", "conversation_id", "redaction", "end_user"]
/** One of a few words that are ours. */
const CHOICES = ["reading", "history", "pinned"]
/** Refused under redaction, and planted where their own tests are: `test/chat/images.test.ts`, `test/chat/history.test.ts`. */
const ELSEWHERE = ["images", "summary"]

describe.each([
  ["enforced by the daemon", { "enforce-redaction": "true" }, {}],
  ["asked for in the request", {}, { redaction: true }],
] as const)("redaction %s", (_, settings, asked) => {
  let app: TestApp
  let client: Client
  let ollama: ModelServer
  let openai: ModelServer
  let tools: ReturnType<typeof Bun.serve>
  const folder = mkdtempSync(join(tmpdir(), "carrel-far-"))
  const toldToTools: string[] = []
  const answers: string[] = []
  const lines: string[] = []

  /** Every answer is kept, whatever became of the request. */
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const given = body === undefined ? undefined : { ...asked, ...(body as object) }
    const response = await client.raw(method, path, given, headers)
    const text = await response.text()
    answers.push(`${method} ${path} ${response.status}\n${JSON.stringify([...response.headers])}\n${text}`)
    return { status: response.status, text }
  }
  const json = async (method: string, path: string, body?: unknown) => {
    const { status, text } = await ask(method, path, body, { accept: "application/json" })
    return { status, body: JSON.parse(text || "null") }
  }

  beforeAll(async () => {
    setLogLevel("debug")
    setLogSink(line => lines.push(line))
    ollama = (await startOllama([{ ...LLAMA, capabilities: ["completion", "tools", "thinking"] }])).server
    openai = await startOpenAi()
    tools = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        toldToTools.push(`${request.url} ${JSON.stringify([...request.headers])} ${await request.clone().text()}`)
        const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
        await createNotebook().connect(transport)
        return transport.handleRequest(request)
      },
    })
    const mcp = join(folder, "mcp.json")
    writeFileSync(mcp, JSON.stringify({ mcpServers: { book: { url: tools.url.href } } }))
    app = await startTestApp({
      ...settings,
      "ollama-host": ollama.url,
      "openai-base-url": `${openai.url}/v1`,
      "mcp-config": mcp,
      "query-rewriting": "auto",
      "log-level": "debug",
    })
    client = await app.client()
    await client.index([
      { name: `boats ${FILED}.txt`, data: `Boats are kept by ${FILED}. Boats are painted in spring.` },
      { name: "costs.csv", data: `boat,owner\nLark,${FILED}\n` },
    ])
  })
  afterAll(async () => {
    await app?.stop()
    await tools?.stop(true)
    ollama?.stop()
    openai?.stop()
    rmSync(folder, { recursive: true, force: true })
    setLogLevel("error")
    setLogSink(line => void process.stdout.write(`${line}\n`))
  })

  const onDisk = () => {
    const found: string[] = []
    for (const path of new Glob("**/*").scanSync({ cwd: app.data, dot: true })) {
      const content = readFileSync(join(app.data, path)).toString("latin1")
      for (const leak of LEAKS) if (content.includes(leak)) found.push(`${path}: ${around(content, leak)}`)
    }
    return found
  }
  const leaksIn = (texts: readonly string[], values: readonly string[]) =>
    texts.flatMap(text => values.filter(value => text.includes(value)).map(value => around(text, value)))

  /** Looks everywhere; the first finding tells what stands around it. */
  const expectNoLeak = () => {
    const outside = [...LEAKS, FILED]
    expect({ model: leaksIn([...ollama.heard, ...openai.heard], outside) }).toEqual({ model: [] })
    expect({ tools: leaksIn(toldToTools, outside) }).toEqual({ tools: [] })
    expect({ answers: leaksIn(answers, outside) }).toEqual({ answers: [] })
    expect({ log: leaksIn(lines, outside) }).toEqual({ log: [] })
    expect({ disk: onDisk() }).toEqual({ disk: [] })
  }

  const MODELS = ["ollama/llama3.2:3b", "openai/mistral-7b"]

  test("every field of a request is planted here, or names something and is planted below", async () => {
    const { body: document } = await new ClientOfDocs(app.url).document()
    const routes = {
      "/external/conversations post": { message: 1, ...turnFields("a") },
      "/external/conversations/{conversation_id} post": { message: 1, ...turnFields("a") },
      "/external/conversations/{conversation_id} patch": { title: 1, folder: 1, additional_metadata: 1 },
      "/external/conversations/{conversation_id}/messages/{message_id}/regenerate post": {
        message: 1,
        ...turnFields("a"),
      },
      "/external/start-conversation post": { message: 1, initial_message: 1, ...turnFields("a") },
      "/external/send post": { message: 1, ...turnFields("a") },
      "/external/continue post": { message: 1, ...turnFields("a") },
      "/external/agents/run post": {
        task: 1,
        timeout_seconds: 1,
        approval_timeout_seconds: 1,
        max_steps: 1,
        output_schema: 1,
        additional_metadata: 1,
      },
    }
    for (const [route, planted] of Object.entries(routes)) {
      const [path, method] = route.split(" ") as [string, string]
      const operation = document.paths[`/external-docs${path}`][method]
      const { schema: form } = operation.requestBody.content["application/json"]
      const fields = Object.keys(form.properties ?? form.anyOf?.[0]?.properties ?? {}).sort()
      expect(fields.length).toBeGreaterThan(1)
      const known = [...Object.keys(planted), ...NAMES, ...CHOICES, ...ELSEWHERE]
      const inner = Object.keys(form.properties?.options?.properties ?? {}).sort()
      if (form.properties?.options) expect({ route, inner }).toEqual({ route, inner: Object.keys(options).sort() })
      expect({ route, unplanted: fields.filter(field => !known.includes(field)) }).toEqual({ route, unplanted: [] })
    }
  })

  test.each(MODELS)(
    "conversations with %s, asked in every way",
    async model => {
      for (const server of [ollama, openai])
        server.scenes.add("talk", {
          thinking: `I think of ${mail("thought")} and ${SPACED_CARD} now `,
          text: `Write to ${mail("reply")} with card ${SPACED_CARD} and password: ${PASSWORD} for the boats [1].`,
        })
      const message = (route: string) => `case-talk Where are boats? I am ${mail(route)}, card ${CARD}`
      const streamed = await ask("POST", "/conversations", {
        message: message("create"),
        model,
        ...turnFields("create"),
      })
      expect(streamed.status).toBe(200)
      const id = /conv_[0-9a-z]+/.exec(streamed.text)![0]
      expect(streamed.text).toContain("[REDACTED_EMAIL]")
      await ask("POST", `/conversations/${id}`, { message: message("follow"), ...turnFields("follow") })
      await ask("POST", `/conversations/${id}`, { message: "case-talk and it?" })
      await json("POST", "/send", { conversation_id: id, message: message("send"), ...turnFields("send") })
      const continued = { conversation_id: id, model, message: message("continue"), ...turnFields("continue") }
      await json("POST", "/continue", continued)
      const started = await json("POST", "/start-conversation", {
        initial_message: message("start"),
        model,
        ...turnFields("start"),
      })
      expect(started.body.messages).toHaveLength(2)
      const change = {
        title: `By ${mail("patched")}`,
        folder: `Of ${mail("patched")}`,
        additional_metadata: metadata("patched"),
      }
      const changed = await client.patch(`/conversations/${id}`, change)
      expect(changed.body.title).toContain("[REDACTED_EMAIL]")
      expect(changed.body.folder).toContain("[REDACTED_EMAIL]")
      expect(Object.keys(changed.body.additional_metadata)).toEqual(["[REDACTED_EMAIL]", "nested"])
      const { body } = await json("GET", `/conversations/${id}`)
      const last = body.messages.at(-1).id
      await ask("POST", `/conversations/${id}/messages/${last}/regenerate`, {
        message: message("again"),
        ...turnFields("again"),
      })
      for (const path of [`/conversations/${id}`, `/conversations/${id}/events`, "/conversations"])
        await ask("GET", path)
      expectNoLeak()
    },
    60_000,
  )

  test.each(MODELS)(
    "responses of %s, kept and not, with tools of the caller",
    async model => {
      const args = { [mail("call-key")]: mail("call"), card: CARD }
      const text = `Write to ${mail("response")} with card ${SPACED_CARD} for the boats [1].`
      for (const server of [ollama, openai])
        server.scenes.add("response", (_, count) =>
          count % 3 === 0 ? { text, tools: [{ name: "note", arguments: args }] } : { text },
        )
      const v1 = client.under("")
      const respond = async (body: object) => {
        const carrel = "redaction" in asked ? { carrel: asked } : {}
        const response = await v1.raw("POST", "/v1/responses", { model, ...carrel, ...body })
        const told = await response.text()
        answers.push(told)
        expect([response.status, told]).toEqual([200, told])
        return told
      }
      const tools = [
        {
          type: "function",
          name: "note",
          description: `Notes for ${mail("tool")}`,
          parameters: { type: "object", properties: { card: { type: "string", description: mail("parameter") } } },
        },
      ]
      const more = { tools, instructions: `You write to ${mail("instructions")}`, metadata: metadata("response") }
      const input = `case-response Where are boats? I am ${mail("input")}, card ${CARD}`
      const first = JSON.parse(await respond({ ...more, input, model: `library/${model}` }))
      const { call_id, name } = first.output.find((item: { type: string }) => item.type === "function_call")
      const output = { type: "function_call_output", call_id, output: `noted for ${mail("output")}` }
      await respond({ ...more, input: [output], previous_response_id: first.id, include: ["file_search_call.results"] })
      const call = { type: "function_call", call_id: mail("call-id"), name, arguments: JSON.stringify(args) }
      const exchange = [{ role: "user", content: input }, call, { ...output, call_id: mail("call-id") }]
      await respond({ ...more, input: exchange, stream: true })
      await respond({ ...more, input, store: false })
      for (const path of [`/v1/responses/${first.id}?include=file_search_call.results`]) {
        const response = await v1.raw("GET", path)
        answers.push(await response.text())
      }
      await ask("GET", `/conversations/${first.conversation.id}`)
      expectNoLeak()
    },
    60_000,
  )

  test.each(MODELS)(
    "errors of the server of %s, in its every form",
    async model => {
      const said = `no room for ${mail("error")} and ${SPACED_CARD}`
      for (const server of [ollama, openai]) {
        server.scenes.add("refused", { status: 500, error: said })
        server.scenes.add("broken", { pieces: ["Boats ", "are "], errorAfter: 2, error: said })
        server.scenes.add("garbage", { pieces: ["Boats "], garbageAfter: 1, error: `<b>${said}</b>` })
      }
      for (const name of ["refused", "broken", "garbage"]) {
        const failed = await json("POST", "/start-conversation", { message: `case-${name} boats`, model })
        expect(failed.body.error).toMatchObject({
          code: "model_error",
          hint: expect.stringContaining("[REDACTED_EMAIL]"),
        })
        await ask("POST", "/conversations", { message: `case-${name} boats`, model })
        const { conversation_id, message_id } = failed.body.error.details[0]
        const kept = await json("GET", `/conversations/${conversation_id}`)
        expect(kept.body.messages.at(-1)).toMatchObject({ id: message_id, error: { code: "model_error" } })
        const run = await json("POST", "/agents/run", { task: `case-${name} boats`, model })
        expect(run.body.error.code).toBe("model_error")
        await ask("GET", `/agents/runs/${run.body.error.details[0].run_id}`)
      }
      expectNoLeak()
    },
    60_000,
  )

  test.each(MODELS)(
    "runs with %s that call every tool with planted names, keys and values",
    async model => {
      const calls = [
        {
          name: "book.note",
          arguments: {
            [mail("argument-key")]: mail("argument"),
            deep: [{ [SPACED_CARD]: mail("deep") }],
            [CARD]: Number(CARD),
            password: PASSWORD,
          },
        },
        { name: mail("tool-name"), arguments: { [mail("ghost-key")]: 1 } },
        { name: "search_library", arguments: { query: `boats of ${mail("query")}`, [mail("extra")]: 1 } },
        { name: "search_library", arguments: { query: "boats" } },
        { name: "list_files", arguments: {} },
        { name: "read_file", arguments: { file_id: mail("file-id") } },
        { name: "query_table", arguments: { file_id: mail("table-id"), sql: `select '${mail("sql")}'` } },
        { name: "calculate", arguments: { expression: `1 + ${mail("expression")}` } },
        { name: "current_time", arguments: { timezone: mail("zone") } },
      ]
      const answer = { answer: mail("answer"), [mail("answer-key")]: Number(CARD), password: PASSWORD }
      const protocol = (value: object) => ({ text: JSON.stringify(value) })
      ollama.scenes.add("work", (__, count) => (count % 2 === 0 ? { tools: calls } : { text: JSON.stringify(answer) }))
      openai.scenes.add("work", (__, count) =>
        count % 2 === 0 ? protocol({ tool_calls: calls }) : protocol({ final_answer: answer }),
      )
      const before = toldToTools.length
      const { status, body } = await json("POST", "/agents/run", {
        task: `case-work Find boats for ${mail("task")}, card ${SPACED_CARD}`,
        model,
        tools: ["search_library", "read_file", "list_files", "query_table", "calculate", "current_time", "book.*"],
        output_schema: {
          type: "object",
          description: `For ${mail("schema-description")}`,
          properties: { answer: { type: "string", description: mail("schema-answer") } },
          required: ["answer"],
        },
        additional_metadata: metadata("run"),
      })
      expect({ status, steps: body.steps?.length }).toEqual({ status: 200, steps: calls.length })
      expect(body.steps[0].arguments).toMatchObject({ "[REDACTED_EMAIL]": "[REDACTED_EMAIL]" })
      expect(body.steps[1].name).toBe("[REDACTED_EMAIL]")
      expect(Object.keys(body.structured_output)).toEqual(["answer", "[REDACTED_EMAIL]", "password"])
      expect(toldToTools.slice(before).some(told => told.includes("[REDACTED_EMAIL]"))).toBe(true)
      for (const path of [`/agents/runs/${body.run_id}`, `/agents/runs/${body.run_id}/events`, "/agents/runs"])
        await ask("GET", path)
      expectNoLeak()
    },
    60_000,
  )

  test.each(MODELS)(
    "an answer of %s that never meets the schema",
    async model => {
      const wrong = { [mail("surplus")]: mail("wrong"), other: SPACED_CARD }
      ollama.scenes.add("wrong", { text: JSON.stringify(wrong) })
      openai.scenes.add("wrong", { text: JSON.stringify({ final_answer: wrong }) })
      const { status, body } = await json("POST", "/agents/run", {
        task: "case-wrong boats",
        model,
        output_schema: { type: "object", properties: { n: { type: "integer" } }, additionalProperties: false },
      })
      expect(status).toBe(422)
      expect(JSON.stringify(body.error)).toContain("[REDACTED_EMAIL]")
      await ask("GET", `/agents/runs/${body.error.details[0].run_id}`)
      expectNoLeak()
    },
    60_000,
  )

  test("names that hold something private are refused, without repeating it", async () => {
    const named = { type: "object", properties: { [mail("property")]: { type: "string" } } }
    const refused = async (path: string, body: object, status: number, field: string) => {
      const answer = await json("POST", path, body)
      expect({ path, status: answer.status }).toEqual({ path, status })
      expect(JSON.stringify(answer.body.error)).toContain(field)
    }
    for (const path of ["/conversations", "/start-conversation"]) {
      await refused(path, { message: "boats", response_format: named }, 400, "response_format")
      await refused(path, { message: "boats", context_id: mail("context") }, 400, "context_id")
      await refused(path, { message: "boats", context_id: "4111-1111-1111-1111" }, 400, "context_id")
      const filter = { type: "eq", key: "metadata.of", value: mail("filter") }
      await refused(path, { message: "boats", filter }, 400, "filter")
      await refused(path, { message: "boats", file_ids: [mail("file")] }, 404, "not_found")
      await refused(path, { message: "boats", model: mail("model") }, 404, "model_not_found")
    }
    await refused("/agents/run", { task: "boats", output_schema: named }, 400, "output_schema")
    await refused("/agents/run", { task: "boats", output_schema: { $defs: named } }, 400, "output_schema")
    await refused("/agents/run", { task: "boats", output_schema: { type: mail("type") } }, 400, "output_schema")
    await refused("/agents/run", { task: "boats", context_id: "4111-1111-1111-1111" }, 400, "context_id")
    await refused("/agents/run", { task: "boats", tools: [mail("tool")] }, 400, "tools")
    await refused("/agents/run", { task: "boats", file_ids: [mail("file")] }, 404, "not_found")
    await refused("/agents/run", { task: "boats", model: mail("model") }, 404, "model_not_found")
    await refused("/send", { conversation_id: mail("conversation"), message: "boats" }, 404, "not_found")
    await refused("/continue", { conversation_id: mail("conversation"), model: MODELS[0] }, 404, "not_found")
    expectNoLeak()
  }, 60_000)

  test("of the redaction field only its rules are kept", async () => {
    if ("redaction" in asked) return // a request's own exclusions are its choice
    const redaction = {
      enabled: false,
      exclude: [mail("exclude")],
      note: mail("note"),
      custom_patterns: [{ name: "CODE", pattern: "ZZ-\\d{6}", comment: mail("comment") }],
    }
    const { body } = await json("POST", "/start-conversation", {
      message: `ZZ-123456 and ${mail("exclude")}`,
      redaction,
    })
    expect(body.messages[0].content).toBe("[REDACTED_CODE] and [REDACTED_EMAIL]")
    const again = await json("POST", "/send", { conversation_id: body.conversation_id, message: "ZZ-654321" })
    expect(again.body.messages[0].content).toBe("[REDACTED_CODE]")
    expectNoLeak()
  })
})

class ClientOfDocs {
  constructor(private readonly url: string) {}
  async document() {
    return { body: await (await fetch(`${this.url}/external-docs/docs/json`)).json() }
  }
}

const around = (text: string, value: string): string => {
  const at = text.indexOf(value)
  return text.slice(Math.max(0, at - 200), at + value.length + 80).replace(/[^\x20-\x7e]+/g, "·")
}
