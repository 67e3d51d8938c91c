/** Redaction of one turn: everything that goes to the model and comes from it passes here. Off, it passes text through. */
import { auditRedaction, countByKind, type Entity, type RedactionPolicy, type Redactor } from "../redaction/redact.ts"

/** Text that arrives in deltas. */
export interface TextStream {
  push(delta: string): Promise<string> | string
  end(): Promise<string> | string
}

export class TurnRedaction {
  private readonly found: Entity[] = []
  private readonly streams: { entities: Entity[]; partial: boolean }[] = []
  private partlyRead = false

  constructor(
    private readonly redactor: Redactor,
    private readonly policy: RedactionPolicy | null,
  ) {}

  get on(): boolean {
    return this.policy !== null
  }

  /** Names this redaction: text that went through it before need not go again. */
  get key(): string | null {
    return this.policy ? JSON.stringify(this.policy) : null
  }

  /** Counts what it finds. */
  async text(text: string): Promise<string> {
    if (!this.policy || text === "") return text
    const { text: clean, entities, partial } = await this.redactor.redact(text, this.policy)
    this.found.push(...entities)
    this.partlyRead ||= partial
    return clean
  }

  /** Does not count: what an earlier turn has counted already, and labels. */
  async silently(text: string): Promise<string> {
    return this.policy && text !== "" ? (await this.redactor.redact(text, this.policy)).text : text
  }

  stream(): TextStream {
    if (!this.policy) return { push: delta => delta, end: () => "" }
    const stream = this.redactor.stream(this.policy)
    this.streams.push(stream)
    return stream
  }

  /** Some text held writing in which names are not known: the answer warns with PARTIAL_REDACTION. */
  get partial(): boolean {
    return this.partlyRead || this.streams.some(({ partial }) => partial)
  }

  get count(): number {
    return this.entities.length
  }

  get kinds(): Record<string, number> {
    return countByKind(this.entities)
  }

  audit(where: Record<string, unknown>): void {
    auditRedaction(where, this.entities)
  }

  private get entities(): Entity[] {
    return [...this.found, ...this.streams.flatMap(({ entities }) => entities)]
  }
}
