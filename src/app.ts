/** The composition root: the only file that constructs things and joins rooms. */
import { join } from "node:path"
import { LibraryAccess } from "./agents/library-access.ts"
import { McpTools } from "./agents/mcp.ts"
import { readMcpConfig } from "./agents/mcp-config.ts"
import { RunStore } from "./agents/run-store.ts"
import { AgentRuns } from "./agents/runs.ts"
import { Calculator } from "./agents/tools/calculator.ts"
import { TableProcesses } from "./agents/tools/table-reader.ts"
import { openEmbedder } from "./backends/embedder.ts"
import { openEntityModel } from "./backends/entity-model.ts"
import { chatBackends, ModelCatalog } from "./backends/index.ts"
import { Chat } from "./chat/chat.ts"
import { ConversationStore } from "./chat/conversation-store.ts"
import { QueryRewriter } from "./chat/query-rewriter.ts"
import { Replies } from "./chat/replies.ts"
import { TokenMeter } from "./chat/tokens.ts"
import { appUrl, type Config, ConfigError } from "./config.ts"
import { watchGauges } from "./gauges.ts"
import { RateLimiter } from "./http/rate-limit.ts"
import { startServer } from "./http/server.ts"
import type { Services } from "./http/services.ts"
import { sessionAsPrincipal } from "./http/session.ts"
import { Traffic } from "./http/traffic.ts"
import { EXTENSIONS } from "./ingest/extract/extensions.ts"
import { ReaderPool } from "./ingest/extract/reader-pool.ts"
import { indexFile } from "./ingest/index-file.ts"
import { INDEX_FILE } from "./ingest/task.ts"
import { JobQueue } from "./jobs/queue.ts"
import { JobWorker } from "./jobs/worker.ts"
import { ApiKeys, ensureWorkspace } from "./keys/keys.ts"
import { Sessions } from "./keys/sessions.ts"
import { SignInBrake } from "./keys/sign-in-brake.ts"
import { setupLink, Users } from "./keys/users.ts"
import { Workspaces } from "./keys/workspaces.ts"
import { FileChanges } from "./library/changes.ts"
import { Library } from "./library/library.ts"
import { sweepFiles } from "./library/sweep.ts"
import { UploadRoom } from "./library/upload-room.ts"
import { log } from "./log.ts"
import { watchEventLoop } from "./metrics.ts"
import { builtinModelsDirectory } from "./native/models.ts"
import { useNativeDirectory } from "./native/native.ts"
import { selfCommand, workerUrl } from "./native/self.ts"
import { VERSION } from "./native/version.ts"
import { refuseOutbound } from "./outbound.ts"
import { Redactor } from "./redaction/redact.ts"
import { SearchIndex } from "./search/index.ts"
import { Blobs } from "./storage/blobs.ts"
import { isMigrated, openDatabase } from "./storage/database.ts"
import { watchDiskUse } from "./storage/disk-use.ts"
import { DiskWatch } from "./storage/disk-watch.ts"
import { lockDirectory } from "./storage/lock.ts"
import { healVectorFiles } from "./storage/vector-files.ts"

export interface App {
  url: string
  /** One-time link that claims a new installation; null once it is claimed. */
  setupLink: string | null
  /** Stops accepting, finishes or hands back work, closes the stores. */
  stop(): Promise<void>
}

export async function startApp(config: Config): Promise<App> {
  const tls = await readTls(config)
  const mcpServers = config.mcp_config ? readToolServers(config) : []
  const toolServers = mcpServers.flatMap(server => ("url" in server ? [server.url.href] : []))
  const allowOutbound = config.offline
    ? refuseOutbound([config.ollama_host, config.openai_base_url, ...toolServers])
    : () => {}
  const nativeDirectory = join(config.data, "native")
  const lock = lockDirectory(config.data)
  useNativeDirectory(nativeDirectory)
  const database = await openDatabase(config.data)
  await ensureWorkspace(database)
  const blobs = new Blobs(config.data, config.disk_floor_mb * 2 ** 20)
  blobs.clearTemporary()
  const queue = new JobQueue(database)
  await queue.reclaim()
  const changes = new FileChanges()
  const embedder = await openConfiguredEmbedder(config, config.embedding_model)
  const index = new SearchIndex({
    database,
    dataDirectory: config.data,
    embedder,
    embedderNamed: model => openConfiguredEmbedder(config, model).catch(() => undefined),
  })
  await healVectorFiles(config.data)
  await index.start()
  const reader = new ReaderPool({
    size: config.index_workers,
    memoryLimitBytes: config.reader_memory_mb * 2 ** 20,
    chunkOptions: { targetChars: config.chunk_characters, overlapChars: config.chunk_overlap },
    temporaryDirectory: blobs.temporaryDirectory,
    ...(config.ocr_languages ? { ocrLanguagesDirectory: config.ocr_languages } : {}),
  })
  const entityModel = openEntityModel(modelDirectories(config), nativeDirectory)
  const redactor = new Redactor({ entityModel })
  const workspaces = new Workspaces(database)
  await workspaces.load()
  const redactionEnforced = (workspaceId: string) =>
    config.enforce_redaction || workspaces.enforcesRedaction(workspaceId)
  const library = new Library({ database, blobs, queue, changes, index })
  const disk = new DiskWatch(config.data)
  const isDisksFault = (error: unknown) => disk.isToBlame(error)
  const worker = new JobWorker(
    queue,
    INDEX_FILE,
    config.index_workers,
    indexFile({
      database,
      blobs,
      queue,
      reader,
      index,
      isDisksFault,
      announce: id => changes.announce(id),
    }),
    isDisksFault,
  )
  const models = createModels(config)
  const conversations = new ConversationStore(database)
  await conversations.closeInterrupted()
  const chat = new Chat({
    store: conversations,
    replies: new Replies(conversations, config.max_replies),
    models,
    search: index,
    files: library,
    fileWaitMs: config.file_wait_seconds * 1000,
    meter: new TokenMeter(),
    rewriter: new QueryRewriter(config.query_rewriting),
    maxContextTokens: config.max_context_tokens,
    redactor,
    redactionEnforced,
  })
  const conversationFiles = (workspaceId: string, id: string) => chat.conversationFiles(workspaceId, id)
  const tools = config.mcp_config ? new McpTools(mcpServers, VERSION) : undefined
  const agents = new AgentRuns({
    store: new RunStore(database),
    models,
    library: new LibraryAccess({ database, library, conversationFiles }),
    search: index,
    redactor,
    redactionEnforced,
    tables: new TableProcesses([...selfCommand(), "table"]),
    calculator: new Calculator(workerUrl("agents/tools/calculate-worker")),
    ...(tools ? { external: tools } : {}),
    concurrency: config.agent_concurrency,
    maxWaiting: config.agent_queue,
    contextTokens: config.agent_context_tokens,
  })
  await agents.recover()
  const apiKeys = new ApiKeys(database)
  const users = new Users(database)
  const sessions = new Sessions(database, workspaces)
  let stopping = false
  let embedderReady = false
  void embedder
    .embed(["ready"], "query")
    .catch(error => {
      if (!stopping) log.error("the embedding model does not answer; search falls back to keywords", { error })
    })
    .then(() => {
      embedderReady = true
    })
  const services: Services = {
    version: VERSION,
    apiKeys,
    users,
    sessions,
    workspaces,
    signInBrake: new SignInBrake(),
    rateLimiter: new RateLimiter(),
    traffic: new Traffic(),
    embeddingModel: embedder.model,
    diskUse: watchDiskUse(config.data),
    library,
    upload: {
      database,
      blobs,
      queue,
      changes,
      room: new UploadRoom(queue, { uploads: config.max_uploads, queuedFiles: config.max_queued_files }),
    },
    maxFileBytes: config.max_file_bytes,
    fileTypes: new Map(Object.entries(EXTENSIONS)),
    search: index,
    redactionEnforced,
    redactor,
    models,
    chat,
    agents,
    conversationFiles,
    readiness: async () => {
      if (!embedderReady || !(await isMigrated(database))) return "starting"
      const trouble = await disk.trouble()
      return trouble === undefined || trouble === "ENOSPC" || trouble === "EDQUOT" ? "ready" : "unwritable"
    },
  }
  const server = startServer(services, {
    host: config.host,
    port: config.port,
    rateLimitPerMinute: config.rate_limit_per_minute,
    authenticateSession: request => sessionAsPrincipal(request, sessions),
    trustedProxies: listOf(config.trusted_proxies),
    corsOrigins: listOf(config.cors_origins),
    ...tls,
  })
  worker.start()
  const unwatch = watchEventLoop()
  watchGauges({ database, dataDirectory: config.data, disk, queue, index, agents, chat, entityModel })
  void sweepFiles(database, blobs).catch(error => log.warn("leftover files could not be swept", { error }))
  const link = await setupLink(database, config.port === 0 ? server.url : appUrl(config))
  log.info("ready", { version: VERSION, url: server.url, ...(link ? { setup_link: link } : {}) })
  return {
    url: server.url,
    setupLink: link,
    async stop() {
      stopping = true
      await Promise.all([server.stop(8_000), worker.stop(), agents.stop(7_000), chat.stop(5_000)])
      await reader.stop()
      await index.stop()
      await embedder.close()
      await entityModel?.close()
      unwatch()
      allowOutbound()
      await database.destroy()
      lock.release()
    },
  }
}

const listOf = (text: string): string[] =>
  text
    .split(",")
    .map(item => item.trim())
    .filter(Boolean)

/** @throws ConfigError for a file that cannot be read or names a server wrongly */
function readToolServers(config: Config) {
  try {
    return readMcpConfig(config.mcp_config, config.offline)
  } catch (error) {
    throw new ConfigError((error as Error).message)
  }
}

/** @throws ConfigError when only one of the two files is named, or one cannot be read */
async function readTls(config: Config): Promise<{ tls?: { cert: string; key: string } }> {
  if (!config.tls_cert && !config.tls_key) return {}
  if (!config.tls_cert || !config.tls_key)
    throw new ConfigError("--tls-cert and --tls-key go together: one of them is missing")
  const read = (flag: string, path: string) =>
    Bun.file(path)
      .text()
      .catch(error => {
        throw new ConfigError(`${flag}: ${path} cannot be read (${(error as Error).message})`)
      })
  return { tls: { cert: await read("--tls-cert", config.tls_cert), key: await read("--tls-key", config.tls_key) } }
}

const modelDirectories = (config: Config): string[] => [
  config.models_dir || join(config.data, "models"),
  builtinModelsDirectory(),
]

export const openConfiguredEmbedder = (config: Config, name: string) =>
  openEmbedder({
    name,
    directories: modelDirectories(config),
    nativeDirectory: join(config.data, "native"),
    ollamaHost: config.ollama_host,
  })

/** The chat models of this configuration; the command line lists them without a daemon. */
export const createModels = (config: Config): ModelCatalog =>
  new ModelCatalog(
    chatBackends({
      ollamaHost: config.ollama_host,
      keepAlive: config.keep_alive,
      openAiBaseUrl: config.openai_base_url,
      openAiApiKey: config.openai_api_key,
      openAiContextTokens: config.openai_context_tokens,
      silenceMs: config.model_silence_seconds * 1000,
      queue: { parallel: config.model_parallel, waiting: config.model_queue },
      allowRemoteModels: config.allow_remote_models,
    }),
    config.default_model,
  )

/** Which model folders a daemon with this configuration would use, for the doctor. */
export async function describeModelFolders(config: Config) {
  const embedding = await openConfiguredEmbedder(config, config.embedding_model).then(
    async embedder => {
      await embedder.close()
      const languages = embedder.languages?.join(", ")
      return languages
        ? {
            what: "embedding model",
            state: "note" as const,
            text: `${embedder.model}: knows meaning in ${languages} only; other languages are searched by words`,
            remedy:
              "for meaning in other languages put a multilingual ONNX model into the models folder and name it with --embedding-model",
          }
        : { what: "embedding model", state: "ok" as const, text: embedder.model }
    },
    error => ({
      what: "embedding model",
      state: "problem" as const,
      text: (error as Error).message,
      remedy: (error as { hint?: string }).hint ?? "check --embedding-model and --models-dir",
    }),
  )
  return [embedding, await describeEntityModel(config)]
}

/** Loads the model: one that lies there and does not load would refuse every request that redacts names. */
async function describeEntityModel(config: Config) {
  const what = "entity model"
  const remedy = "put an ONNX token-classification model into the models folder"
  const model = openEntityModel(modelDirectories(config), join(config.data, "native"))
  if (!model)
    return {
      what,
      state: "problem" as const,
      text: "none: requests that redact names or addresses are refused",
      remedy,
    }
  const problem = await model.load().then(
    () => undefined,
    error => (error as { hint?: string }).hint ?? String(error),
  )
  await model.close()
  if (problem === undefined)
    return { what, state: "ok" as const, text: `${model.model} finds names and addresses for redaction` }
  return { what, state: "problem" as const, text: `${model.model} does not load: ${problem}`, remedy }
}
