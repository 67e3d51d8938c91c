/**
 * Sets of chunk ids as sorted, disjoint, inclusive pairs: [first, last, first, last, …]. Chunks of a file lie together,
 * so a library of any size is few pairs, and "which chunks may be seen" is exact.
 */
export type IdRanges = Float64Array

export const NO_IDS: IdRanges = new Float64Array(0)

/** Sorts pairs and joins those that touch or overlap. */
export function toRanges(pairs: Iterable<readonly [number, number]>): IdRanges {
  const joined: number[] = []
  for (const [first, last] of [...pairs].sort((a, b) => a[0] - b[0])) append(joined, first, last)
  return Float64Array.from(joined)
}

/** Ascending single ids as ranges. */
export function idsToRanges(ids: ArrayLike<number>): IdRanges {
  const joined: number[] = []
  for (let i = 0; i < ids.length; i++) append(joined, ids[i]!, ids[i]!)
  return Float64Array.from(joined)
}

/** Adds a pair that begins no sooner than the last one. */
function append(joined: number[], first: number, last: number): void {
  const end = joined.length - 1
  if (last < first) return
  if (end > 0 && first <= joined[end]! + 1) joined[end] = Math.max(joined[end]!, last)
  else joined.push(first, last)
}

export function countIds(ranges: IdRanges): number {
  let count = 0
  for (let i = 0; i < ranges.length; i += 2) count += ranges[i + 1]! - ranges[i]! + 1
  return count
}

/** Offset of the first pair whose last id is not below `id`. */
function firstPairAt(ranges: IdRanges, id: number): number {
  let low = 0
  let high = ranges.length / 2
  while (low < high) {
    const middle = (low + high) >> 1
    if (ranges[2 * middle + 1]! < id) low = middle + 1
    else high = middle
  }
  return 2 * low
}

export function hasId(ranges: IdRanges, id: number): boolean {
  const at = firstPairAt(ranges, id)
  return at < ranges.length && ranges[at]! <= id
}

/** The pair that holds an id; the id alone where none does. */
export function pairAround(ranges: IdRanges, id: number): readonly [first: number, last: number] {
  const at = firstPairAt(ranges, id)
  return at < ranges.length && ranges[at]! <= id ? [ranges[at]!, ranges[at + 1]!] : [id, id]
}

/** Calls back with each stretch that `first..last` and the set share, in ascending order. */
export function eachOverlap(
  ranges: IdRanges,
  first: number,
  last: number,
  use: (first: number, last: number) => void,
): void {
  for (let at = firstPairAt(ranges, first); at < ranges.length && ranges[at]! <= last; at += 2)
    use(Math.max(first, ranges[at]!), Math.min(last, ranges[at + 1]!))
}

export function intersect(a: IdRanges, b: IdRanges): IdRanges {
  const shared: number[] = []
  for (let i = 0; i < a.length; i += 2)
    eachOverlap(b, a[i]!, a[i + 1]!, (first, last) => void append(shared, first, last))
  return Float64Array.from(shared)
}

export function union(a: IdRanges, b: IdRanges): IdRanges {
  return toRanges([...pairsOf(a), ...pairsOf(b)])
}

/** What is in `a` and not in `b`. */
export function subtract(a: IdRanges, b: IdRanges): IdRanges {
  const left: number[] = []
  for (let i = 0; i < a.length; i += 2) {
    let from = a[i]!
    eachOverlap(b, a[i]!, a[i + 1]!, (first, last) => {
      append(left, from, first - 1)
      from = last + 1
    })
    append(left, from, a[i + 1]!)
  }
  return Float64Array.from(left)
}

function* pairsOf(ranges: IdRanges): Generator<[number, number]> {
  for (let i = 0; i < ranges.length; i += 2) yield [ranges[i]!, ranges[i + 1]!]
}
