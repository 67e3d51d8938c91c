import type { WatchedEmbedder } from "../backends/watched-embedder.ts"
import { engineTrouble } from "../errors.ts"
import type { Readiness, ReadinessReport } from "../http/services.ts"
import type { Tier } from "../storage/chunk-tables.ts"
import { isMigrated } from "../storage/database.ts"
import type { Storage } from "./storage.ts"

/** What readiness rests on. */
export type ReadinessParts = Pick<Storage, "database" | "disk" | "stores"> & {
  /** This process among the nodes that share the database. */
  node: { readonly isMember: boolean }
  embedders: Partial<Record<Tier, Pick<WatchedEmbedder, "state" | "onServer">>>
}

/**
 * Not ready is who cannot answer what others could: without the database, without a place among the nodes, without its disk.
 * Without blobs or search much of the contract still holds, on every node alike, and it says so. A model server that is down
 * costs meaning in search, which falls back to words, or to the fast tier's vectors: the daemon is of use meanwhile. The same
 * holds for any model of the quality tier. A fast model of our own that does not load is a broken installation.
 */
export async function readinessOf(parts: ReadinessParts): Promise<ReadinessReport> {
  const missing = await parts.stores?.down()
  const status = missing?.includes("database") ? "without_database" : await statusOf(parts)
  const isLame = status === "ready" && missing !== undefined && missing.length > 0
  return { status: isLame ? "degraded" : status, ...(missing ? { missing } : {}) }
}

async function statusOf({ database, disk, node, embedders }: ReadinessParts): Promise<Readiness> {
  if (!node.isMember) return "cut_off"
  const { fast, quality } = embedders
  const embedder = (fast ?? quality)!
  if (embedder.state === "starting") return "starting"
  try {
    if (!(await isMigrated(database))) return "starting"
  } catch (error) {
    if (engineTrouble(error) === "database") return "without_database"
    throw error
  }
  if (await disk.isFailing()) return "unwritable"
  if (embedder.state === "answering") return quality?.state === "failing" ? "degraded" : "ready"
  return embedder.onServer ? "degraded" : "model_failed"
}
