import { Links } from "../access/links.ts"
import type { AgentRuns } from "../agents/runs.ts"
import { EmbeddingLine } from "../backends/embedding-line.ts"
import type { ModelCatalog } from "../backends/index.ts"
import type { Chat } from "../chat/chat.ts"
import { SavedPrompts } from "../chat/saved-prompts.ts"
import { appUrl, type Config } from "../config.ts"
import { GraphqlApi } from "../http/graphql/graphql-api.ts"
import { OtherNodes } from "../http/mcp/other-nodes.ts"
import { McpSessions, SESSION_LIMITS } from "../http/mcp/sessions.ts"
import { type NodeDoorDependencies, nodeDoor } from "../http/node-door.ts"
import { type HttpServer, startServer } from "../http/server.ts"
import type { Services } from "../http/services.ts"
import { sessionAsPrincipal } from "../http/session.ts"
import { MIME_TYPES, TYPE_GROUPS } from "../ingest/formats/formats.ts"
import { LinkedFiles } from "../library/linked-files.ts"
import { VERSION } from "../native/version.ts"
import { countedSearch } from "../search/counted-search.ts"
import type { SearchIndex } from "../search/index.ts"
import type { SearchService } from "../search/types.ts"
import type { Access } from "./access.ts"
import type { openBatches } from "./batches.ts"
import type { EventParts } from "./events.ts"
import type { GovernanceParts } from "./governance.ts"
import { openInstallation, type SettingSources } from "./installation.ts"
import type { LibraryParts } from "./library.ts"
import type { Models } from "./models.ts"
import type { Network } from "./network.ts"
import { readinessOf } from "./readiness.ts"
import type { SourceParts } from "./sources.ts"
import type { Storage } from "./storage.ts"
import type { ClusterParts } from "./stored.ts"
import type { Together } from "./together.ts"
import type { Tools } from "./tools.ts"

interface ServedParts {
  network: Network
  storage: Storage
  access: Access
  chatModels: ModelCatalog
  models: Models
  index: SearchIndex
  files: LibraryParts
  sources: SourceParts
  events: EventParts
  governance: GovernanceParts
  chat: Chat
  tools: Tools
  agents: AgentRuns
  unattended: ReturnType<typeof openBatches>
  /** Where each setting comes from. */
  settingSources: SettingSources | undefined
}

/** Requests have so long to end when the daemon stops. */
const GRACE_MS = 8_000

/** The web over all rooms; it ends with the other parts `atWork`. */
export function openServer(config: Config, parts: ServedParts, atWork: Together): HttpServer {
  const { network, storage, access, chatModels, models, index, files, events, governance, chat } = parts
  const { tools, agents, unattended } = parts
  const embedder = (models.embedders.quality ?? models.embedders.fast)!
  let port = config.port // 0: the system chooses one
  const address = () => appUrl(config, port).replace(/\/+$/, "")
  const links = new Links(access.linkSecret, address)
  const [{ redactionEnforced }, { redactor }] = [access, models]
  const search = countedSearch(index, true, (...counted) => storage.usage.countSearch(...counted))
  const house = {
    ...{ ...files, chat, links, redactor, redactionEnforced, search, version: VERSION },
    ...{ reading: tools.library, tables: tools.tables, audit: governance.audit },
  }
  const { cluster, node } = storage
  const mcp = new McpSessions(house, SESSION_LIMITS, cluster && new OtherNodes(node, cluster.peers))
  atWork.add(() => mcp.close())
  const services: Services = {
    ...access,
    ...files,
    ...unattended,
    ...parts.sources,
    ...events,
    ...governance,
    version: VERSION,
    embeddings: new EmbeddingLine(embedder),
    links,
    providerSignIn: access.providerSignInAt?.(address),
    linkedFiles: new LinkedFiles({ ...files, database: storage.database, links, holders: access.holders }),
    mcp,
    graphql: config.no_graphql ? null : graphqlOver(parts, links, search),
    ...openInstallation(config, parts, atWork),
    savedPrompts: new SavedPrompts(storage.database, { redactor, redactionEnforced }),
    fileTypes: MIME_TYPES,
    typeGroups: TYPE_GROUPS,
    maxFileBytes: config.max_file_bytes,
    search,
    reranker: models.reranker,
    redactor,
    models: chatModels,
    chat,
    agents,
    readiness: () => readinessOf({ ...storage, embedders: models.embedders }),
  }
  const server = startServer(services, {
    host: config.host,
    port: config.port,
    rateLimitPerMinute: config.rate_limit_per_minute,
    authenticateSession: request => sessionAsPrincipal(request, services),
    trustedProxies: config.trusted_proxies,
    corsOrigins: config.cors_origins,
    origin: () => new URL(address()).origin,
    connectionsPerAddress: config.max_connections_per_address,
    ...network.tls,
    ...(cluster ? ofCluster(cluster, { chat, agents, mcp }) : {}),
  })
  port = portOf(server)
  atWork.add(() => server.stop(GRACE_MS))
  return server
}

const graphqlOver = ({ files, storage, chat, agents, governance }: ServedParts, links: Links, search: SearchService) =>
  new GraphqlApi(
    { ...files, ...storage, chat, agents, search, links, fileTypes: MIME_TYPES },
    governance.audit,
    governance.auditSubjects,
  )

/** What is listened on. */
export const portOf = ({ url }: HttpServer): number => Number(/\d+$/.exec(url)![0])

const ofCluster = ({ role, signatures }: ClusterParts, asked: Omit<NodeDoorDependencies, "signatures">) => ({
  nodeDoor: nodeDoor({ signatures, ...asked }),
  servesApi: role !== "worker",
})
