/** The composition root: the only file that constructs things and joins rooms. */
import { join } from "node:path"
import { appUrl, type Config } from "./config.ts"
import { RateLimiter } from "./http/rate-limit.ts"
import { startServer } from "./http/server.ts"
import type { Services } from "./http/services.ts"
import { sessionAsPrincipal } from "./http/session.ts"
import { EXTENSIONS } from "./ingest/extract/extensions.ts"
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
import { log } from "./log.ts"
import { useNativeDirectory } from "./native/native.ts"
import { VERSION } from "./native/version.ts"
import { Blobs } from "./storage/blobs.ts"
import { isMigrated, openDatabase } from "./storage/database.ts"
import { lockDirectory } from "./storage/lock.ts"

export interface App {
  url: string
  /** One-time link that claims a new installation; null once it is claimed. */
  setupLink: string | null
  /** Stops accepting, finishes or hands back work, closes the stores. */
  stop(): Promise<void>
}

export async function startApp(config: Config): Promise<App> {
  const nativeDirectory = join(config.data, "native")
  const lock = lockDirectory(config.data)
  useNativeDirectory(nativeDirectory)
  const database = await openDatabase(config.data)
  await ensureWorkspace(database)
  const blobs = new Blobs(config.data)
  blobs.clearTemporary()
  const queue = new JobQueue(database)
  await queue.reclaim()
  const changes = new FileChanges()
  const index = { retire: async () => {}, sweep: async () => {}, stage: async () => {}, publish: async () => {} }
  const library = new Library({ database, blobs, queue, changes, index })
  const worker = new JobWorker(
    queue,
    INDEX_FILE,
    config.index_workers,
    indexFile({
      database,
      blobs,
      queue,
      reader: { read: async () => ({ text: "", blocks: [], pageCount: null, ocrPageCount: 0, warnings: [] }) },
      chunk: () => [],
      index,
      announce: id => changes.announce(id),
    }),
  )
  const apiKeys = new ApiKeys(database)
  const users = new Users(database)
  const sessions = new Sessions(database, new Workspaces(database))
  const services: Services = {
    version: VERSION,
    apiKeys,
    users,
    sessions,
    workspaces: new Workspaces(database),
    signInBrake: new SignInBrake(),
    rateLimiter: new RateLimiter(),
    library,
    upload: { database, blobs, queue, changes },
    maxFileBytes: config.max_file_bytes,
    fileTypes: new Map(Object.entries(EXTENSIONS)),
    isReady: () => isMigrated(database),
  }
  const server = startServer(services, {
    host: config.host,
    port: config.port,
    rateLimitPerMinute: config.rate_limit_per_minute,
    authenticateSession: request => sessionAsPrincipal(request, sessions),
    ...(config.tls_cert
      ? { tls: { cert: await Bun.file(config.tls_cert).text(), key: await Bun.file(config.tls_key).text() } }
      : {}),
  })
  worker.start()
  void sweepFiles(database, blobs).catch(error => log.warn("leftover files could not be swept", { error }))
  const link = await setupLink(database, config.port === 0 ? server.url : appUrl(config))
  log.info("ready", { version: VERSION, url: server.url, ...(link ? { setup_link: link } : {}) })
  return {
    url: server.url,
    setupLink: link,
    async stop() {
      await Promise.all([server.stop(8_000), worker.stop()])
      await database.destroy()
      lock.release()
    },
  }
}
