/** Nodes of one installation; `nodes/` reads and writes them. */
export interface NodesTables {
  nodes: NodesTable
  leases: LeasesTable
  cluster: ClusterTable
}

/** `all`: `api` answers requests, `worker` reads files. */
export type NodeRole = "all" | "api" | "worker"

/** One row for each time that a process joined: its id is never used again. Times by the database's clock. */
export interface NodesTable {
  id: string
  /** For people. */
  name: string
  /** Where other nodes reach it; null where there are none. */
  url: string | null
  role: NodeRole
  /** Of the product. */
  version: string
  started_at: string
  seen_at: string
  /** It left, or was declared dead: nothing that it writes for its work counts from then on. */
  ended_at: string | null
}

/** What one node at a time may do. */
interface LeasesTable {
  name: string
  node_id: string
  /** By the database's clock. */
  until: string
}

/** One row, once a cluster uses the database. */
export interface ClusterTable {
  id: string
  /** SHA-256 in hex of the secret that its nodes share; null until the first of them starts. */
  secret_digest: string | null
  /** Newest version of what its nodes agree on. */
  contract: number
  created_at: string
}
