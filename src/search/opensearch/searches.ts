/** Searches of one workspace, several in one request. A part of an answer is no answer: what a shard lacks is an error. */
import { EngineError } from "../../errors.ts"
import { type OpenSearchClient, PASSING } from "./client.ts"
import type { Clause } from "./scope-clauses.ts"

export interface Search {
  index: string
  /** Nothing is found in an index that is not there. */
  mayBeMissing?: boolean
  body: Clause
}

export interface Part {
  total: number
  hits: EngineHit[]
  aggregations: Record<string, Aggregation>
}

export interface EngineHit {
  /** What was sorted by. */
  sort: number[]
}

export interface Aggregation {
  value?: unknown
  buckets?: { doc_count: number }[]
  [name: string]: unknown
}

interface RawPart {
  timed_out?: boolean
  status?: number
  error?: { type?: string; reason?: string }
  _shards?: { failed?: number }
  hits?: { total?: { value: number }; hits?: EngineHit[] }
  aggregations?: Record<string, Aggregation>
}

/** An index that is not there: a table of vectors may have been replaced. */
export class MissingIndex extends Error {
  override name = "MissingIndex"
}

/** A shard gives up after this long, before the whole request does. */
const SHARD_TIMEOUT = "10s"
const READ = ["timed_out", "error", "status", "_shards.failed", "hits.total", "hits.hits.sort", "aggregations"]
  .map(path => `responses.${path}`)
  .join(",")

export class Searches {
  constructor(
    private readonly client: OpenSearchClient,
    /** All of it lies in one shard; the same copy of it answers all searches. */
    readonly workspaceId: string,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** Several searches in one request, answered by the names under which they are asked. */
  async all<Name extends string>(asked: Record<Name, Search | undefined>): Promise<Record<Name, Part | undefined>> {
    const wanted = (Object.entries(asked) as [Name, Search | undefined][]).flatMap(([name, search]) =>
      search ? [{ name, ...search }] : [],
    )
    const answer = {} as Record<Name, Part | undefined>
    if (wanted.length === 0) return answer
    const preference = this.workspaceId
    const body = wanted.flatMap(({ index, mayBeMissing = false, body: search }) => [
      {
        index,
        routing: this.workspaceId,
        preference,
        allow_partial_search_results: false,
        ...(mayBeMissing ? { ignore_unavailable: true } : {}),
      },
      { timeout: SHARD_TIMEOUT, ...search },
    ])
    const path = `_msearch?filter_path=${READ}`
    const partsOf = (said: unknown) => {
      const { responses = [] } = said as { responses?: RawPart[] }
      return wanted.map(({ index }, i) => wholePart(responses[i], index))
    }
    const said = await this.client.ask<unknown>("POST", path, { body, signal: this.signal, check: partsOf })
    partsOf(said).forEach((part, i) => {
      answer[wanted[i]!.name] = part
    })
    return answer
  }
}

function wholePart(part: RawPart | undefined, index: string): Part {
  if (part?.error?.type === "index_not_found_exception") throw new MissingIndex(`${index} is not there`)
  if (!part || part.error || part.timed_out || part._shards?.failed) {
    const { type, reason } = part?.error ?? {}
    const why = type ? `${type}: ${reason}` : part?.timed_out ? "a shard took too long" : "a shard failed"
    throw new EngineError("search", `${index}: ${why}`, { answered: !PASSING.has(part?.status ?? 0) })
  }
  const { hits, aggregations = {} } = part
  return { total: hits?.total?.value ?? 0, hits: hits?.hits ?? [], aggregations }
}

/** Asks for nothing that is stored, not even the document's name: reading it took longer than finding the document. */
export const BARE = { stored_fields: "_none_", track_total_hits: false }

/** Best first; equal scores in the order of ids, so that pages follow one another. */
export const BEST_FIRST = { ...BARE, sort: [{ _score: "desc" }, { i: "asc" }] }

/** Of a search that sorts by the id last. */
export const idsOf = ({ hits }: Part): number[] => hits.map(({ sort }) => sort.at(-1)!)
