/**
 * Brings the engine to what Carrel needs of it: a version that can do it, an index of words and one of vectors for each
 * table. Any node may do so at any time, and several at once. Carrel speaks to an index by its alias: what is written to one
 * that was dropped is refused then, instead of making it anew without its mapping.
 */
import { EngineError, OperatorError } from "../../errors.ts"
import { type OpenSearchClient, Refusal } from "./client.ts"
import { type IndexSize, vectorsIndex, vectorsIndexBody, wordsIndex, wordsIndexBody } from "./layout.ts"

/** Passages of a workspace lie in one shard. 10⁸ of them in all are 45 GB a shard. */
const SIZE: IndexSize = { shards: 6, copies: 0 }
/** One copy as soon as there is a second node, whatever their number was when the index was made. */
const SETTINGS = {
  "index.auto_expand_replicas": "0-1",
  "index.merge.policy.expunge_deletes_allowed": "0", // percent: see `Expunging`
}
/** Of the names behind the aliases. */
const FIRST = "-1"
const CREATE_TIMEOUT_MS = 60_000
const LEAST_VERSION = [2, 19] as const

interface IndexBody {
  settings: object
  mappings: object
}

export interface IndexesOptions {
  client: OpenSearchClient
  /** Id of the installation, which its indexes are marked with. */
  cluster: string
  /** Shards of new indexes. */
  shards?: number
}

export class Indexes {
  readonly words: string
  private readonly client: OpenSearchClient
  private readonly made = new Map<string, Promise<void>>()

  constructor(private readonly options: IndexesOptions) {
    this.client = options.client
    this.words = wordsIndex(options.client.prefix)
  }

  vectors(table: string): string {
    return vectorsIndex(this.client.prefix, table)
  }

  /**
   * @throws OperatorError for another engine, one that is too old or lacks k-NN, and a prefix of another installation ·
   * EngineError while it does not answer
   */
  async prepare(): Promise<void> {
    await checkEngine(this.client)
    await this.haveWords()
  }

  /**
   * What `prepare` would refuse, and writes nothing.
   * @param mayBeNew nobody uses the place yet
   * @throws as `prepare`
   */
  async look({ mayBeNew }: { mayBeNew: boolean }): Promise<void> {
    await checkEngine(this.client)
    await this.refuseOthers(this.words).catch(error => {
      if (!isMissing(error)) throw error
      if (mayBeNew) return
      throw new OperatorError(`OpenSearch has no index ${this.words}, and nodes of the cluster are at work with one`, {
        hint: "give every node the same address and prefix in --search-url; where the engine lost it, they make it anew within minutes",
      })
    })
  }

  haveWords(): Promise<void> {
    return this.have(this.words, () => wordsIndexBody(this.size))
  }

  haveVectors(table: string, dimensions: number): Promise<void> {
    return this.have(this.vectors(table), () => vectorsIndexBody(this.size, dimensions))
  }

  async drop(alias: string): Promise<void> {
    this.made.delete(alias)
    await this.client.ask("DELETE", `${alias}${FIRST}?ignore_unavailable=true`).catch(error => {
      if (!isMissing(error)) throw error
    })
  }

  /** An index was found to be gone: it is made anew at the next need. */
  forget(alias: string): void {
    this.made.delete(alias)
  }

  private get size(): IndexSize {
    return { ...SIZE, shards: this.options.shards ?? SIZE.shards }
  }

  private have(alias: string, body: () => IndexBody): Promise<void> {
    const known = this.made.get(alias)
    if (known) return known
    const made = this.make(alias, body())
    this.made.set(alias, made)
    made.catch(() => this.made.delete(alias))
    return made
  }

  private async make(alias: string, { settings, mappings }: IndexBody): Promise<void> {
    const { cluster } = this.options
    const body = {
      settings: { ...settings, ...SETTINGS },
      mappings: { ...mappings, _meta: { carrel: cluster } },
      aliases: { [alias]: { is_write_index: true } },
    }
    try {
      await this.client.ask("PUT", `${alias}${FIRST}`, { body, timeoutMs: CREATE_TIMEOUT_MS })
    } catch (error) {
      if (!(error instanceof Refusal && error.type === "resource_already_exists_exception")) throw error
    }
    await this.refuseOthers(alias)
  }

  private async refuseOthers(alias: string): Promise<void> {
    const { cluster } = this.options
    const found = await this.client.ask<Record<string, { mappings: { _meta?: { carrel?: string } } }>>(
      "GET",
      `${alias}/_mapping`,
    )
    if (Object.values(found)[0]?.mappings._meta?.carrel === cluster) return
    throw new OperatorError(
      `the indexes of OpenSearch that begin with ${this.client.prefix}- belong to another cluster`,
      {
        hint: "name another prefix in --search-url (?prefix=NAME), or the database of that cluster in --database-url",
      },
    )
  }
}

export const isMissing = (error: unknown): boolean =>
  error instanceof Refusal && error.status === 404 && error.type === "index_not_found_exception"

async function checkEngine(client: OpenSearchClient): Promise<void> {
  const about = await client.ask<{ version?: { distribution?: string; number?: string } }>("GET", "").catch(refused)
  const { distribution, number = "" } = about.version ?? {}
  if (distribution !== "opensearch")
    throw new OperatorError("--search-url: there is no OpenSearch at this address", {
      hint: number
        ? `what answers calls itself ${distribution ?? "Elasticsearch"} ${number}`
        : "something else answers",
    })
  const [major = 0, minor = 0] = number.split(".").map(Number)
  const [leastMajor, leastMinor] = LEAST_VERSION
  if (major < leastMajor || (major === leastMajor && minor < leastMinor))
    throw new OperatorError(`--search-url: OpenSearch ${number} is too old`, {
      hint: `${LEAST_VERSION.join(".")} or newer is needed`,
    })
  const plugins = await client
    .ask<{ component: string }[]>("GET", "_cat/plugins?format=json&h=component")
    .catch(refused)
  if (!plugins.some(({ component }) => component === "opensearch-knn"))
    throw new OperatorError("--search-url: this OpenSearch lacks its plugin opensearch-knn", {
      hint: "install it on every node: opensearch-plugin install opensearch-knn",
    })
}

/** Credentials that are refused at the start are for the operator to mend; later they may be a rotation under way. */
function refused(error: unknown): never {
  if (error instanceof EngineError && error.answered && /credentials/.test(error.message))
    throw new OperatorError("--search-url: OpenSearch refuses the user or the password", { cause: error })
  throw error
}
