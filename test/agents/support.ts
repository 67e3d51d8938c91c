/** What agent tests share: a scripted model, a library and a search in memory, runs over a real database. */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ensureWorkspace } from "../../src/access/keys.ts"
import { type View, wholeOf } from "../../src/access/view.ts"
import type { ToolProvider } from "../../src/agents/external-tools.ts"
import { RunStore } from "../../src/agents/run-store.ts"
import { AgentRuns, type AgentRunsDependencies } from "../../src/agents/runs.ts"
import type { ChatBackend, ChatPiece, ChatRequest, ModelInfo } from "../../src/backends/backend.ts"
import { CountedBackend } from "../../src/backends/counted.ts"
import { AppError } from "../../src/errors.ts"
import { Usage } from "../../src/governance/usage/usage.ts"
import { TokenMeter } from "../../src/grounding/tokens.ts"
import { setLogLevel } from "../../src/log.ts"
import { joinAlone } from "../../src/nodes/nodes.ts"
import { type Entity, type RedactionPolicy, Redactor } from "../../src/redaction/redact.ts"
import type { Hit, SearchRequest, SearchService } from "../../src/search/types.ts"
import type { Database } from "../../src/storage/database.ts"
import { NOWHERE } from "../../src/storage/document.ts"
import { Idempotency } from "../../src/storage/idempotency.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { type Evaluator, SchemaProblem } from "../../src/tools/evaluator.ts"
import { ExpressionProblem, evaluate } from "../../src/tools/expression.ts"
import { compileSchema, type JsonSchema } from "../../src/tools/json-schema.ts"
import type { AgentFile, AgentLibrary } from "../../src/tools/library.ts"
import { TableProcesses } from "../../src/tools/table-reader.ts"
import type { ExternalTool } from "../../src/tools/tool.ts"
import { ToolError } from "../../src/tools/tool-error.ts"
import { fileBytes } from "../storage/blobs/file-bytes.ts"
import { addFile } from "../storage/conformance/file-rows.ts"

setLogLevel("error")

/** One model turn. */
export interface Turn {
  text?: string
  calls?: { name: string; arguments: Record<string, unknown> }[]
  /** Silence before the first piece. */
  delayMs?: number
  /** Says nothing until the request is aborted. */
  hang?: boolean
  error?: AppError
}

export interface ScriptedModel extends ChatBackend {
  requests: ChatRequest[]
  /** Requests whose signal was aborted while they hung or waited. */
  aborted: number
  /** There is no such model any more. */
  isGone?: boolean
}

/** `script` gets the request and its number, from 0. */
export function scriptedModel(script: (request: ChatRequest, turn: number) => Turn): ScriptedModel {
  const model: ScriptedModel = {
    provider: "scripted",
    requests: [],
    aborted: 0,
    list: async () => [],
    async *chat(request): AsyncGenerator<ChatPiece> {
      const turn = script(request, model.requests.length)
      model.requests.push({ ...request, turns: structuredClone(request.turns) })
      request.signal.addEventListener("abort", () => model.aborted++)
      if (turn.delayMs) await Bun.sleep(turn.delayMs)
      if (turn.hang)
        await new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(request.signal.reason)))
      if (turn.error) throw turn.error
      for (const word of turn.text?.match(/\s*\S+/g) ?? []) yield { type: "text", text: word }
      for (const [at, call] of (turn.calls ?? []).entries())
        yield { type: "tool_call", call: { id: `${model.requests.length}-${at}`, ...call } }
      yield { type: "end", reason: "stop", usage: { promptTokens: 10, completionTokens: 5 } }
    },
  }
  return model
}

export const inOrder =
  (turns: Turn[]) =>
  (_: ChatRequest, at: number): Turn =>
    turns[Math.min(at, turns.length - 1)]!

export interface MemoryFile extends Partial<AgentFile> {
  id: string
  text?: string
  /** Bytes for tools that read the original. */
  path?: string
  workspaceId?: string
}

/** Files in memory; a search that finds paragraphs sharing a word with the query. */
export function memoryLibrary(files: MemoryFile[]): {
  library: AgentLibrary
  search: SearchService
  searches: SearchRequest[]
} {
  const records = files.map(file => ({
    name: `${file.id}.txt`,
    type: "txt",
    size: file.text?.length ?? 0,
    status: "searchable",
    context_id: null,
    tags: [],
    page_count: null,
    character_count: file.text?.length ?? 0,
    created_at: "2026-01-01T00:00:00.000Z",
    workspaceId: "ws_1",
    text: "",
    path: "",
    ...file,
  }))
  const searches: SearchRequest[] = []
  const library: AgentLibrary = {
    chunkAt: async () => undefined,
    async list({ workspaceId }, { file_ids, context_id, name, type, limit }) {
      const found = records.filter(
        file =>
          file.workspaceId === workspaceId &&
          (!file_ids || file_ids.includes(file.id)) &&
          (context_id === undefined || file.context_id === context_id) &&
          (!name || file.name.includes(name)) &&
          (!type || file.type === type),
      )
      return { files: found.slice(0, limit), total: found.length }
    },
    find: async ({ workspaceId }, id, { fileIds, contextId }) =>
      records.find(
        file =>
          file.workspaceId === workspaceId &&
          file.id === id &&
          (fileIds === null || fileIds.includes(id)) &&
          (contextId === null || file.context_id === contextId),
      ),
    async readText(_, id, { page, start = 0, end }) {
      if (page !== undefined) return undefined
      const { text } = records.find(file => file.id === id)!
      const to = Math.min(text.length, end ?? text.length)
      return { text: text.slice(start, to), start, end: Math.max(start, to), from: 0, to: text.length, place: NOWHERE }
    },
    original: async (_, id) => ({ bytes: fileBytes(records.find(file => file.id === id)!.path), sha256: "" }),
    listen: () => () => {},
  }
  const search: SearchService = {
    async search(request) {
      searches.push(request)
      const words = request.query.toLowerCase().match(/\p{L}{3,}/gu) ?? []
      const hits: Hit[] = []
      for (const file of records) {
        if (file.workspaceId !== request.view.workspaceId) continue
        if (request.filters?.file_ids?.length && !request.filters.file_ids.includes(file.id)) continue
        for (const match of file.text.matchAll(/[^\n]+/g))
          if (words.some(word => match[0].toLowerCase().includes(word)))
            hits.push({
              id: `chunk_${file.id}_${match.index}`,
              score: 0.5,
              relevance: 1,
              text: match[0],
              highlights: [],
              file: { id: file.id, name: file.name, type: file.type, context_id: file.context_id, tags: [] },
              position: { ...NOWHERE, start: match.index, end: match.index + match[0].length },
            })
      }
      return {
        query: request.query,
        mode: "hybrid",
        took_ms: 0,
        total: hits.length,
        degraded: null,
        corrections: [],
        index: {
          searchable_files: 1,
          pending_files: 0,
          embedding_model: "none",
          vectors: { done: 0, total: 0, tier: "fast" as const },
        },
        hits: hits.slice(0, request.limit),
      }
    },
  }
  return { library, search, searches }
}

/** Redacts e-mail addresses only, without a model. */
export const emailRedactor = new Redactor({
  entityModel: { model: "none", find: async () => [], close: async () => {} },
}) satisfies { redact(text: string, policy: RedactionPolicy): Promise<{ text: string; entities: Entity[] }> }

/** In this process: a process of its own takes a second to load from source, and has tests of its own. */
export const evaluatorInProcess: Evaluator = {
  calculate: async expression => evaluateOrExplain(expression),
  check: async (schema, values) => values.map(compileOrExplain(schema)),
}

function evaluateOrExplain(expression: string): string {
  try {
    return evaluate(expression)
  } catch (error) {
    throw error instanceof ExpressionProblem ? new ToolError(error.message) : error
  }
}

/** The given tools as those of an external server. */
export const providerOf = (...tools: Omit<ExternalTool, "external">[]): ToolProvider => ({
  tools: async () => tools.map(tool => ({ ...tool, external: true })),
  problemOf: () => undefined,
  servers: async () => [],
})

function compileOrExplain(schema: JsonSchema) {
  try {
    return compileSchema(schema)
  } catch (error) {
    throw new SchemaProblem((error as Error).message)
  }
}

export const modelInfo = (more: Partial<ModelInfo> = {}): ModelInfo => ({
  value: "scripted/model",
  label: "Scripted",
  provider: "scripted",
  status: "loaded",
  statusReason: null,
  local: true,
  capabilities: ["chat", "tools"],
  contextLength: 32_768,
  sizeBytes: null,
  checkedAt: "2026-01-01T00:00:00.000Z",
  ...more,
})

export interface Harness {
  runs: AgentRuns
  store: RunStore
  database: Database
  /** Of the first workspace. */
  caller: { view: View; keyId: string; readsFiles: boolean }
  /** Another process on the same database. */
  secondProcess(): Promise<AgentRuns>
  stop(): Promise<void>
}

const NODE = { name: "test", url: null, role: "all", version: "" } as const

/** Runs over a real database in a directory of their own. */
export async function startHarness(
  model: ChatBackend,
  files: MemoryFile[] = [],
  more: Partial<AgentRunsDependencies> & {
    info?: Partial<ModelInfo>
    conversationFiles?: NonNullable<AgentLibrary["conversationFiles"]>
  } = {},
): Promise<Harness> {
  const data = mkdtempSync(join(tmpdir(), "carrel-agents-"))
  const database = await openSqlite(data)
  const workspaceId = await ensureWorkspace(database, "default")
  const owner = await joinAlone(database, NODE)
  const store = new RunStore(database, owner)
  const { library, search } = memoryLibrary(files.map(file => ({ workspaceId, ...file })))
  for (const { id } of files) await addFile(database, id) // text of files that are gone is not kept
  const usage = await Usage.open(database, { directory: join(data, "usage") })
  const { info, conversationFiles, ...given } = more
  const dependencies: AgentRunsDependencies = {
    store,
    idempotency: new Idempotency(database),
    usage,
    meter: new TokenMeter(),
    library: { ...library, ...(conversationFiles ? { conversationFiles } : {}) },
    search,
    evaluator: evaluatorInProcess,
    models: {
      async resolve(value, _, account) {
        const isGone = "isGone" in model && model.isGone
        if (isGone || (value !== undefined && value !== "scripted/model")) throw new AppError("model_not_found")
        return { backend: new CountedBackend(model, account), account, info: modelInfo(info), name: "model" }
      },
    },
    redactor: emailRedactor,
    redactionEnforced: async () => false,
    tables: new TableProcesses(),
    concurrency: 4,
    maxWaiting: 8,
    contextTokens: 16_384,
    ...given,
  }
  const runs = new AgentRuns(dependencies)
  return {
    runs,
    store,
    database,
    caller: { view: wholeOf(workspaceId), keyId: "key_1", readsFiles: true },
    secondProcess: async () =>
      new AgentRuns({ ...dependencies, store: new RunStore(database, await joinAlone(database, NODE)) }),
    async stop() {
      await runs.stop(0)
      await usage[Symbol.asyncDispose]()
      await database.destroy()
      rmSync(data, { recursive: true, force: true })
    },
  }
}
