/** What is looked at after work that nobody waits for: the feed, files of a source, lines of a batch. */
import type { Reached } from "./daemon.ts"
import { until } from "./until.ts"

export interface FeedEvent {
  id: string
  type: string
  data: { id: string; sync_id?: string }
}

/** Every event that is kept, oldest first. */
export async function feedOf(product: Pick<Reached, "call">): Promise<FeedEvent[]> {
  const events: FeedEvent[] = []
  for (let after = ""; ; ) {
    const { data, next } = await product.call("GET", `/events?limit=1000${after && `&after=${after}`}`)
    if (data.length === 0) return events
    events.push(...data)
    after = next
  }
}

export interface HeldFile {
  id: string
  /** What the source calls it. */
  key: string
  sha256: string
  status: string
}

export async function filesOfSource(product: Pick<Reached, "call">, sourceId: string): Promise<HeldFile[]> {
  const filter = encodeURIComponent(JSON.stringify({ type: "eq", key: "file.source_id", value: sourceId }))
  const all: HeldFile[] = []
  for (let page = 1; ; page++) {
    const { data, pagination } = await product.call("GET", `/libraries?page_size=100&page=${page}&filter=${filter}`)
    for (const { id, source, sha256, status } of data) all.push({ id, key: source.key, sha256, status })
    if (!pagination.has_next) return all
  }
}

/** Waits for its end. */
// biome-ignore lint/suspicious/noExplicitAny: a batch
export const endedBatch = (product: Pick<Reached, "call">, id: string): Promise<any> =>
  until(
    async () => {
      const batch = await product.call("GET", `/batches/${id}`)
      return !["validating", "in_progress", "finalizing"].includes(batch.status) && batch
    },
    { within: 180_000, everyMs: 100 },
  )

/** Of a file of JSONL, such as the output of a batch. */
export async function linesOf(
  { url, credentials }: Pick<Reached, "url" | "credentials">,
  fileId: string,
): Promise<{ custom_id: string }[]> {
  const response = await fetch(`${url}/v1/files/${fileId}/content`, { headers: credentials })
  const text = await response.text()
  return text
    .trim()
    .split("\n")
    .map(line => JSON.parse(line))
}
