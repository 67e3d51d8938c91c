/**
 * The engines measured beside the product. Those that know languages are set up for English: an index of theirs is made
 * for one, and a workspace's files are in many.
 */
import { openLance, openLanceHybrid } from "./lance.ts"
import { openMiniSearch } from "./minisearch.ts"
import { openOrama, openOramaHybrid } from "./orama.ts"
import type { Engine } from "./peer.ts"
import { openFts5, openSqliteVec } from "./sqlite.ts"

export const ENGINES: Engine[] = [
  { name: "LanceDB FTS", open: openLance },
  { name: "FTS5 porter", open: openFts5 },
  { name: "MiniSearch", open: openMiniSearch },
  { name: "Orama", open: openOrama },
  { name: "LanceDB hybrid", open: openLanceHybrid },
  { name: "FTS5 + sqlite-vec", open: openSqliteVec },
  { name: "Orama hybrid", open: openOramaHybrid },
]
