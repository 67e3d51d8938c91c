/** Stands between a node and the engine, and does what networks and overloaded engines do. */
import type { OpenSearchAddress } from "../../../src/search/opensearch/client.ts"

type Answer = Response | undefined

export class Between {
  /** Answers in the engine's place; undefined lets a request through. */
  instead: (request: Request, path: string) => Answer | Promise<Answer> = () => undefined
  private server: ReturnType<typeof Bun.serve>
  private readonly port: number

  constructor(private readonly engine: OpenSearchAddress) {
    this.server = this.listen(0)
    this.port = this.server.port!
  }

  /** The engine's, by way of this. */
  get address(): OpenSearchAddress {
    const { prefix, credentials } = this.engine
    return { url: `http://127.0.0.1:${this.port}`, prefix, ...(credentials ? { credentials } : {}) }
  }

  /** Ends every connection and takes no other. */
  async cut(): Promise<void> {
    await this.server.stop(true)
  }

  /** Under the same address as before. */
  mend(): void {
    this.server = this.listen(this.port)
  }

  async close(): Promise<void> {
    await this.server.stop(true)
  }

  private listen(port: number) {
    return Bun.serve({ port, hostname: "127.0.0.1", idleTimeout: 120, fetch: request => this.pass(request) })
  }

  private async pass(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    const answer = await this.instead(request, pathname)
    if (answer) return answer
    const { url, ca } = this.engine
    const body = request.method === "GET" ? {} : { body: await request.arrayBuffer() }
    const passed = await fetch(`${url}${pathname}${search}`, {
      method: request.method,
      headers: {
        authorization: request.headers.get("authorization") ?? "",
        "content-type": request.headers.get("content-type") ?? "application/json",
      },
      ...(ca ? { tls: { ca } } : {}),
      ...body,
    }).catch(() => new Response("the engine has ended", { status: 502 }))
    return new Response(await passed.arrayBuffer(), { status: passed.status })
  }
}
