/**
 * Two nodes at the same thing, at the worst moment: one that has read from a table goes on only once the other has come as
 * far, or cannot, because it waits for the first.
 */
import type { Database } from "../../src/storage/database.ts"

/** Longest wait for the other, which is held up by a lock then. */
const PATIENCE_MS = 1_000

/** The same database for each node; their first reads from `table` inside what they do meet. */
export function atOnce(database: Database, table: string, nodes = 2): Database[] {
  const all = Promise.withResolvers<void>()
  let arrived = 0
  return Array.from({ length: nodes }, () =>
    pausing(database, table, () => {
      if (++arrived === nodes) all.resolve()
      return all.promise
    }),
  )
}

/** The same database, whose first read from `table` is answered once `until` has settled. */
export function pausing(database: Database, table: string, until: () => Promise<unknown>): Database {
  const reads = new WeakSet<object>()
  let isFirst = true
  return database.withPlugin({
    transformQuery: ({ node, queryId }) => {
      if (isRead(node, table)) reads.add(queryId)
      return node
    },
    transformResult: async ({ result, queryId }) => {
      if (!isFirst || !reads.has(queryId)) return result
      isFirst = false
      await Promise.race([until(), Bun.sleep(PATIENCE_MS)])
      return result
    },
  })
}

/** By the names and the text that Kysely's tree of the query holds. */
function isRead(node: { kind: string }, table: string): boolean {
  const text = JSON.stringify(node)
  return (
    (node.kind === "SelectQueryNode" && text.includes(`"name":"${table}"`)) ||
    (node.kind === "RawNode" && new RegExp(`select [^;]*\\b${table}\\b`).test(text))
  )
}
