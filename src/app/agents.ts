import { McpTools } from "../agents/mcp.ts"
import { RunStore } from "../agents/run-store.ts"
import { AgentRuns } from "../agents/runs.ts"
import type { ModelCatalog } from "../backends/index.ts"
import type { Config } from "../config.ts"
import { VERSION } from "../native/version.ts"
import { countedSearch } from "../search/counted-search.ts"
import type { SearchIndex } from "../search/index.ts"
import type { Access } from "./access.ts"
import type { Models } from "./models.ts"
import type { Network } from "./network.ts"
import type { Storage } from "./storage.ts"
import type { Fenced, Tools } from "./tools.ts"

interface AgentParts {
  network: Network
  storage: Storage
  access: Access
  chatModels: ModelCatalog
  models: Models
  index: SearchIndex
  tools: Tools
  fenced: Fenced
}

/** Runs, those that a former process left half way failed. */
export async function openAgents(config: Config, parts: AgentParts, stack: AsyncDisposableStack): Promise<AgentRuns> {
  const { network, storage, access, chatModels, models, index, tools, fenced } = parts
  const external = config.mcp_config ? new McpTools(network.mcpServers, VERSION) : undefined
  stack.defer(() => external?.close())
  const agents = new AgentRuns({
    store: new RunStore(storage.database, storage.node),
    idempotency: storage.idempotency,
    usage: storage.usage,
    models: chatModels,
    meter: models.meter,
    ...tools,
    search: countedSearch(index, false, (...counted) => storage.usage.countSearch(...counted)),
    redactor: models.redactor,
    redactionEnforced: access.redactionEnforced,
    evaluator: fenced.evaluator,
    ...(external ? { external } : {}),
    concurrency: config.agent_concurrency,
    maxWaiting: config.agent_queue,
    contextTokens: config.agent_context_tokens,
    peers: storage.cluster?.peers,
  })
  await agents.recover()
  storage.cluster?.onDeaths(() => agents.recover())
  storage.node.onLost(() => agents.abandon())
  return agents
}
