/**
 * The offline guarantee: with `--offline` nothing in this process connects anywhere but to the servers that the operator
 * configured. Wraps the ways out that the runtime has; attempts are refused before a name is looked up, and counted.
 */
import net from "node:net"
import { AppError } from "./errors.ts"
import { log } from "./log.ts"
import { refusedConnections } from "./metrics.ts"

/** Hosts, with their ports, of the given addresses: `http://127.0.0.1:11434` → `127.0.0.1:11434`. */
const destinationsOf = (urls: readonly string[]): Set<string> =>
  new Set(urls.filter(Boolean).map(url => destination(new URL(url))))

const destination = (url: URL): string => `${url.hostname}:${url.port || (url.protocol === "https:" ? "443" : "80")}`

/**
 * From now on every connection to another destination than those of `allowed` fails.
 * @returns takes the guard away again
 */
export function refuseOutbound(allowed: readonly string[]): () => void {
  const destinations = destinationsOf(allowed)
  const check = (target: string) => {
    if (destinations.has(target)) return
    refusedConnections.inc()
    log.warn("an outbound connection was refused", { destination: target })
    throw new AppError("forbidden", {
      message: `offline: no connection to ${target}`,
      hint: "the daemon runs with --offline; only the configured model server may be reached",
    })
  }
  const { fetch } = globalThis
  const connect = net.Socket.prototype.connect
  globalThis.fetch = Object.assign(
    async (input: Parameters<typeof fetch>[0], init?: Parameters<typeof fetch>[1]) => {
      const address = input instanceof Request ? input.url : String(input)
      if (/^https?:/i.test(address)) check(destination(new URL(address)))
      return fetch(input, init)
    },
    { preconnect: fetch.preconnect },
  )
  net.Socket.prototype.connect = function guarded(this: net.Socket, ...args: unknown[]) {
    const [first, second] = (Array.isArray(args[0]) ? args[0] : args) as [unknown, unknown]
    const options = (typeof first === "object" && first !== null ? first : { port: first, host: second }) as {
      path?: string
      host?: string
      port?: number
    }
    if (options.path === undefined && typeof first !== "string") check(`${options.host ?? "localhost"}:${options.port}`)
    return Reflect.apply(connect, this, args)
  } as typeof connect
  return () => {
    globalThis.fetch = fetch
    net.Socket.prototype.connect = connect
  }
}
