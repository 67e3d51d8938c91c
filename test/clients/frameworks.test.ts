/** Frameworks of others that speak OpenAI's shape: LangChain and the AI SDK of Node; of Python openai, LangChain and LlamaIndex. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { npmClients, npmPackage, python, runPython } from "./installed.ts"
import { type OpenDoor, startOpenDoor } from "./open.ts"

const MODEL = "openai/mistral-7b"
const QUESTION = "What is the notice period of the lease?"
const CALL = { name: "weather", arguments: { city: "Bergen" } }

let door: OpenDoor
beforeAll(async () => {
  door = await startOpenDoor()
  const { scenes } = door.openai
  scenes.add("plain", { text: "Hello there.", promptTokens: 11 })
  scenes.add("json", { text: '{"city": "Bergen"}' })
  scenes.add("tools", ({ messages }) =>
    messages.at(-1).role === "tool" ? { text: "It rains in Bergen." } : { tools: [CALL] },
  )
}, 60_000)
afterAll(() => door?.stop())

describe.skipIf(!npmClients)("LangChain", () => {
  const chat = async (model: string, more: object = {}) => {
    const { ChatOpenAI } = await npmPackage("@langchain/openai")
    return new ChatOpenAI({
      model,
      apiKey: door.token,
      configuration: { baseURL: door.baseUrl },
      maxRetries: 0,
      ...more,
    })
  }

  test("asks, and counts tokens as the model's server does", async () => {
    const answer = await (await chat(MODEL)).invoke("case-plain")
    expect(answer.content).toBe("Hello there.")
    expect(answer.usage_metadata).toMatchObject({ input_tokens: 11, output_tokens: 2, total_tokens: 13 })
  })

  test("streams", async () => {
    let text = ""
    for await (const chunk of await (await chat(MODEL)).stream("case-plain")) text += chunk.content
    expect(text).toBe("Hello there.")
  })

  test("answers from the library", async () => {
    const answer = await (await chat("library:boats/builtin/extractive")).invoke(QUESTION)
    expect(answer.content).toContain("90 days")
  })

  test("binds tools and gives structured output", async () => {
    const { z } = await npmPackage("zod")
    const schema = z.object({ city: z.string() })
    const bound = (await chat(MODEL)).bindTools([
      {
        type: "function",
        function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
      },
    ])
    expect((await bound.invoke("case-tools")).tool_calls).toMatchObject([{ name: "weather", args: { city: "Bergen" } }])
    const structured = (await chat(MODEL)).withStructuredOutput(schema, { name: "place", method: "jsonSchema" })
    expect(await structured.invoke("case-json")).toEqual({ city: "Bergen" })
  })

  test("embeds texts", async () => {
    const { OpenAIEmbeddings } = await npmPackage("@langchain/openai")
    const embeddings = new OpenAIEmbeddings({
      ...{ model: "carrel-embed-multi-v1", apiKey: door.token, maxRetries: 0 },
      configuration: { baseURL: door.baseUrl },
    })
    const [first, second] = await embeddings.embedDocuments(["The heron nests.", "Rent is due."])
    expect(await embeddings.embedQuery("The heron nests.")).toEqual(first)
    expect(second).toHaveLength(first.length)
  })
})

describe.skipIf(!npmClients)("the AI SDK", () => {
  const provider = async () => {
    const { createOpenAICompatible } = await npmPackage("@ai-sdk/openai-compatible")
    return createOpenAICompatible({
      ...{ name: "carrel", apiKey: door.token, baseURL: door.baseUrl },
      ...{ includeUsage: true, supportsStructuredOutputs: true },
    })
  }

  test("generates and streams text, with usage", async () => {
    const { generateText, streamText } = await npmPackage("ai")
    const carrel = await provider()
    const { text, usage } = await generateText({ model: carrel(MODEL), prompt: "case-plain", maxRetries: 0 })
    expect(text).toBe("Hello there.")
    expect(usage).toMatchObject({ inputTokens: 11, outputTokens: 2 })
    const stream = streamText({ model: carrel(MODEL), prompt: "case-plain", maxRetries: 0 })
    expect(await stream.text).toBe("Hello there.")
    expect(await stream.usage).toMatchObject({ inputTokens: 11, outputTokens: 2 })
    expect(await stream.finishReason).toBe("stop")
  })

  test("answers from the library", async () => {
    const { generateText } = await npmPackage("ai")
    const model = (await provider())("library/builtin/extractive")
    expect((await generateText({ model, prompt: QUESTION, maxRetries: 0 })).text).toContain("90 days")
  })

  test("carries out tools round by round, streamed too", async () => {
    const { generateText, streamText, tool, stepCountIs } = await npmPackage("ai")
    const { z } = await npmPackage("zod")
    const asked: string[] = []
    const weather = tool({
      description: "Tells the weather",
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }: { city: string }) => {
        asked.push(city)
        return "rain"
      },
    })
    const carrel = await provider()
    const request = {
      model: carrel(MODEL),
      tools: { weather },
      stopWhen: stepCountIs(3),
      prompt: "case-tools",
      maxRetries: 0,
    }
    expect((await generateText(request)).text).toBe("It rains in Bergen.")
    expect(await streamText(request).text).toBe("It rains in Bergen.")
    expect(asked).toEqual(["Bergen", "Bergen"])
  })

  test("gives an object that meets its schema", async () => {
    const { generateText, Output } = await npmPackage("ai")
    const { z } = await npmPackage("zod")
    const output = Output.object({ schema: z.object({ city: z.string() }) })
    const answer = await generateText({ model: (await provider())(MODEL), output, prompt: "case-json", maxRetries: 0 })
    expect(answer.output).toEqual({ city: "Bergen" })
  })

  test("embeds texts", async () => {
    const { embedMany } = await npmPackage("ai")
    const model = (await provider()).embeddingModel("carrel-embed-multi-v1")
    const { embeddings } = await embedMany({ model, values: ["The heron nests.", "Rent is due."], maxRetries: 0 })
    expect(embeddings).toHaveLength(2)
    expect(Math.hypot(...embeddings[0])).toBeCloseTo(1, 4)
  })
})

describe.skipIf(!python)("in Python", () => {
  const settings = () => ({ BASE_URL: door.baseUrl, TOKEN: door.token, MODEL })

  test("OpenAI's client lists, asks, streams, calls tools, cites and embeds", async () => {
    expect(await runPython("chat_openai.py", settings())).toEqual({
      listed: true,
      plain: "Hello there.",
      streamed: ["Hello there.", 13],
      called: ["weather", '{"city":"Bergen"}'],
      parsed: "Bergen",
      cited: ["lease.txt", "[1]"],
      vectors: [2, true],
      refused: [400, "n"],
      missing: [404, "model_not_found"],
    })
  })

  test("LangChain asks, streams, calls tools and embeds with the setting that the refusal names", async () => {
    expect(await runPython("chat_langchain.py", settings())).toEqual({
      plain: "Hello there.",
      usage: 13,
      streamed: "Hello there.",
      called: [{ name: "weather", args: { city: "Bergen" } }],
      structured: { city: "Bergen" },
      library: true,
      refused: true,
      vectors: 2,
    })
  })

  test("LlamaIndex's OpenAI-like model completes, chats and streams", async () => {
    expect(await runPython("chat_llama_index.py", settings())).toEqual({
      completed: "Hello there.",
      chatted: "Hello there.",
      streamed: "Hello there.",
      called: ["weather", { city: "Bergen" }],
      library: true,
    })
  })
})
