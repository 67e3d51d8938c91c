/**
 * Queries that clients name by their SHA-256 instead of sending them each time, as Apollo's and urql's clients do by
 * themselves. A hash that is not known is answered as such, and the client sends query and hash together: then the query is
 * kept. It is kept in memory alone, since whoever misses it brings it again.
 */
import { invalid } from "../../errors.ts"
import { Lru } from "../../threads/lru.ts"
import type { GraphqlRequest } from "./call.ts"

/** Of one workspace, so that the queries of another push none of its own out. */
const MAX_QUERIES = 500
/** All queries of a workspace together; one is 100 000 characters at most. */
const MAX_CHARACTERS = 500_000
/** Workspaces that are remembered at a time: some 60 MB where each is full of them. */
const MAX_WORKSPACES = 64

const HASH = /^[0-9a-f]{64}$/

export class PersistedQueries {
  private readonly workspaces = new Lru<string, Lru<string, string>>({ entries: MAX_WORKSPACES })

  /**
   * The query itself, or the one that the hash names; undefined for a hash that is not known.
   * @throws AppError invalid_request for a hash of another text, or one that cannot be read; without either
   */
  find(workspaceId: string, { query, extensions }: GraphqlRequest): string | undefined {
    const hash = hashIn(extensions)
    if (hash === undefined) {
      if (query) return query
      throw invalid("query", "must be given, or its hash in extensions.persistedQuery")
    }
    if (!query) return this.workspaces.get(workspaceId)?.get(hash)
    if (hash !== new Bun.CryptoHasher("sha256").update(query).digest("hex"))
      throw invalid("extensions.persistedQuery.sha256Hash", "is not the SHA-256 of the query")
    return query
  }

  /** Of a query that was executed with its hash; others are left alone. */
  keep(workspaceId: string, { query, extensions }: GraphqlRequest): void {
    const hash = hashIn(extensions)
    if (hash === undefined || !query) return
    const queries = this.workspaces.get(workspaceId) ?? this.workspaces.set(workspaceId, ofOneWorkspace())
    queries.set(hash, query)
  }
}

const ofOneWorkspace = () =>
  new Lru<string, string>({ entries: MAX_QUERIES, weight: MAX_CHARACTERS, weigh: ({ length }) => length })

/** @throws AppError invalid_request */
function hashIn(extensions: GraphqlRequest["extensions"]): string | undefined {
  const named = extensions?.persistedQuery
  if (named === undefined || named === null) return undefined
  if (typeof named !== "object") throw invalid("extensions.persistedQuery", "must be an object")
  const { version, sha256Hash } = named as { version?: unknown; sha256Hash?: unknown }
  if (version !== 1) throw invalid("extensions.persistedQuery.version", "must be 1")
  if (typeof sha256Hash !== "string" || !HASH.test(sha256Hash))
    throw invalid("extensions.persistedQuery.sha256Hash", "must be 64 hexadecimal digits in lower case")
  return sha256Hash
}
