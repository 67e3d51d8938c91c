/**
 * The search itself, for streams and whole texts alike: text comes in, entities come out together with the offset up
 * to which they are settled. Whole text is a stream of one piece, so the two cannot disagree.
 */
import type { EntityModel } from "../backends/backend.ts"
import { Turns } from "../threads/turns.ts"
import type { Entity } from "./kinds.ts"
import { OpenFinds } from "./open-finds.ts"
import type { PatternThread } from "./pattern-thread.ts"
import type { RedactionPolicy } from "./policy.ts"
import { KINDS } from "./recognizers/index.ts"
import { ScannedText } from "./scanned-text.ts"
import { isPartlyRead } from "./scripts.ts"
import { NameSearch } from "./search-names.ts"
import { PatternSearches } from "./search-patterns.ts"
import { RuleSearch } from "./search-rules.ts"

/** Letters before a delta that decide with it what script it is in. */
const PARTIAL_OVERLAP = 8
/** Longest stretch of work on the event loop. */
const SLICE_MS = 8

export interface Settled {
  /** Entities up to `upTo`, by position, not overlapping; all offsets count in the text as it was given. */
  entities: Entity[]
  /** Text before this offset will never change any more. */
  upTo: number
}

export class Scan {
  private readonly scanned = new ScannedText()
  private readonly finds: OpenFinds
  private readonly rules: RuleSearch
  private readonly names: NameSearch | undefined
  private readonly patterns: PatternSearches
  private readonly turns: Turns
  private partlyRead = false

  /**
   * @param model needed where the policy asks for NAME or ADDRESS
   * @param signal ends the search
   */
  constructor(policy: RedactionPolicy, model: EntityModel | undefined, patterns: PatternThread, signal?: AbortSignal) {
    const kinds = policy.kinds.map(name => ({ name, ...KINDS[name] }))
    const modelKinds = new Set(kinds.filter(kind => kind.foundBy === "model").map(({ name }) => name))
    const ruleKinds = kinds.filter(kind => kind.foundBy === "rules")
    this.finds = new OpenFinds(policy, this.scanned)
    const found = (entity: Entity) => this.finds.add(entity)
    this.turns = new Turns(SLICE_MS, signal)
    this.rules = new RuleSearch(ruleKinds, this.scanned, found)
    this.names = model && modelKinds.size > 0 ? new NameSearch(modelKinds, model, this.scanned, found) : undefined
    this.patterns = new PatternSearches(policy.customPatterns, patterns, this.scanned, found, signal)
  }

  /** The given text between two given offsets; `from` not before the place that was settled last. */
  givenSlice(from: number, to: number): string {
    return this.scanned.givenSlice(from, to)
  }

  /** Names or addresses were asked for, and the text so far holds writing in which they are not known. */
  get partial(): boolean {
    return this.partlyRead
  }

  /** Takes more text. Not to be called again before it has returned. */
  async advance(delta: string, final: boolean): Promise<Settled> {
    const { scanned, turns } = this
    scanned.forgetBefore(this.finds.settled)
    const before = scanned.text.slice(-PARTIAL_OVERLAP)
    const plainDelta = scanned.add(delta, final)
    if (this.names) this.partlyRead ||= isPartlyRead(before + plainDelta)
    turns.begin()
    const open = [
      await this.patterns.advance(delta, plainDelta, final),
      await this.rules.advance(final, turns),
      (await this.names?.advance(final, turns)) ?? scanned.end,
    ]
    const settled = this.finds.settle(Math.min(...open))
    const { plain } = scanned
    return {
      entities: settled.map(({ start, end, ...rest }) => ({
        ...rest,
        start: plain.startOf(start),
        end: plain.endOf(end),
      })),
      upTo: final ? plain.length : plain.endOf(this.finds.settled),
    }
  }
}
