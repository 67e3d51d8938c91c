/** The way to the routes themselves: a request inside of another is carried out by the very same handlers. */
import type { Principal } from "../access/principal.ts"

/** A POST with a JSON body. */
export interface InnerRequest {
  principal: Principal
  /** Path without a prefix, `/external/search`. */
  url: string
  /** JSON. */
  body: string
  /** The same request sent again under it is not carried out again, where the route knows such keys. */
  idempotencyKey: string
  /** Ends the request as a client does that goes away. */
  signal: AbortSignal
}

export interface InnerAnswer {
  statusCode: number
  requestId: string
  /** JSON. */
  body: string
  /** What it failed with. */
  failure: unknown
}

/** Passes neither network nor request limit. @throws the reason of the signal */
export type Dispatch = (request: InnerRequest) => Promise<InnerAnswer>
