/**
 * What went wrong lately, for administrators: of the lines of the log that are warnings or errors what holds no contents,
 * the same one counted rather than repeated. In memory, of this process alone.
 */

export interface Failure {
  /** The last time. */
  at: string
  level: "warn" | "error"
  message: string
  /** Of the error: a code of the API, or the name of its class. */
  code: string | null
  /** Of the last request that failed so. */
  request_id: string | null
  /** How it was asked, such as `POST /external/search`; null for what no request asked for. */
  route: string | null
  /** Times, since it was first seen. */
  count: number
}

const MAX_KEPT = 200

export class LogRecord {
  /** Newest last. */
  private readonly kept = new Map<string, Failure>()

  note(failure: Omit<Failure, "at" | "count">): void {
    const { level, message, code, route } = failure
    const key = JSON.stringify([level, message, code, route])
    const count = (this.kept.get(key)?.count ?? 0) + 1
    this.kept.delete(key)
    this.kept.set(key, { ...failure, at: new Date().toISOString(), count })
    if (this.kept.size > MAX_KEPT) this.kept.delete(this.kept.keys().next().value!)
  }

  /** Newest first. */
  list(): Failure[] {
    return [...this.kept.values()].reverse()
  }
}
