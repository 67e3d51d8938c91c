/** What has come of a reply so far, made of what its steps tell, so that it can be stored or told at any moment. */
import type { ToolCall } from "../backends/backend.ts"
import { citedIn } from "../grounding/citations.ts"
import type { Source } from "../grounding/passages.ts"
import { type Guarded, joined, NOTHING } from "../guarded.ts"
import type { Warning } from "../storage/document.ts"
import type { ChatEvent, Timings, Usage } from "./events.ts"
import type { Ended, Fact, Progress, Told } from "./progress.ts"
import type { Citation } from "./types.ts"

export class Draft implements Fact {
  sources: Source[] = []
  contextTokens: number | null = null
  searchMs = 0
  firstTokenAt: number | null = null
  usage: Usage = { prompt_tokens: 0, completion_tokens: 0 }
  readonly warnings: Warning[] = []
  /** What the model calls of the caller's tools. */
  readonly calls: Guarded<ToolCall>[] = []
  /** Of an answer that came to its end. */
  finishReason: Ended["finishReason"] = "stop"
  private readonly startedAt = performance.now()

  constructor(public content: Guarded<string> = NOTHING) {}

  /** Follows the steps to their end and yields what readers may be told. @throws what the steps fail with */
  async *follow(steps: AsyncGenerator<Progress, Ended>): AsyncGenerator<Told> {
    let step = await steps.next()
    for (; !step.done; step = await steps.next()) {
      this.take(step.value)
      if (!("fact" in step.value)) yield step.value
    }
    this.finishReason = step.value.finishReason
    this.usage = step.value.usage
    const { invalid } = citedIn(this.content, this.sources)
    if (invalid.length === 0) return
    const warning = inventedMarks(invalid)
    this.take(warning)
    yield warning
  }

  get citations(): Citation[] {
    return citedIn(this.content, this.sources).citations.map(citationOf)
  }

  get timings(): Timings {
    const now = performance.now()
    return {
      search_ms: tenths(this.searchMs),
      first_token_ms: tenths((this.firstTokenAt ?? now) - this.startedAt),
      total_ms: tenths(now - this.startedAt),
    }
  }

  private take(item: Progress): void {
    if ("fact" in item) Object.assign(this, item.fact)
    else if (item.event === "message_delta") this.content = joined(this.content, item.data.text)
    else if (item.event === "warning") this.warnings.push(item.data)
    else if (item.event === "tool_call") this.calls.push(item.data)
  }
}

const tenths = (ms: number): number => Math.round(ms * 10) / 10

const citationOf = ({ score: _, text: __, ...citation }: Source): Citation => citation

const inventedMarks = (numbers: readonly number[]): ChatEvent => ({
  event: "warning",
  data: {
    code: "invalid_citation",
    message: `the reply cites ${numbers.map(n => `[${n}]`).join(", ")}, which the model was not given`,
  },
})
