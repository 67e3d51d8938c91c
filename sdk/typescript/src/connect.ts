/** How requests leave: through a proxy, and with certificates of one's own. */
import { CarrelError } from "./api-error.ts"

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface ConnectOptions {
  /**
   * Everything goes through it: `http://name:password@proxy.corp:3128`. Without it the platform's own rule counts: Bun and Deno
   * read `HTTPS_PROXY` and `NO_PROXY`. Under Bun, and under Node with the package `undici`.
   */
  proxy?: string
  /** Certificates (PEM) that are trusted, in place of the machine's own. Under Bun, and under Node with the package `undici`. */
  tlsRoots?: string
  /** In place of the platform's own. */
  fetch?: Fetch
}

/** @throws TypeError where that is not to be had here */
export function fetchOf({ proxy, tlsRoots, fetch: own }: ConnectOptions, baseUrl: string): Fetch {
  if (!proxy && !tlsRoots) return own ?? ((url, init) => fetch(url, init))
  if (own) throw new TypeError("a fetch of your own has its own proxy and certificates")
  // What is wrong with it is not told: it may hold a password.
  if (proxy && !(/^https?:/i.test(proxy) && URL.canParse(proxy))) throw new TypeError("proxy is no http address")
  if ("Bun" in globalThis) return fetchOfBun(proxy, tlsRoots)
  if ((globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node && !("Deno" in globalThis))
    return fetchOfNode(proxy, tlsRoots, baseUrl.startsWith("https:"))
  throw new TypeError("proxy and tlsRoots are known under Node and Bun; elsewhere give a fetch of your own")
}

function fetchOfBun(proxy: string | undefined, tlsRoots: string | undefined): Fetch {
  const more = { ...(proxy ? { proxy } : {}), ...(tlsRoots ? { tls: { ca: tlsRoots } } : {}) }
  return (url, init) => fetch(url, { ...init, ...more })
}

/** What is used of undici, which Node's own `fetch` is made of and does not give out. */
interface Undici {
  fetch(url: string, init: RequestInit & { dispatcher: object }): Promise<Response>
  Agent: new (options: object) => object
  ProxyAgent: new (options: object) => object
}

function fetchOfNode(proxy: string | undefined, tlsRoots: string | undefined, isTls: boolean): Fetch {
  const name = "undici" // in a variable, so that bundlers for browsers leave it alone
  const tls = tlsRoots ? { ca: tlsRoots } : {}
  const loaded = async () => {
    const undici: Undici = await import(name).catch(cause => {
      throw new CarrelError("proxy and tlsRoots need the package undici under Node", { cause })
    })
    // Without TLS a proxy is asked as the server would be, with TLS through a tunnel.
    const dispatcher = proxy
      ? new undici.ProxyAgent({ uri: proxy, proxyTunnel: isTls, requestTls: tls, proxyTls: tls })
      : new undici.Agent({ connect: tls })
    return (url: string, init: RequestInit) => undici.fetch(url, { ...init, dispatcher })
  }
  let ready: Promise<Fetch> | undefined
  return async (url, init) => {
    ready ??= loaded()
    return (await ready)(url, init)
  }
}
