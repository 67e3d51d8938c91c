/** Redaction of text that arrives in deltas: what comes out never holds a value, nor a part of one. */
import { type Entity, replacementOf } from "./kinds.ts"
import type { Scan } from "./scan.ts"

export class RedactionStream {
  /** Redacted so far; offsets count in the text as it was given. */
  readonly entities: Entity[] = []
  private partlyRead = false
  private emitted = 0
  private ended = false
  /** Calls are worked off in the order in which they came. */
  private queue: Promise<unknown> = Promise.resolve()

  constructor(private readonly scan: Promise<Scan>) {
    // A model that is missing is reported by the first push, not as an unhandled rejection.
    scan.catch(() => {})
  }

  /** The text so far holds writing in which names are not known; see PARTIAL_REDACTION. */
  get partial(): boolean {
    return this.partlyRead
  }

  /** Takes the next delta and gives what may be shown now; joined with all before, always a prefix of the redacted text. */
  push(delta: string): Promise<string> {
    return this.enqueue(delta, false)
  }

  /** Gives the rest. The stream takes nothing more. */
  end(): Promise<string> {
    return this.enqueue("", true)
  }

  private enqueue(delta: string, final: boolean): Promise<string> {
    if (this.ended) throw new Error("the redaction stream has ended")
    this.ended = final
    const result = this.queue.then(() => this.advance(delta, final))
    this.queue = result.catch(() => {})
    return result
  }

  private async advance(delta: string, final: boolean): Promise<string> {
    const scan = await this.scan
    const { entities, upTo } = await scan.advance(delta, final)
    this.partlyRead = scan.partial
    let text = ""
    for (const entity of entities) {
      text += scan.givenSlice(this.emitted, entity.start) + replacementOf(entity.kind)
      this.emitted = entity.end
      this.entities.push(entity)
    }
    text += scan.givenSlice(this.emitted, upTo)
    this.emitted = upTo
    return text
  }
}
