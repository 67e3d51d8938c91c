/**
 * Bounds on what servers of external tools say. A message that is larger is not read: whoever asked gets an error of the
 * protocol in its place, so that the call ends at once and the connection stays.
 */
import { fetchWithin, firstBytes } from "../outbound.ts"

/** Of one message; the library's own bound on standard input and output. */
export const MAX_MESSAGE_BYTES = 10 * 2 ** 20
/** In the range that JSON-RPC leaves to implementations. */
export const TOO_LARGE = -32_099

/** For HTTP: an answer as a whole, or each event of a stream. */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetchWithin(String(url), init)
  if (!response.body) return response
  const { status, headers } = response
  const instead = refusalTo(init?.body)
  if (headers.get("content-type")?.startsWith("text/event-stream"))
    return new Response(response.body.pipeThrough(boundedEvents(instead)), { status, headers })
  const bytes = await firstBytes(response, MAX_MESSAGE_BYTES + 1)
  if (bytes.length > MAX_MESSAGE_BYTES) return new Response(instead, { headers: JSON_TYPE })
  return new Response(bytes, { status, headers })
}

const JSON_TYPE = { "content-type": "application/json" }

/** The error that answers a request. */
function refusalTo(body: unknown): string {
  const { id = null } = typeof body === "string" ? (JSON.parse(body) as { id?: unknown }) : {}
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code: TOO_LARGE, message: "the answer is too large" } })
}

/** Lets each event through when it is whole; one that grows too large becomes `instead`, and ends the stream. */
function boundedEvents(instead: string): TransformStream<Uint8Array, Uint8Array> {
  let held: Uint8Array[] = []
  let size = 0
  let lineLength = 0
  return new TransformStream({
    transform(chunk, controller) {
      let end = 0
      for (let at = 0; at < chunk.length; at++) {
        if (chunk[at] === CARRIAGE_RETURN) continue
        if (chunk[at] !== LINE_FEED) lineLength++
        else {
          if (lineLength === 0) end = at + 1
          lineLength = 0
        }
      }
      if (end > 0) {
        for (const part of held) controller.enqueue(part)
        controller.enqueue(chunk.subarray(0, end))
        held = []
        size = 0
      }
      if (end < chunk.length) held.push(chunk.subarray(end))
      size += chunk.length - end
      if (size <= MAX_MESSAGE_BYTES) return
      held = []
      controller.enqueue(new TextEncoder().encode(`data: ${instead}\n\n`))
      controller.terminate()
    },
    flush(controller) {
      for (const part of held) controller.enqueue(part)
    },
  })
}

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
