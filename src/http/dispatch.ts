/** Requests inside of others, given to the routes as they stand: their checks, their handlers, their errors. */
import type { AnyElysia } from "elysia"
import type { Dispatch } from "../batches/dispatch.ts"
import { newId } from "../id.ts"
import { log } from "../log.ts"
import type { Auditing } from "./audit.ts"
import { type RequestContext, setContext } from "./context.ts"

/** Of requests that no address sent. */
const NO_ADDRESS = "internal"

export const dispatchTo =
  (app: AnyElysia, audited: Auditing): Dispatch =>
  async ({ principal, url, body, idempotencyKey, signal }) => {
    signal.throwIfAborted()
    const requestId = newId("req")
    const request = new Request(`http://localhost${url}`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", "idempotency-key": idempotencyKey },
      body,
      signal,
    })
    const context: RequestContext = {
      requestId,
      address: NO_ADDRESS,
      secure: false,
      principal,
      headers: {},
      keepOpen: () => ({ signal, close() {} }), // whoever dispatches ends it with its credential
    }
    setContext(request, context)
    const response = await audited(request, context, await app.handle(request))
    const text = await response.text()
    signal.throwIfAborted()
    log.debug("request inside of another", { request_id: requestId, path: url, status: response.status })
    return { statusCode: response.status, requestId, body: text, failure: context.failure }
  }
