/** What batches and schedules may call: a URL is one line here. */

/** What a call made that stays when it fails: to be removed before the call is made anew. */
export type Made = { run_id: string } | { conversation_id: string } | { response_id: string }

interface Target {
  /** Where its time goes: to a model that takes several at once, or to this machine. */
  work: "model" | "local"
  /** Of an answer with a status of success that tells of a failure, as a repetition does: what was made. */
  failed?(body: Record<string, unknown>): Made | undefined
}

export const TARGETS = {
  "/v1/chat/completions": { work: "model" },
  "/v1/embeddings": { work: "local" },
  "/v1/responses": {
    work: "model",
    failed: ({ id, status }) => (status === "failed" ? { response_id: String(id) } : undefined),
  },
  "/external/conversations": {
    work: "model",
    failed({ conversation_id: id, messages }) {
      const last = (messages as { error?: unknown }[] | undefined)?.at(-1)
      return last?.error ? { conversation_id: String(id) } : undefined
    },
  },
  "/external/agents/run": { work: "model" },
  "/external/search": { work: "local" },
  "/external/redact": { work: "local" },
} as const satisfies Record<string, Target>

export type TargetUrl = keyof typeof TARGETS
export const TARGET_URLS = Object.keys(TARGETS) as TargetUrl[]

export const targetOf = (url: TargetUrl): Target => TARGETS[url]

const PREFIX = "/external-docs"

/** As the table has it, also where the canonical prefix is given; undefined for what may not be called. */
export function targetUrl(url: unknown): TargetUrl | undefined {
  if (typeof url !== "string") return undefined
  const inner = url.startsWith(`${PREFIX}/`) ? url.slice(PREFIX.length) : url
  return TARGET_URLS.find(each => each === inner)
}

/** @returns what is wrong with the body of a request that nobody waits for; undefined for a good one */
export function bodyProblem(body: unknown): { param: string; issue: string } | undefined {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    return { param: "body", issue: "must be a JSON object" }
  const { stream, background } = body as { stream?: unknown; background?: unknown }
  if (stream) return { param: "body.stream", issue: "must not be true: the whole answer is kept" }
  if (background) return { param: "body.background", issue: "must not be true: it goes on in the background already" }
  return undefined
}
