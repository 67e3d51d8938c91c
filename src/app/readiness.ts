import { engineTrouble } from "../errors.ts"
import type { Readiness, ReadinessReport } from "../http/services.ts"
import { isMigrated } from "../storage/database.ts"
import type { Models } from "./models.ts"
import type { Storage } from "./storage.ts"

/** What readiness rests on. */
export type ReadinessParts = Pick<Storage, "database" | "disk" | "stores"> & {
  /** This process among the nodes that share the database. */
  node: { readonly isMember: boolean }
  embedder: Pick<Models["embedder"], "state" | "onServer">
}

/**
 * Not ready is who cannot answer what others could: without the database, without a place among the nodes, without its disk.
 * Without blobs or search much of the contract still holds, on every node alike, and it says so. A model server that is down
 * costs meaning in search, which falls back to words: the daemon is of use meanwhile. A model of our own that does not load
 * is a broken installation.
 */
export async function readinessOf(parts: ReadinessParts): Promise<ReadinessReport> {
  const missing = await parts.stores?.down()
  const status = missing?.includes("database") ? "without_database" : await statusOf(parts)
  const isLame = status === "ready" && missing !== undefined && missing.length > 0
  return { status: isLame ? "degraded" : status, ...(missing ? { missing } : {}) }
}

async function statusOf({ database, disk, node, embedder }: ReadinessParts): Promise<Readiness> {
  if (!node.isMember) return "cut_off"
  if (embedder.state === "starting") return "starting"
  try {
    if (!(await isMigrated(database))) return "starting"
  } catch (error) {
    if (engineTrouble(error) === "database") return "without_database"
    throw error
  }
  if (await disk.isFailing()) return "unwritable"
  if (embedder.state === "answering") return "ready"
  return embedder.onServer ? "degraded" : "model_failed"
}
