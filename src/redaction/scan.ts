/**
 * The search itself, for streams and whole texts alike: text comes in, entities come out together with the offset up
 * to which they are settled. Whole text is a stream of one piece, so the two cannot disagree.
 */
import type { EntityModel, ModelEntity } from "../backends/backend.ts"
import { ClusterFinder, LEFT_LENGTH, type Window } from "./clusters.ts"
import { withCompanions } from "./companions.ts"
import type { CustomPattern } from "./custom-pattern.ts"
import { type Entity, replacementsOf } from "./kinds.ts"
import { isSpecial, PlainText } from "./normal.ts"
import { resolveOverlaps, uncovered } from "./overlap.ts"
import type { PatternSession, PatternThread } from "./pattern-thread.ts"
import { nextPiece } from "./pieces.ts"
import { plausibleFinds } from "./plausible.ts"
import { isMixedAddress } from "./plausible-address.ts"
import type { RedactionPolicy } from "./policy.ts"
import { type BuiltInKind, KINDS } from "./recognizers/index.ts"
import { findNamesAndAddresses, isStreet, withPostcode } from "./recognizers/name-and-address.ts"
import { CONTEXT_LENGTH, type RuleKind, SIGN } from "./recognizers/recognizer.ts"
import { isPartlyRead, unreadStretches } from "./scripts.ts"

/** Text kept before the settled place: the longest look back of a rule or of the model. */
const KEPT_BEHIND = Math.max(CONTEXT_LENGTH, LEFT_LENGTH) + 80
/** Kept text may grow by this much before it is cut: cutting copies. */
const TRIM_STEP = 4096
/** `[REDACTED_` and `]` around a name of 32 characters. */
const LONGEST_REPLACEMENT = 43
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

/** One custom pattern at work. */
interface CustomSearch {
  custom: CustomPattern
  /** Where its earliest open match begins. */
  pending: number
  /** It is written for characters that the plain text has not, and reads the text as it was given. */
  ofGiven: boolean
}

export class Scan {
  /** The plain text (see normal.ts) from `base` on; all offsets in here count in it, unless they are called given. */
  private text = ""
  private base = 0
  /** The same stretch as it was given. */
  private given = ""
  private givenBase = 0
  private readonly plain = new PlainText()
  private ruleAt = 0
  private settled = 0
  private sliceEnd = 0
  /** Found, not yet settled. */
  private open: Entity[] = []
  private readonly rules: (RuleKind & { name: BuiltInKind })[]
  private readonly modelKinds: Set<BuiltInKind>
  private readonly clusters = new ClusterFinder()
  private readonly searches: CustomSearch[]
  private readonly patterns: PatternSession | undefined
  private readonly replacements: RegExp
  private readonly exclude: Set<string>
  private partlyRead = false

  /**
   * @param model needed where the policy asks for NAME or ADDRESS
   * @param signal ends the search
   */
  constructor(
    policy: RedactionPolicy,
    private readonly model: EntityModel | undefined,
    patterns: PatternThread,
    private readonly signal?: AbortSignal,
  ) {
    const kinds = policy.kinds.map(name => ({ name, ...KINDS[name] }))
    this.rules = kinds.filter(kind => kind.foundBy === "rules")
    this.modelKinds = new Set(kinds.filter(kind => kind.foundBy === "model").map(({ name }) => name))
    this.searches = policy.customPatterns.map(custom => ({
      custom,
      pending: 0,
      ofGiven: isSpecial(custom.pattern),
    }))
    if (this.searches.length > 0)
      this.patterns = patterns.open(
        this.searches.map(({ custom, ofGiven }) => ({ custom, ofGiven })),
        signal,
      )
    this.replacements = replacementsOf(policy.customPatterns.map(({ name }) => name))
    this.exclude = new Set(policy.exclude.map(value => new PlainText().push(value, true)))
  }

  /** The given text between two given offsets; `from` not before the place that was settled last. */
  givenSlice(from: number, to: number): string {
    return this.given.slice(from - this.givenBase, to - this.givenBase)
  }

  private slice(from: number, to: number): string {
    return this.text.slice(from - this.base, to - this.base)
  }

  /** Names or addresses were asked for, and the text so far holds writing in which they are not known. */
  get partial(): boolean {
    return this.partlyRead
  }

  /** Takes more text. Not to be called again before it has returned. */
  async advance(delta: string, final: boolean): Promise<Settled> {
    this.forget()
    const before = this.text.slice(-PARTIAL_OVERLAP)
    const plainDelta = this.plain.push(delta, final)
    this.text += plainDelta
    this.given += delta
    if (this.modelKinds.size > 0) this.partlyRead ||= isPartlyRead(before + plainDelta)
    this.sliceEnd = performance.now() + SLICE_MS
    await this.searchPatterns(delta, plainDelta, final)
    const rulePending = await this.searchPieces(final)
    const modelPending = await this.askModel(final)
    const upTo = this.settledUpTo(Math.min(rulePending, modelPending))
    const entities = this.settle(upTo).map(entity => ({
      ...entity,
      start: this.plain.startOf(entity.start),
      end: this.plain.endOf(entity.end),
    }))
    return { entities, upTo: final ? this.plain.length : this.plain.endOf(upTo) }
  }

  private async searchPatterns(given: string, plain: string, final: boolean): Promise<void> {
    if (!this.patterns) return
    const { found, pending } = await this.patterns.push(given, plain, final)
    for (const [at, search] of this.searches.entries()) search.pending = pending[at]!
    for (let i = 0; i < found.length; i += 3) {
      const { custom, ofGiven } = this.searches[found[i]!]!
      const here = (offset: number) => (ofGiven ? this.plain.plainOf(offset) : offset)
      const [start, end] = [here(found[i + 1]!), here(found[i + 2]!)]
      if (start < end) this.open.push({ kind: custom.name, category: "custom", start, end, score: 1 })
    }
  }

  /** Lets others use the event loop once this search has had it for SLICE_MS. */
  private giveWay(): Promise<void> | undefined {
    this.signal?.throwIfAborted()
    if (performance.now() < this.sliceEnd) return undefined
    return new Promise(resolve =>
      setImmediate(() => {
        this.sliceEnd = performance.now() + SLICE_MS
        resolve()
      }),
    )
  }

  private async searchPieces(final: boolean): Promise<number> {
    for (;;) {
      const piece = nextPiece(this.text, this.ruleAt - this.base, final)
      if (piece === "none") {
        this.ruleAt = this.base + this.text.length
        return this.ruleAt
      }
      if ("open" in piece) {
        this.ruleAt = this.base + piece.open
        return this.ruleAt
      }
      this.searchPiece(piece.start, piece.end)
      this.ruleAt = this.base + piece.end
      await this.giveWay()
    }
  }

  private searchPiece(start: number, end: number): void {
    const contextStart = Math.max(0, start - CONTEXT_LENGTH)
    const view = { text: this.text.slice(contextStart, end), from: start - contextStart }
    const signs = signsIn(view.text, view.from)
    if (signs === 0) return
    for (const { name, category, needs, find } of this.rules) {
      if ((needs & signs) === 0) continue
      for (const found of find(view))
        this.open.push({
          kind: name,
          category,
          start: this.base + contextStart + found.start,
          end: this.base + contextStart + found.end,
          score: found.score,
        })
    }
  }

  private async askModel(final: boolean): Promise<number> {
    if (this.modelKinds.size === 0 || !this.model) return this.base + this.text.length
    const windows: Window[] = []
    for (let done = false; !done; ) {
      const step = this.clusters.advance(this.text, this.base, final)
      windows.push(...step.windows)
      done = step.done
      if (!done) await this.giveWay()
    }
    const model = this.model
    const answers = await Promise.all(windows.map(({ start, end }) => model.find(this.slice(start, end))))
    for (const [index, window] of windows.entries()) {
      const around = this.slice(window.start, window.end)
      const finds = answers[index]!.map(found => withPostcode(found, around))
      for (const found of withCompanions(plausibleFinds(finds, around), around)) this.takeNameOrAddress(found, window)
      for (const found of findNamesAndAddresses(around)) this.takeNameOrAddress(found, window)
    }
    return this.clusters.pending
  }

  /** Only what lies in the window's cluster counts: the words around it have their own window, or none. */
  private takeNameOrAddress(found: ModelEntity, window: Window): void {
    const start = Math.max(window.start + found.start, window.clusterStart)
    const end = Math.min(window.start + found.end, window.clusterEnd)
    if (start >= end) return
    const left = found.kind === "ADDRESS" && isMixedAddress(this.slice(start, end)) ? [] : this.unreadIn(start, end)
    for (const part of uncovered({ ...found, start, end }, left)) {
      const value = this.slice(part.start, part.end)
      const kind = found.kind === "NAME" && isStreet(value) ? "ADDRESS" : found.kind
      if (!this.modelKinds.has(kind) || isNothing(value)) continue
      this.open.push({ kind, category: "personal", start: part.start, end: part.end, score: found.score })
    }
  }

  private unreadIn(start: number, end: number): { start: number; end: number }[] {
    return unreadStretches(this.slice(start, end)).map(part => ({ start: start + part.start, end: start + part.end }))
  }

  /** No settled text may lie inside a find, nor before one that is still open. */
  private settledUpTo(limit: number): number {
    const open = this.searches.map(({ pending, ofGiven }) => (ofGiven ? this.plain.plainOf(pending) : pending))
    let upTo = Math.min(limit, ...open)
    for (let moved = true; moved; ) {
      moved = false
      for (const entity of this.open) {
        if (entity.start < upTo && upTo < entity.end) {
          upTo = entity.start
          moved = true
        }
      }
    }
    return Math.max(upTo, this.settled)
  }

  private settle(upTo: number): Entity[] {
    const done = this.open.filter(entity => entity.end <= upTo)
    this.open = this.open.filter(entity => entity.end > upTo)
    this.settled = upTo
    const wanted = done.filter(entity => !this.isExcluded(entity)).flatMap(entity => this.besideReplacements(entity))
    return resolveOverlaps(wanted, this.text, this.base)
  }

  private isExcluded(entity: Entity): boolean {
    if (this.exclude.size === 0) return false
    return this.exclude.has(this.slice(entity.start, entity.end).trim().toLowerCase())
  }

  /** What was redacted before stays as it is: the parts of a find that are not yet replaced. */
  private besideReplacements(entity: Entity): Entity[] {
    const from = Math.max(this.base, entity.start - LONGEST_REPLACEMENT)
    const near = this.slice(from, entity.end + LONGEST_REPLACEMENT)
    if (!near.includes("[REDACTED_")) return [entity]
    const replaced = [...near.matchAll(this.replacements)].map(match => ({
      start: from + match.index,
      end: from + match.index + match[0].length,
    }))
    return uncovered(entity, replaced).filter(part => /[\p{L}\p{N}]/u.test(this.slice(part.start, part.end)))
  }

  private forget(): void {
    const keepFrom = this.settled - KEPT_BEHIND - this.base
    if (keepFrom < TRIM_STEP) return
    this.text = this.text.slice(keepFrom)
    this.base += keepFrom
    const given = this.plain.endOf(this.settled)
    this.given = this.given.slice(given - this.givenBase)
    this.givenBase = given
    this.plain.forget(this.base)
  }
}

/** What is left of a find beyond the cluster's edge. */
const isNothing = (value: string): boolean => !/\p{L}{2}|\p{Nd}{3}|\p{Lu}/u.test(value)

const CONTEXT_OF_SECRETS =
  /(?:pass|pwd|wort|contrase|wachtwoord|senha|hasło|lösenord|пароль|密|パス|비밀|parola|token|secret|key|bearer|basic|sess|sid|auth)/i

/** What stands in a piece, or shortly before it, that a value could be known by. */
function signsIn(text: string, from: number): number {
  let signs = 0
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit >= 48 && unit <= 57) signs |= SIGN.digit
    else if (unit === 64) signs |= SIGN.at
    else if (unit === 58 || unit === 61) signs |= SIGN.colonOrEquals
    else if (unit === 95) signs |= SIGN.underscore
  }
  if (signs === 0 && CONTEXT_OF_SECRETS.test(text.slice(Math.max(0, from - 60)))) return SIGN.secretWord
  return signs
}
