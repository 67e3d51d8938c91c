/** A WebDAV server in memory, where no real one is installed and for faults that those do not have at hand. */

export class WebdavStandIn {
  /** Texts by path below its folder. */
  readonly files = new Map<string, string>()
  readonly credentials = { username: "ann", password: "a secret of ann" }
  /** Decides in place of the answer. */
  fault: (asked: { method: string; path: string }) => Response | undefined = () => undefined
  private readonly server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: request => this.answer(request) })

  /** Of its folder. */
  get url(): string {
    return `http://127.0.0.1:${this.server.port}/dav/`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop(true)
  }

  private answer({ method, url, headers }: Request): Response {
    const path = decodeURIComponent(new URL(url).pathname)
      .replace(/^\/dav\//, "")
      .replace(/\/$/, "")
    const fault = this.fault({ method, path })
    if (fault) return fault
    const { username, password } = this.credentials
    const expected = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`
    if (headers.get("authorization") !== expected) return new Response(null, { status: 401 })
    const text = this.files.get(path)
    if (method === "GET") return text === undefined ? new Response(null, { status: 404 }) : new Response(text)
    const inside = [...this.files.keys()].filter(name => path === "" || name.startsWith(`${path}/`))
    if (path !== "" && inside.length === 0) return new Response(null, { status: 404 })
    const below = inside.map(name => name.slice(path === "" ? 0 : path.length + 1).split("/"))
    const folders = new Set(below.flatMap(([name, ...rest]) => (rest.length > 0 ? [name!] : [])))
    const names = below.flatMap(([name, ...rest]) => (rest.length === 0 ? [name!] : []))
    const at = (name: string) =>
      `/dav/${[path, name].filter(Boolean).join("/").split("/").map(encodeURIComponent).join("/")}`
    const parts = [
      response(at(""), FOLDER),
      ...[...folders].map(name => response(`${at(name)}/`, FOLDER)),
      ...names.map(name => {
        const content = this.files.get([path, name].filter(Boolean).join("/"))!
        const size = `<D:getcontentlength>${Buffer.byteLength(content)}</D:getcontentlength>`
        return response(at(name), `<D:resourcetype/><D:getetag>"${Bun.hash(content)}"</D:getetag>${size}`)
      }),
    ]
    return new Response(`<D:multistatus xmlns:D="DAV:">${parts.join("")}</D:multistatus>`, { status: 207 })
  }
}

const FOLDER = "<D:resourcetype><D:collection/></D:resourcetype>"

const response = (href: string, props: string): string =>
  `<D:response><D:href>${href}</D:href><D:propstat><D:prop>${props}</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>`
