import type { Config } from "../config.ts"
import { backgroundOf, openConfiguredEmbedder, tiersOf } from "../configured.ts"
import type { Leadership } from "../nodes/leader.ts"
import type { Node } from "../nodes/nodes.ts"
import { SearchIndex } from "../search/index.ts"
import type { Membership } from "../search/writing/membership.ts"
import type { Models } from "./models.ts"
import type { Storage } from "./storage.ts"

export async function openSearch(
  config: Config,
  { database, passages, node, leader, cluster }: Storage,
  { embedders, reranker }: Models,
  stack: AsyncDisposableStack,
): Promise<SearchIndex> {
  const index = new SearchIndex({
    database,
    store: passages,
    embedders,
    reranker,
    backgroundShare: backgroundOf(config).share,
    tiers: tiersOf(embedders).map(([tier]) => tier),
    embedderNamed: model => openConfiguredEmbedder(config, model).catch(() => undefined),
    ...(cluster ? { members: membersOf(node, leader) } : {}),
  })
  stack.defer(() => index.stop())
  await index.start()
  return index
}

const membersOf = (node: Node, leader: Leadership): Membership => ({
  get node() {
    return node.id
  },
  isLeader: () => leader.isLeader,
  living: async () => new Set((await node.alive()).map(({ id }) => id)),
})
