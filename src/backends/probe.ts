/** Keeps the last answer of a live look at a model server: fresh for five seconds, bounded to one second, never failing. */
import type { ModelInfo } from "./backend.ts"

/** A look older than this is repeated: the contract's bound on how late a change of availability is noticed. */
const FRESH_MS = 5_000
/** A dead server may delay the list by one second at most. */
const LOOK_MS = 900
/** Callers that doubt the last look do not repeat it more often than this. */
const DOUBT_MS = 300

export class Probe {
  private models: ModelInfo[] = []
  private lookedAt = Number.NEGATIVE_INFINITY
  private looking: Promise<ModelInfo[]> | undefined

  /** `look` throws when the server does not answer; `describe` says that to the user. */
  constructor(
    private readonly look: (signal: AbortSignal) => Promise<ModelInfo[]>,
    private readonly describe: (error: unknown) => string,
  ) {}

  /** `doubtful`: the caller has reason to think that the last look is out of date. */
  async list(doubtful = false): Promise<ModelInfo[]> {
    const age = performance.now() - this.lookedAt
    if (age < (doubtful ? DOUBT_MS : FRESH_MS)) return this.models
    this.looking ??= this.lookNow().finally(() => {
      this.looking = undefined
    })
    return this.looking
  }

  /** The last look, however old. */
  get last(): ModelInfo[] {
    return this.models
  }

  /** A request showed that the last look is wrong. */
  forget(): void {
    this.lookedAt = Number.NEGATIVE_INFINITY
  }

  private async lookNow(): Promise<ModelInfo[]> {
    try {
      const late = Bun.sleep(LOOK_MS + 50).then(() => {
        throw new DOMException("no answer within one second", "TimeoutError") // a name server may hang beyond the signal
      })
      this.models = await Promise.race([this.look(AbortSignal.timeout(LOOK_MS)), late])
    } catch (error) {
      const reason = this.describe(error)
      const checkedAt = new Date().toISOString()
      this.models = this.models.map(model => ({ ...model, status: "unavailable", statusReason: reason, checkedAt }))
    }
    this.lookedAt = performance.now()
    return this.models
  }
}

/** `llama3.2:3b` → `Llama 3.2 3B`, for people. */
export function labelOf(name: string): string {
  const [path = name, tag] = name.split(":")
  const words = path
    .split("/")
    .at(-1)!
    .split(/[-_\s]+/)
  if (tag && tag !== "latest") words.push(...tag.split(/[-_]+/))
  return words
    .map(word => word.replace(/^([a-z]{2,})(\d[\d.]*)$/i, "$1 $2"))
    .map(word => (/^\d+(\.\d+)?[bmk]$/i.test(word) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1)))
    .join(" ")
}
