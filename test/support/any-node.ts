/** The nodes of a cluster as a client behind a balancer sees them: each request goes to one of them, whichever it is. */
import type { Chance } from "../crash/chance.ts"
import type { ClusterNode, Credentials } from "./cluster-node.ts"
import type { Reached } from "./daemon.ts"
import { holdToDocument } from "./documented.ts"
import { until } from "./until.ts"

/** Longer than any answer takes while an engine is away; a node that hangs answers nothing at all. */
const REQUEST_MS = 45_000
/** Files may wait for engines that were away and for leases of nodes that died. */
const SETTLED_MS = 180_000

export class AnyNode implements Reached {
  constructor(
    private readonly nodes: readonly ClusterNode[],
    readonly credentials: Credentials,
    private readonly chance: Chance,
  ) {
    holdToDocument()
  }

  /** Of another node each time; of one that runs, where one does. */
  get url(): string {
    const running = this.nodes.filter(({ isRunning }) => isRunning)
    const nodes = running.length > 0 ? running : this.nodes
    return nodes[this.chance(nodes.length)]!.url
  }

  async fetch(path: string, init: RequestInit = {}, url = this.url): Promise<Response> {
    const { "client-id": clientId, "private-key": privateKey, secret } = this.credentials
    return fetch(`${url}/external${path}`, {
      signal: AbortSignal.timeout(REQUEST_MS),
      ...init,
      headers: { "client-id": clientId, "private-key": privateKey, secret, ...init.headers },
    })
  }

  // biome-ignore lint/suspicious/noExplicitAny: bodies of every route
  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<any> {
    const isForm = body instanceof FormData
    const url = this.url
    const response = await this.fetch(
      path,
      {
        method,
        headers: { ...(body === undefined || isForm ? {} : { "content-type": "application/json" }), ...headers },
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      },
      url,
    )
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${url}${path} answered ${response.status}: ${text.slice(0, 300)}`)
    return text ? JSON.parse(text) : null
  }

  // biome-ignore lint/suspicious/noExplicitAny: a file record
  async upload(name: string, text: string, fields: Record<string, string> = {}): Promise<any> {
    const form = new FormData()
    for (const [field, value] of Object.entries(fields)) form.append(field, value)
    form.append("files", new Blob([text]), name)
    return (await this.call("POST", "/upload", form)).files[0]
  }

  async settled(): Promise<void> {
    const waiting = () => this.call("GET", "/libraries?status=queued,indexing&page_size=1")
    await until(async () => (await waiting()).pagination.total_items === 0, { everyMs: 250, within: SETTLED_MS })
  }
}
