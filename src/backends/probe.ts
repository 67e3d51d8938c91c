/** Keeps the last answer of a live look at a model server: fresh for five seconds, bounded to one second, never failing. */
import { AppError } from "../errors.ts"
import type { ModelInfo } from "./backend.ts"

/** A look older than this is repeated: the contract's bound on how late a change of availability is noticed. */
const FRESH_MS = 5_000
/** A dead server may delay the list by one second at most. */
const LIST_MS = 900
/** A busy server may take longer: the look goes on behind the list, and who must know waits for it. */
const LOOK_MS = 3_000
/** Callers that doubt the last look do not repeat it more often than this. */
const DOUBT_MS = 300

export class Probe {
  private models: ModelInfo[] = []
  private lookedAt = Number.NEGATIVE_INFINITY
  /** Whether the last look got an answer. */
  answered = false
  private looking: Promise<ModelInfo[]> | undefined

  /** `look` throws when the server does not answer; `describe` says that to the user. */
  constructor(
    private readonly look: (signal: AbortSignal) => Promise<ModelInfo[]>,
    private readonly describe: (error: unknown) => string,
  ) {}

  /** `doubtful`: the caller has reason to think that the last look is out of date, and waits for a slow server. */
  async list(doubtful = false): Promise<ModelInfo[]> {
    const age = performance.now() - this.lookedAt
    if (age < (doubtful ? DOUBT_MS : FRESH_MS)) return this.models
    this.looking ??= this.lookNow().finally(() => {
      this.looking = undefined
    })
    if (doubtful) return this.looking
    const late = deadline(LIST_MS)
    const tooLate = late.passed.then(() => unavailable(this.models, this.describe(new Error("too slow"))))
    return Promise.race([this.looking, tooLate]).finally(late.clear)
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
    const late = deadline(LOOK_MS + 50) // a name server may hang beyond the signal
    const tooLate = late.passed.then(() => Promise.reject(new Error("too slow")))
    try {
      this.models = await Promise.race([this.look(AbortSignal.timeout(LOOK_MS)), tooLate])
      this.answered = true
    } catch (error) {
      this.answered = false
      this.models = unavailable(this.models, this.describe(error))
    } finally {
      late.clear()
    }
    this.lookedAt = performance.now()
    return this.models
  }
}

function deadline(ms: number): { passed: Promise<void>; clear(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  return { passed: promise, clear: () => clearTimeout(timer) }
}

function unavailable(models: ModelInfo[], reason: string): ModelInfo[] {
  const checkedAt = new Date().toISOString()
  return models.map(model => ({ ...model, status: "unavailable", statusReason: reason, checkedAt }))
}

/** A server that answers, but only to send its callers elsewhere; undefined for all else. */
export const redirectOf = (error: unknown): string | undefined =>
  error instanceof AppError ? `${error.message}: ${error.hint}` : undefined

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
