/**
 * Which of several overlapping finds stands. Credentials come before financial data before personal data, then the
 * longest; a custom pattern comes last, unless it covers the other find wholly. What a loser covers beyond the winner
 * stays redacted under the loser's own kind: nothing that was found becomes readable by being outranked.
 */
import type { Entity } from "./kinds.ts"
import { findKind } from "./recognizers/index.ts"

const RANK_OF_CATEGORY: Record<Entity["category"], number> = { credentials: 0, financial: 1, personal: 2, custom: 3 }

/** The entities that stand, by position, not overlapping. `entities` hold offsets into `text` plus `base`. */
export function resolveOverlaps(entities: Entity[], text: string, base = 0): Entity[] {
  const ordered = [...entities].sort((a, b) => a.start - b.start)
  const standing: Entity[] = []
  let group: Entity[] = []
  let groupEnd = -1
  for (const entity of ordered) {
    if (entity.start >= groupEnd) {
      standing.push(...resolveGroup(group, text, base))
      group = []
    }
    group.push(entity)
    groupEnd = Math.max(groupEnd, entity.end)
  }
  standing.push(...resolveGroup(group, text, base))
  return standing
}

function resolveGroup(group: Entity[], text: string, base: number): Entity[] {
  if (group.length < 2) return group
  const kept: Entity[] = []
  for (const entity of joinedByKind(group).sort(byRank)) {
    const rest = uncovered(entity, kept)
    const whole = rest.length === 1 && rest[0]!.start === entity.start && rest[0]!.end === entity.end
    if (whole) kept.push(entity)
    else if (!findKind(entity.kind)?.wholeOnly)
      kept.push(...rest.filter(part => /[\p{L}\p{N}]/u.test(text.slice(part.start - base, part.end - base))))
  }
  return kept.sort((a, b) => a.start - b.start)
}

/** A model and a rule may see more and less of the same value. */
function joinedByKind(group: Entity[]): Entity[] {
  const joined: Entity[] = []
  for (const entity of group) {
    const same = joined.findLast(other => other.kind === entity.kind && entity.start < other.end)
    if (!same) joined.push({ ...entity })
    else {
      same.end = Math.max(same.end, entity.end)
      same.score = Math.max(same.score, entity.score)
    }
  }
  return joined
}

function byRank(a: Entity, b: Entity): number {
  if (a.category !== b.category) {
    if (a.category === "custom" && covers(a, b)) return -1
    if (b.category === "custom" && covers(b, a)) return 1
  }
  return (
    RANK_OF_CATEGORY[a.category] - RANK_OF_CATEGORY[b.category] ||
    b.end - b.start - (a.end - a.start) ||
    precedenceOf(a) - precedenceOf(b) ||
    a.start - b.start
  )
}

/** Custom patterns come by their place. */
const precedenceOf = ({ kind }: Entity): number => findKind(kind)?.precedence ?? 0

const covers = (a: Entity, b: Entity): boolean => a.start <= b.start && a.end >= b.end

/** The parts of an entity that none of the others covers. */
export function uncovered<T extends { start: number; end: number }>(
  entity: T,
  kept: { start: number; end: number }[],
): T[] {
  let parts = [entity]
  for (const other of kept) {
    parts = parts.flatMap(part => {
      if (other.end <= part.start || part.end <= other.start) return [part]
      const sides: T[] = []
      if (part.start < other.start) sides.push({ ...part, end: other.start })
      if (other.end < part.end) sides.push({ ...part, start: other.end })
      return sides
    })
  }
  return parts
}
