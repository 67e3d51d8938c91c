/** A web site on the loopback that does what real ones do, and what hostile ones do. */
import { gzipSync } from "node:zlib"

type Page = (request: Request, url: URL) => Response | Promise<Response>

export interface WebSite {
  url: string
  /** `host:port`, for an allow list. */
  place: string
  /** By path; whatever is not there is 404. May be changed at any time. */
  pages: Map<string, Page>
  /** Paths with their queries, in the order in which they were asked for. */
  asked: string[]
  headers: Headers[]
  /** Largest number of requests that were under way at the same time. */
  busiest: number
  stop(): Promise<void>
}

export const html = (body: string, headers: Record<string, string> = {}): Response =>
  new Response(body, { headers: { "content-type": "text/html; charset=utf-8", ...headers } })

/** A page that is 304 for who knows it. */
export const tagged =
  (body: string, tag: string, name: "etag" | "last-modified" = "etag"): Page =>
  request => {
    const known = request.headers.get(name === "etag" ? "if-none-match" : "if-modified-since")
    return known === tag ? new Response(null, { status: 304 }) : html(body, { [name]: tag })
  }

export const redirect = (location: string, status = 302): Response =>
  new Response(null, { status, headers: { location } })

/** Unpacks to a hundred times its size. */
export const bomb = (bytes: number): Response =>
  new Response(gzipSync(Buffer.alloc(bytes, 32)), {
    headers: { "content-encoding": "gzip", "content-type": "text/html" },
  })

/** Goes on for as long as it is read. */
export const endless = (): Response =>
  new Response(
    new ReadableStream({
      pull(controller) {
        controller.enqueue(Buffer.alloc(1_048_576, 97))
      },
    }),
    { headers: { "content-type": "text/html" } },
  )

export function startWebSite(pages: Record<string, string | Page> = {}): WebSite {
  let busy = 0
  const asPage = (page: string | Page): Page => (typeof page === "string" ? () => html(page) : page)
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 120,
    async fetch(request) {
      const url = new URL(request.url)
      site.asked.push(url.pathname + url.search)
      site.headers.push(request.headers)
      site.busiest = Math.max(site.busiest, ++busy)
      try {
        const page = site.pages.get(url.pathname) ?? site.pages.get("*")
        return page ? await page(request, url) : new Response("not here", { status: 404 })
      } finally {
        busy--
      }
    },
  })
  const site: WebSite = {
    url: `http://127.0.0.1:${server.port}`,
    place: `127.0.0.1:${server.port}`,
    pages: new Map(Object.entries(pages).map(([path, page]) => [path, asPage(page)])),
    asked: [],
    headers: [],
    busiest: 0,
    stop: () => server.stop(true),
  }
  return site
}
