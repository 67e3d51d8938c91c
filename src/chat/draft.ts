/** What has come of a reply so far, made of what its steps tell, so that it can be stored or told at any moment. */
import type { Account, ModelUsage } from "../account.ts"
import type { ToolCall } from "../backends/backend.ts"
import { citedIn } from "../grounding/citations.ts"
import { foreignLinks, foreignLinkWarning, givenIn } from "../grounding/foreign-links.ts"
import type { Source } from "../grounding/passages.ts"
import { type Guarded, joined, NOTHING } from "../guarded.ts"
import type { Warning } from "../storage/document.ts"
import type { ChatEvent, Timings } from "./events.ts"
import type { Added, Ended, Fact, Progress, Told } from "./progress.ts"
import { isSummary } from "./prompt.ts"
import type { Dropped, PlacedUse, Searched, Sent } from "./record/facts.ts"
import type { Citation } from "./types.ts"

export class Draft implements Fact, Added {
  sources: Source[] = []
  contextTokens: number | null = null
  searchMs = 0
  firstTokenAt: number | null = null
  searched: Searched | null = null
  sent: Sent = { request: null, found: [], sources: [], notes: [], excerpts: [], droppedMessages: 0 }
  readonly dropped: Dropped[] = []
  readonly toolCalls: PlacedUse[]
  readonly warnings: Warning[] = []
  /** What the model calls of the caller's tools. */
  readonly calls: Guarded<ToolCall>[] = []
  /** Of an answer that came to its end. */
  finishReason: Ended["finishReason"] = "stop"
  private readonly startedAt = performance.now()

  /** @param toolCalls those that were carried out for it before: it is written on */
  constructor(
    private readonly account: Account,
    public content: Guarded<string> = NOTHING,
    toolCalls: readonly PlacedUse[] = [],
  ) {
    this.toolCalls = [...toolCalls]
  }

  /** What it took of models so far, all that it is made from included. */
  get usage(): ModelUsage {
    return this.account.usage
  }

  /** Follows the steps to their end and yields what readers may be told. @throws what the steps fail with */
  async *follow(steps: AsyncGenerator<Progress, Ended>): AsyncGenerator<Told> {
    let step: Awaited<ReturnType<typeof steps.next>> | undefined
    try {
      for (step = await steps.next(); !step.done; step = await steps.next()) {
        this.take(step.value)
        if ("event" in step.value) yield step.value
      }
    } finally {
      if (!step?.done) await steps.return({ finishReason: "stop" }) // who follows has left: the model stops, and what it wrote is counted
    }
    this.finishReason = step.value.finishReason
    for (const warning of this.faults()) {
      this.take(warning)
      yield warning
    }
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

  /** What is wrong with the finished text. */
  private faults(): ChatEvent[] {
    const { invalid } = citedIn(this.content, this.sources)
    const turns = this.sent.request?.turns ?? []
    const foreign = foreignLinkWarning(foreignLinks(this.content, givenIn(turns.filter(turn => !isSummary(turn)))))
    return [
      ...(invalid.length > 0 ? [inventedMarks(invalid)] : []),
      ...(foreign ? [{ event: "warning", data: foreign } as const] : []),
    ]
  }

  private take(item: Progress): void {
    if ("fact" in item) Object.assign(this, item.fact)
    else if ("added" in item) {
      this.dropped.push(...(item.added.dropped ?? []))
      this.toolCalls.push(...(item.added.toolCalls ?? []))
    } else if (item.event === "message_delta") this.content = joined(this.content, item.data.text)
    else if (item.event === "warning") this.warnings.push(item.data)
    else if (item.event === "caller_call") this.calls.push(item.data)
  }
}

const tenths = (ms: number): number => Math.round(ms * 10) / 10

const citationOf = ({ score: _, text: __, whole: ___, ...citation }: Source): Citation => citation

const inventedMarks = (numbers: readonly number[]): ChatEvent => ({
  event: "warning",
  data: {
    code: "invalid_citation",
    message: `the reply cites ${numbers.map(n => `[${n}]`).join(", ")}, which the model was not given`,
  },
})
