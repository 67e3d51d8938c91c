/** What was found and may still change: by more text, by a longer find, by a replacement that stands there already. */
import { type Entity, replacementsOf } from "./kinds.ts"
import { PlainText } from "./normal.ts"
import { resolveOverlaps, uncovered } from "./overlap.ts"
import type { RedactionPolicy } from "./policy.ts"
import type { ScannedText } from "./scanned-text.ts"

/** `[REDACTED_` and `]` around a name of 32 characters. */
const LONGEST_REPLACEMENT = 43

export class OpenFinds {
  /** Up to here nothing changes any more. */
  settled = 0
  private open: Entity[] = []
  private readonly replacements: RegExp
  private readonly exclude: Set<string>

  constructor(
    { customPatterns, exclude }: RedactionPolicy,
    private readonly scanned: ScannedText,
  ) {
    this.replacements = replacementsOf(customPatterns.map(({ name }) => name))
    this.exclude = new Set(exclude.map(value => new PlainText().push(value, true)))
  }

  add(entity: Entity): void {
    this.open.push(entity)
  }

  /** The entities of all that no search looks at any more, by position, not overlapping. @param limit where a search waits */
  settle(limit: number): Entity[] {
    const upTo = this.settledUpTo(limit)
    const done = this.open.filter(entity => entity.end <= upTo)
    this.open = this.open.filter(entity => entity.end > upTo)
    this.settled = upTo
    const wanted = done.filter(entity => !this.isExcluded(entity)).flatMap(entity => this.besideReplacements(entity))
    return resolveOverlaps(wanted, this.scanned.text, this.scanned.base)
  }

  /** No settled text may lie inside a find, nor before one that is still open. */
  private settledUpTo(limit: number): number {
    let upTo = limit
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

  private isExcluded({ start, end }: Entity): boolean {
    return this.exclude.size > 0 && this.exclude.has(this.scanned.slice(start, end).trim().toLowerCase())
  }

  /** What was redacted before stays as it is: the parts of a find that are not yet replaced. */
  private besideReplacements(entity: Entity): Entity[] {
    const from = Math.max(this.scanned.base, entity.start - LONGEST_REPLACEMENT)
    const near = this.scanned.slice(from, entity.end + LONGEST_REPLACEMENT)
    if (!near.includes("[REDACTED_")) return [entity]
    const replaced = [...near.matchAll(this.replacements)].map(match => ({
      start: from + match.index,
      end: from + match.index + match[0].length,
    }))
    return uncovered(entity, replaced).filter(part => /[\p{L}\p{N}]/u.test(this.scanned.slice(part.start, part.end)))
  }
}
