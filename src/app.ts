/** The composition root: constructs the parts of the daemon and joins the rooms. */
import { join } from "node:path"
import { EvaluatorProcesses } from "./agents/evaluator.ts"
import { LibraryAccess } from "./agents/library-access.ts"
import { McpTools } from "./agents/mcp.ts"
import { RunStore } from "./agents/run-store.ts"
import { AgentRuns } from "./agents/runs.ts"
import { TableProcesses } from "./agents/tools/table-reader.ts"
import { openEntityModel } from "./backends/entity-model.ts"
import { Chat } from "./chat/chat.ts"
import { ConversationStore } from "./chat/conversation-store.ts"
import { QueryRewriter } from "./chat/query-rewriter.ts"
import { Replies } from "./chat/replies.ts"
import { appUrl, type Config } from "./config.ts"
import {
  checkDefaultModel,
  checkFolders,
  createModels,
  modelDirectories,
  openConfiguredEmbedder,
  readTls,
  readToolServers,
} from "./configured.ts"
import { lacksDescriptors } from "./errors.ts"
import { watchGauges } from "./gauges.ts"
import { TokenMeter } from "./grounding/tokens.ts"
import { mostUploads } from "./http/connections.ts"
import { RateLimiter } from "./http/rate-limit.ts"
import { startServer } from "./http/server.ts"
import type { Services } from "./http/services.ts"
import { sessionAsPrincipal } from "./http/session.ts"
import { Traffic } from "./http/traffic.ts"
import { MIME_TYPES, TYPE_GROUPS } from "./ingest/formats/formats.ts"
import { requeueInterrupted } from "./ingest/outcomes.ts"
import { QuickReader } from "./ingest/process/quick-reader.ts"
import { ReaderPool, type ReaderPoolOptions } from "./ingest/process/reader-pool.ts"
import { INDEX_FILE, indexingLanes } from "./ingest/task.ts"
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
import { Uploads } from "./library/uploads.ts"
import { log } from "./log.ts"
import { watchEventLoop } from "./metrics.ts"
import { unpackAll, useNativeDirectory } from "./native/native.ts"
import { VERSION } from "./native/version.ts"
import { refuseOutbound } from "./outbound.ts"
import { Redactor } from "./redaction/redact.ts"
import { SearchIndex } from "./search/index.ts"
import { Blobs } from "./storage/blobs.ts"
import { isMigrated, openDatabase, removeOldCopies } from "./storage/database.ts"
import { watchDiskUse } from "./storage/disk-use.ts"
import { DiskWatch } from "./storage/disk-watch.ts"
import { closeToOthers } from "./storage/file-modes.ts"
import { Idempotency } from "./storage/idempotency.ts"
import { lockDirectory } from "./storage/lock.ts"
import { healVectorFiles } from "./storage/vector-files.ts"
import { keepLogEmpty } from "./storage/write-ahead-log.ts"

export interface App {
  /** What is listened on. */
  url: string
  /** Where browsers reach it. */
  address: string
  /** One-time link that claims a new installation; null once it is claimed. */
  setupLink: string | null
  /** Stops accepting, finishes or hands back work, closes the stores. */
  stop(): Promise<void>
}

interface StartOptions {
  /** Told bytes while the first start of a version unpacks what the executable carries. */
  unpacking?: (done: number, total: number) => void
}

/** A start that fails closes again what it opened. */
export async function startApp(config: Config, { unpacking = () => {} }: StartOptions = {}): Promise<App> {
  await using failed = new AsyncDisposableStack()
  checkFolders(config)
  const tls = await readTls(config)
  const mcpServers = config.mcp_config ? readToolServers(config) : []
  const toolServers = mcpServers.flatMap(server => ("url" in server ? [server.url.href] : []))
  const allowOutbound = config.offline
    ? refuseOutbound([config.ollama_host, config.openai_base_url, ...toolServers])
    : () => {}
  failed.defer(allowOutbound)
  const models = createModels(config)
  await checkDefaultModel(config, models)
  const nativeDirectory = join(config.data, "native")
  const lock = lockDirectory(config.data)
  failed.defer(() => lock.release())
  useNativeDirectory(nativeDirectory)
  closeToOthers(config.data)
  removeOldCopies(config.data)
  await unpackAll(unpacking)
  const database = await openDatabase(config.data)
  failed.defer(() => database.destroy())
  const leaveLog = keepLogEmpty(database, config.data)
  failed.defer(leaveLog)
  await ensureWorkspace(database)
  const blobs = new Blobs(config.data, config.disk_floor_mb * 2 ** 20)
  blobs.clearTemporary()
  const queue = new JobQueue(database)
  await queue.reclaim()
  await requeueInterrupted(database)
  const changes = new FileChanges()
  const idempotency = new Idempotency(database)
  const embedder = await openConfiguredEmbedder(config, config.embedding_model)
  failed.defer(() => embedder.close())
  const index = new SearchIndex({
    database,
    dataDirectory: config.data,
    embedder,
    embedderNamed: model => openConfiguredEmbedder(config, model).catch(() => undefined),
  })
  failed.defer(() => index.stop())
  await healVectorFiles(config.data)
  await index.start()
  const readerOptions: ReaderPoolOptions = {
    size: config.index_workers,
    memoryLimitBytes: config.reader_memory_mb * 2 ** 20,
    chunkOptions: { targetChars: config.chunk_characters, overlapChars: config.chunk_overlap },
    temporaryDirectory: blobs.temporaryDirectory,
    ocrLimits: { pages: config.ocr_max_pages, seconds: config.ocr_max_seconds },
    ...(config.ocr_languages ? { ocrLanguagesDirectory: config.ocr_languages } : {}),
  }
  const reader = new ReaderPool(readerOptions)
  const quickReader = new QuickReader(readerOptions)
  const entityModel = openEntityModel(modelDirectories(config), nativeDirectory)
  const redactor = new Redactor({ entityModel })
  const workspaces = new Workspaces(database)
  await workspaces.load()
  const redactionEnforced = (workspaceId: string) =>
    config.enforce_redaction || workspaces.enforcesRedaction(workspaceId)
  const library = new Library({ database, blobs, queue, changes, index })
  const disk = new DiskWatch(config.data)
  // Nor is it the file's fault when clients hold all that the process may open.
  const isDisksFault = async (error: unknown) => lacksDescriptors(error) || (await disk.isToBlame(error))
  const worker = new JobWorker(queue, {
    task: INDEX_FILE,
    lanes: indexingLanes(config.index_workers, {
      database,
      blobs,
      queue,
      reader,
      quickReader,
      index,
      isDisksFault,
      announce: id => changes.announce(id),
    }),
    isDisksFault,
  })
  const conversations = new ConversationStore(database)
  await conversations.closeInterrupted()
  const meter = new TokenMeter()
  const chat = new Chat({
    idempotency,
    store: conversations,
    replies: new Replies(conversations, config.max_replies),
    models,
    search: index,
    files: library,
    fileWaitMs: config.file_wait_seconds * 1000,
    meter,
    rewriter: new QueryRewriter(config.query_rewriting),
    maxContextTokens: config.max_context_tokens,
    redactor,
    redactionEnforced,
  })
  const conversationFiles = (workspaceId: string, id: string) => chat.conversationFiles(workspaceId, id)
  const tables = new TableProcesses()
  const tools = config.mcp_config ? new McpTools(mcpServers, VERSION) : undefined
  const agents = new AgentRuns({
    store: new RunStore(database),
    idempotency,
    models,
    meter,
    library: new LibraryAccess({ database, library, conversationFiles }),
    search: index,
    redactor,
    redactionEnforced,
    tables,
    evaluator: new EvaluatorProcesses(),
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
    uploads: new Uploads({
      database,
      blobs,
      queue,
      changes,
      idempotency,
      room: new UploadRoom(queue, {
        uploads: Math.min(config.max_uploads, mostUploads()),
        queuedFiles: config.max_queued_files,
      }),
      rules: { maxFileBytes: config.max_file_bytes, fileTypes: MIME_TYPES },
    }),
    fileTypes: MIME_TYPES,
    typeGroups: TYPE_GROUPS,
    maxFileBytes: config.max_file_bytes,
    search: index,
    redactionEnforced,
    redactor,
    models,
    chat,
    agents,
    conversationFiles,
    readiness: async () => {
      if (!embedderReady || !(await isMigrated(database))) return "starting"
      return (await disk.isFailing()) ? "unwritable" : "ready"
    },
  }
  const server = startServer(services, {
    host: config.host,
    port: config.port,
    rateLimitPerMinute: config.rate_limit_per_minute,
    authenticateSession: request => sessionAsPrincipal(request, services),
    trustedProxies: config.trusted_proxies,
    corsOrigins: config.cors_origins,
    connectionsPerAddress: config.max_connections_per_address,
    ...tls,
  })
  failed.defer(() => server.stop(0))
  worker.start()
  const unwatch = watchEventLoop()
  watchGauges({ database, dataDirectory: config.data, disk, queue, index, agents, chat, entityModel })
  void sweepFiles(database, blobs).catch(error => log.warn("leftover files could not be swept", { error }))
  const address = appUrl(config, Number(/\d+$/.exec(server.url)![0]))
  const link = await setupLink(database, address)
  log.info("ready", { version: VERSION, url: server.url, ...(link ? { setup_link: link } : {}) })
  failed.move() // from here on it is closed by `stop`
  return {
    url: server.url,
    address,
    setupLink: link,
    async stop() {
      stopping = true
      await Promise.all([server.stop(8_000), worker.stop(), agents.stop(7_000), chat.stop(5_000)])
      await Promise.all([reader.stop(), quickReader.stop(), tables.stop()])
      await index.stop()
      await embedder.close()
      redactor.close()
      await entityModel?.close()
      unwatch()
      allowOutbound()
      leaveLog()
      await database.destroy()
      lock.release()
    },
  }
}
