/** The composition root: opens the parts of the daemon, one factory per room, each with what it needs of those before. */

import { setupLink } from "./access/users.ts"
import { openAccess } from "./app/access.ts"
import { openAgents } from "./app/agents.ts"
import { openBatches, unattendedWorkers } from "./app/batches.ts"
import { openChat } from "./app/chat.ts"
import { openEvents } from "./app/events.ts"
import { openAudit, openGovernance } from "./app/governance.ts"
import { bulkWorker, openLibrary } from "./app/library.ts"
import { openChatModels, openModels } from "./app/models.ts"
import { openNetwork } from "./app/network.ts"
import { openReading } from "./app/reading.ts"
import { openSearch } from "./app/search.ts"
import { openServer, portOf } from "./app/server.ts"
import { openSources } from "./app/sources.ts"
import { openStorage } from "./app/storage.ts"
import { Together } from "./app/together.ts"
import { openFenced, openTools } from "./app/tools.ts"
import { startUpkeep } from "./app/upkeep.ts"
import { appUrl, type Config, type ReadConfig } from "./config.ts"
import { log } from "./log.ts"
import { VERSION } from "./native/version.ts"

export interface App {
  /** What is listened on. */
  url: string
  /** Where browsers reach it. */
  address: string
  /** One-time link that claims a new installation; null once it is claimed. */
  setupLink: string | null
  /** Stops accepting, finishes or hands back work, closes the stores. A second call does nothing. */
  stop(): Promise<void>
}

export type Opened = (typeof STEPS)[number]
/** The steps of a start, in their order. */
export const STEPS = [
  "network",
  "chat models",
  "storage",
  "access",
  "models",
  "search",
  "reading",
  "library",
  "events",
  "sources",
  "chat",
  "agents",
  "server",
  "upkeep",
] as const

export interface StartOptions {
  /** Told bytes while the first start of a version unpacks what the executable carries. */
  unpacking?: (done: number, total: number) => void
  /** Where each setting comes from, for administrators. */
  sources?: ReadConfig["sources"]
  /** Told each step that is done; tests fail there. */
  opened?: (step: Opened) => void
}

/** A start that fails undoes what it did, as `stop` does: one stack holds the end of every part, the last opened first. */
export async function startApp(config: Config, options: StartOptions = {}): Promise<App> {
  const stack = new AsyncDisposableStack()
  try {
    return await open(config, options, stack)
  } catch (error) {
    await stack.disposeAsync().catch(reason => log.warn("a failed start could not be undone", { error: reason }))
    throw error
  }
}

async function open(config: Config, options: StartOptions, stack: AsyncDisposableStack): Promise<App> {
  const { unpacking = () => {}, opened = () => {} } = options
  const step = <T>(name: Opened, part: T): T => {
    opened(name)
    return part
  }
  const network = step("network", await openNetwork(config, stack))
  const chatModels = step("chat models", await openChatModels(config, () => models.embedders))
  const storage = step("storage", await openStorage(config, stack, unpacking))
  const audit = await openAudit(config, storage, stack)
  const access = step("access", await openAccess(config, network, storage, stack))
  const models = step("models", await openModels(config, storage, stack))
  const index = step("search", await openSearch(config, storage, models, stack))
  const worker = step("reading", openReading(config, storage, index, stack))
  const files = step("library", openLibrary(config, storage, access, network, index, stack))
  const events = step("events", await openEvents(config, { network, storage, access }, stack))
  const sources = step("sources", await openSources(config, { network, storage, files }))
  const fenced = openFenced(stack)
  const parts = { network, storage, access, chatModels, models, index, files, events, sources, fenced }
  const chat = step("chat", await openChat(config, parts))
  const tools = openTools({ storage, files, chat, fenced })
  const agents = step("agents", await openAgents(config, { ...parts, tools }, stack))
  // What is at work ends first, and together, within the ten seconds of a stop.
  const atWork = stack.use(new Together())
  atWork.add(() => chat.stop(5_000))
  atWork.add(() => agents.stop(7_000))
  const bulk = bulkWorker(storage, files)
  atWork.add(() => worker.stop())
  atWork.add(() => bulk.stop())
  atWork.add(() => sources.syncs.stop())
  const unattended = openBatches(storage)
  const governance = await openGovernance(config, { ...parts, worker, audit, chat, agents, unattended })
  const served = { ...parts, governance, chat, tools, agents, unattended, settingSources: options.sources }
  const server = step("server", openServer(config, served, atWork))
  const workers = unattendedWorkers(config, { storage, access, chat, agents, unattended, server })
  const atNodes = [worker, bulk, sources.syncs, events.dispatcher, ...workers]
  for (const each of [events.dispatcher, ...workers]) atWork.add(() => each.stop())
  if (storage.cluster?.role !== "api") for (const each of atNodes) each.start()
  startUpkeep(config, { ...parts, chat, agents }, stack)
  const address = appUrl(config, portOf(server))
  const link = step("upkeep", await setupLink(storage.database, address, network.cluster !== undefined))
  log.info("ready", { version: VERSION, url: server.url, ...(link ? { setup_link: link } : {}) })
  return { url: server.url, address, setupLink: link, stop: () => stack.disposeAsync() }
}
