/** Writes documents in requests of a bounded size. Writing twice does nothing: a passage is one document, by its number. */
import { EngineError } from "../../errors.ts"
import { yieldToOthers } from "../../storage/chunks.ts"
import { Busy, type OpenSearchClient, PASSING } from "./client.ts"
import { isMissing } from "./indexes.ts"

export interface BulkDocument {
  id: string
  routing: string
  document: object
}

/** Of one request: the engine holds all of it in memory, and a few of them at once. */
const MAX_BYTES = 4 * 2 ** 20
const MAX_DOCUMENTS = 500
const TIMEOUT_MS = 60_000
/** Documents spelled at a time: 16 vectors of 1 024 dimensions are 3 ms. */
const AT_A_TIME = 16
/** An engine with too much to do is asked again for so long; then the job is given back and waits. */
const PATIENCE_MS = 60_000
const FIRST_WAIT_MS = 200
const MAX_WAIT_MS = 5_000

interface Line {
  id: string
  text: string
}

interface BulkAnswer {
  errors: boolean
  items: { index: { status: number; error?: { type: string; reason: string } } }[]
}

/**
 * @throws EngineError where the engine could not take all of them now · Error where it refused one for good: then others
 * may be written
 */
export async function writeBulk(
  client: OpenSearchClient,
  alias: string,
  documents: Iterable<BulkDocument>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  let lines: Line[] = []
  let bytes = 0
  let spelled = 0
  for (const { id, routing, document } of documents) {
    const text = `{"index":{"_id":${JSON.stringify(id)},"routing":${JSON.stringify(routing)}}}\n${JSON.stringify(document)}\n`
    if (lines.length > 0 && (lines.length === MAX_DOCUMENTS || bytes + text.length > MAX_BYTES)) {
      await send(client, alias, lines, patienceMs)
      lines = []
      bytes = 0
    }
    lines.push({ id, text })
    bytes += text.length
    if (++spelled % AT_A_TIME === 0) await yieldToOthers()
  }
  if (lines.length > 0) await send(client, alias, lines, patienceMs)
}

/** Sends again what the engine had no room for. */
async function send(client: OpenSearchClient, alias: string, lines: Line[], patienceMs: number): Promise<void> {
  const until = performance.now() + patienceMs
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
    const left = await sendOnce(client, alias, lines)
    if (left.length === 0) return
    if (performance.now() + waitMs > until) throw new EngineError("search", "it takes no more passages at present")
    lines = left
    await Bun.sleep(waitMs * (0.5 + Math.random()))
  }
}

/** @returns what is to be sent again */
async function sendOnce(client: OpenSearchClient, alias: string, lines: Line[]): Promise<Line[]> {
  const body = lines.map(({ text }) => text).join("")
  const path = `${alias}/_bulk?require_alias=true&filter_path=errors,items.*.status,items.*.error.type,items.*.error.reason`
  const answer = await client.ask<BulkAnswer>("POST", path, { body, timeoutMs: TIMEOUT_MS }).catch(error => {
    if (error instanceof Busy) return undefined
    if (isMissing(error)) throw gone(alias)
    throw error
  })
  if (!answer) return lines
  if (!answer.errors) return []
  return lines.filter(({ id }, i) => {
    const { status, error } = answer.items[i]!.index
    if (status < 300) return false
    if (PASSING.has(status)) return true
    if (error?.type === "index_not_found_exception") throw gone(alias)
    throw new Error(`OpenSearch refused passage ${id}: ${status} ${error?.type}: ${error?.reason}`)
  })
}

/** Such as a table of vectors that another node has replaced meanwhile. Whoever tries again has it or another. */
const gone = (alias: string): EngineError => new EngineError("search", `its index ${alias} is gone`, { answered: true })
