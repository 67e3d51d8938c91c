/** Counts what passes between a node and an engine: bytes, and how often the node waits for an answer. */
import { connect, createServer, type Server } from "node:net"

export interface Passed {
  bytes: number
  /** How often something was sent to the engine after the engine had said something. */
  trips: number
}

export class Wire {
  passed: Passed = { bytes: 0, trips: 0 }
  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /** Listens on the loopback and passes everything on. */
  static async to(host: string, port: number): Promise<Wire> {
    let wire: Wire | undefined
    const server = createServer(client => {
      const engine = connect(port, host)
      let asked = false
      client.on("data", bytes => {
        wire!.passed.bytes += bytes.length
        if (!asked) wire!.passed.trips++
        asked = true
      })
      engine.on("data", bytes => {
        wire!.passed.bytes += bytes.length
        asked = false
      })
      client.pipe(engine).pipe(client)
      for (const [one, other] of [
        [client, engine],
        [engine, client],
      ] as const) {
        one.on("error", () => other.destroy())
        one.on("close", () => other.destroy())
      }
    })
    const { promise, resolve } = Promise.withResolvers<void>()
    server.listen(0, "127.0.0.1", resolve)
    await promise
    wire = new Wire(server, (server.address() as { port: number }).port)
    return wire
  }

  reset(): void {
    this.passed = { bytes: 0, trips: 0 }
  }

  close(): void {
    this.server.close()
  }
}
