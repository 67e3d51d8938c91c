/** The library of a stopped daemon for one assistant, to be read and not changed. */
import { join } from "node:path"
import { wholeOf } from "../../access/view.ts"
import { Workspaces } from "../../access/workspaces.ts"
import { openModels } from "../../app/models.ts"
import { openFenced, openTools } from "../../app/tools.ts"
import type { Config } from "../../config.ts"
import { tiersOf } from "../../configured.ts"
import type { McpHouse } from "../../http/mcp/call.ts"
import { protocolServer } from "../../http/mcp/protocol.ts"
import { resourceUri } from "../../http/mcp/uri.ts"
import { FileChanges } from "../../library/changes.ts"
import { Library } from "../../library/library.ts"
import { VERSION } from "../../native/version.ts"
import { LocalWakes } from "../../nodes/wakes.ts"
import { SearchIndex } from "../../search/index.ts"
import { onlooker } from "../../search/writing/membership.ts"
import type { Database } from "../../storage/database.ts"
import { needWorkspace, withStoppedInstallation } from "../command.ts"
import { storesIn } from "../open-stores.ts"
import { Line } from "./line.ts"

/** Serves until the client closes its end. @throws UsageError for a workspace that is not there */
export const serveStopped = (config: Config, workspace: string): Promise<void> =>
  withStoppedInstallation(config, async database => {
    const view = wholeOf(await needWorkspace(database, workspace))
    await using stack = new AsyncDisposableStack()
    const house = await openHouse(config, database, stack)
    const { workspaceId } = view
    const scopes = ["search", "files:read"] as const
    const principal = { keyId: "", credential: "", holderId: "", workspaceId, view, scopes, rateLimitPerMinute: null }
    const never = new AbortController().signal
    const server = protocolServer(house, { callerOf: () => ({ principal, requestId: "", signal: never }) })
    const line = new Line()
    await server.connect(line)
    await line.finished()
    await server.close()
  })

async function openHouse(config: Config, database: Database, stack: AsyncDisposableStack): Promise<McpHouse> {
  const { blobs, passages } = storesIn(config.data, database)
  const { embedders, reranker, redactor } = await openModels(
    config,
    { database, nativeDirectory: join(config.data, "native") },
    stack,
  )
  const tiers = tiersOf(embedders).map(([tier]) => tier)
  const search = new SearchIndex({ database, store: passages, embedders, reranker, tiers, members: onlooker() })
  stack.defer(() => search.stop())
  await search.start()
  const changes = new FileChanges(new LocalWakes())
  const library = new Library({ database, blobs, changes, queue: UNUSED, index: UNUSED })
  const tools = openTools({ storage: { database }, files: { library }, fenced: openFenced(stack) })
  const workspaces = new Workspaces(database)
  return {
    version: VERSION,
    library,
    reading: tools.library,
    tables: tools.tables,
    search,
    redactor,
    redactionEnforced: async id => config.enforce_redaction || (await workspaces.enforcesRedaction(id)),
    links: { linkTo: (_, fileId, place) => resourceUri(fileId, place?.start) },
  }
}

const refuse = () => Promise.reject(new Error("the library is only read"))

/** What only changes of files need. */
const UNUSED = { enqueue: refuse, announce() {}, retire: refuse, sweep: refuse }
