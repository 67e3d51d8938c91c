/** The search for a request's own patterns, on their thread. */
import type { CustomPattern } from "./custom-pattern.ts"
import type { Entity } from "./kinds.ts"
import { isSpecial } from "./normal.ts"
import type { PatternSession, PatternThread } from "./pattern-thread.ts"
import type { ScannedText } from "./scanned-text.ts"

/** One custom pattern at work. */
interface CustomSearch {
  custom: CustomPattern
  /** It is written for characters that the plain text has not, and reads the text as it was given. */
  ofGiven: boolean
}

export class PatternSearches {
  private readonly searches: CustomSearch[]
  private readonly session: PatternSession | undefined

  /** @param signal ends the search */
  constructor(
    patterns: readonly CustomPattern[],
    thread: PatternThread,
    private readonly scanned: ScannedText,
    private readonly found: (entity: Entity) => void,
    signal?: AbortSignal,
  ) {
    this.searches = patterns.map(custom => ({ custom, ofGiven: isSpecial(custom.pattern) }))
    if (this.searches.length > 0) this.session = thread.open(this.searches, signal)
  }

  /** Takes more text, as it was given and plain; returns where the earliest match that is still open begins. */
  async advance(given: string, plain: string, final: boolean): Promise<number> {
    if (!this.session) return this.scanned.end
    const { found, pending } = await this.session.push(given, plain, final)
    for (let i = 0; i < found.length; i += 3) {
      const { custom, ofGiven } = this.searches[found[i]!]!
      const [start, end] = [this.here(found[i + 1]!, ofGiven), this.here(found[i + 2]!, ofGiven)]
      if (start < end) this.found({ kind: custom.name, category: "custom", start, end, score: 1 })
    }
    return Math.min(...this.searches.map(({ ofGiven }, index) => this.here(pending[index]!, ofGiven)))
  }

  private here(offset: number, ofGiven: boolean): number {
    return ofGiven ? this.scanned.plain.plainOf(offset) : offset
  }
}
