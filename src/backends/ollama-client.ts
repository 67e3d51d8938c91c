/**
 * The `ollama` package over our own way out. The package spells the protocol; what it lacks stays in front of it: redirects
 * stay within the server, lines and answers are bounded, and it sees nothing that it would only write to the console.
 * Of its two entries the one for browsers is used: the other reads files that a picture's text happens to name.
 */
import { Ollama } from "ollama/browser"
import type { AppError } from "../errors.ts"
import { fetchWithin } from "../outbound.ts"
import type { SilenceWatch } from "./silence-watch.ts"
import { Splices } from "./splices.ts"
import { brokenOff, errorText, notJson, readLineBatches, whole } from "./wire.ts"

/** Instead of the package's own, which tell the platform and, of ollama.com, a key of the environment. */
const HEADERS = { "content-type": "application/json", accept: "application/json" }

type Send = (url: string, init: RequestInit) => Promise<Response>

/**
 * @param splices what stands for long texts in a request
 * @param send gives answers that are ok and throws for others, as the package would read error bodies to the console
 */
export const ollamaClient = (host: string, send: Send, splices = new Splices()): Ollama =>
  new Ollama({
    host,
    fetch: (async (url: string, { method, body }: RequestInit = {}) => {
      const whole = typeof body === "string" ? await splices.into(body) : body
      return send(url, { headers: HEADERS, ...(method ? { method } : {}), ...(whole ? { body: whole } : {}) })
    }) as typeof fetch,
  })

/** A client for questions that are answered at once. @param refusal what an error status means */
export const askingClient = (
  host: string,
  signal: AbortSignal,
  refusal: (status: number, text: string) => Error,
): Ollama =>
  ollamaClient(host, async (url, init) => {
    const response = await whole(await fetchWithin(url, { ...init, signal }))
    if (response.ok) return response
    throw refusal(response.status, errorText(await response.text()))
  })

/**
 * The lines of a stream as the package may get them: one object each, no blanks, the last one `done`. Taken as they come, so
 * that what comes before a failure is still read.
 */
export function checkedLines(response: Response, watch: SilenceWatch, errorOf: (text: string) => AppError): Response {
  const batches = readLineBatches(response, watch)
  const encoder = new TextEncoder()
  let ended = false
  let failure: unknown
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (failure !== undefined) throw failure
        if (ended) return controller.close()
        const { value: lines, done } = await batches.next()
        if (done) throw brokenOff("Ollama")
        const good: string[] = []
        try {
          for (const line of lines) {
            if (ended) break
            ended = checked(line, errorOf).done === true
            good.push(line)
          }
        } catch (error) {
          if (good.length === 0) throw error
          failure = error
        }
        controller.enqueue(encoder.encode(`${good.join("\n")}\n`))
      },
      async cancel() {
        await batches.return(undefined)
      },
    },
    { highWaterMark: 0 }, // an error would take with it what lies in a queue
  )
  return new Response(body)
}

/** @throws AppError for a line that is not an object, or reports an error */
function checked(line: string, errorOf: (text: string) => AppError): { done?: unknown } {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    // told below: the parser's own error would quote the line
  }
  if (typeof value !== "object" || value === null) throw notJson("Ollama", line)
  if ("error" in value) throw errorOf(errorText(line))
  return value
}
