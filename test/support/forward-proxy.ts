/** A forward proxy that asks for a name and a password: tunnels by CONNECT, and plain requests by their whole address. */
import { connect, createServer, type Socket } from "node:net"

export interface ForwardProxy {
  /** Without credentials. */
  port: number
  /** What was asked of it: `CONNECT 127.0.0.1:4747`, `GET http://127.0.0.1:4747/healthz`; with its status where it refused. */
  seen: string[]
  stop(): void
}

const HEAD_ENDS = "\r\n\r\n"

/** @param login `name:password` */
export async function startForwardProxy(login: string): Promise<ForwardProxy> {
  const seen: string[] = []
  const open = new Set<Socket>()
  const expected = `basic ${Buffer.from(login).toString("base64")}`
  const server = createServer(client => {
    open.add(client)
    client.on("close", () => open.delete(client)).on("error", () => {})
    let head = Buffer.alloc(0)
    client.on("data", function onHead(chunk: Buffer) {
      head = Buffer.concat([head, chunk])
      const end = head.indexOf(HEAD_ENDS)
      if (end < 0) return
      client.off("data", onHead).pause()
      const [first, ...headers] = head.subarray(0, end).toString("latin1").split("\r\n")
      const [method, target] = first!.split(" ") as [string, string]
      const given = headers.find(line => /^proxy-authorization:/i.test(line))?.slice("proxy-authorization:".length)
      if (given?.trim().replace(/^basic/i, "basic") !== expected) {
        seen.push(`407 ${method} ${target}`)
        client.end('HTTP/1.1 407 Who are you\r\nproxy-authenticate: Basic realm="test"\r\ncontent-length: 0\r\n\r\n')
        return
      }
      seen.push(`${method} ${target}`)
      const rest = head.subarray(end + HEAD_ENDS.length)
      if (method === "CONNECT") tunnel(client, target, rest)
      else pass(client, target, Buffer.concat([plainHead(method, target, headers), rest]))
    })
  })
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as { port: number }).port,
    seen,
    stop() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}

/** As the server expects it. */
function plainHead(method: string, target: string, headers: readonly string[]): Buffer {
  const { pathname, search } = new URL(target)
  const kept = headers.filter(line => !/^(?:proxy-\w+|connection):/i.test(line))
  return Buffer.from(
    [`${method} ${pathname}${search} HTTP/1.1`, ...kept, "connection: close", "", ""].join("\r\n"),
    "latin1",
  )
}

/** One request a connection, so that each comes with a head of its own. */
function pass(client: Socket, target: string, request: Buffer): void {
  const server = connected(client, new URL(target), () => {
    server.write(request)
    client.pipe(server)
  })
  server.once("data", (answer: Buffer) => {
    const [status] = answer.toString("latin1").split("\r\n", 1)
    client.write(`${status}\r\nconnection: close`)
    client.write(answer.subarray(status!.length))
    server.pipe(client)
  })
}

function tunnel(client: Socket, target: string, first: Buffer): void {
  const server = connected(client, new URL(`tcp://${target}`), () => {
    client.write("HTTP/1.1 200 Go on\r\n\r\n")
    server.write(first)
    client.pipe(server)
    server.pipe(client)
  })
}

function connected(client: Socket, { hostname, port }: URL, then: () => void): Socket {
  const server = connect(Number(port), hostname, then)
  server.on("error", () => client.destroy())
  client.on("close", () => server.destroy())
  return server
}
