import type { Transport } from "./transport.ts"

/** One word of the API, over the calls. */
export abstract class Resource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }
}
