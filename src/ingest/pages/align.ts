/**
 * Which of the characters that a page shows stands where in its stored text. Both are in one order, but the text was
 * tidied: blanks and hyphens at line ends are gone, ligatures are letters, what was filled in stands between.
 */

/** So many letters in a row are found again where the two differ. */
const RUN = 6

interface Signs {
  /** The signs alone, one code unit each. */
  signs: string
  /** Of each sign: where it comes from. */
  from: Int32Array
}

/**
 * @param text of the page, as it was stored
 * @param characters as the page shows them, in its order
 * @returns of each code unit of `text` the index of its character, -1 where it has none
 */
export function align(text: string, characters: readonly { text: string }[]): Int32Array {
  const wanted = signsOf([...unitsOf(text)])
  const shown = signsOf(characters.map(({ text: sign }) => readable(sign)))
  const runs = runsOf(shown.signs)
  const found = new Int32Array(text.length).fill(-1)
  let [i, j] = [0, 0]
  while (i < wanted.signs.length && j < shown.signs.length) {
    if (wanted.signs[i] === shown.signs[j]) found[wanted.from[i++]!] = shown.from[j++]!
    else {
      const next = meetAgain(wanted.signs, i, j, runs)
      if (!next) break
      ;[i, j] = next
    }
  }
  // Behind the last difference there may be less than a run.
  let [last, end] = [wanted.signs.length - 1, shown.signs.length - 1]
  while (last >= i && end >= j && wanted.signs[last] === shown.signs[end])
    found[wanted.from[last--]!] = shown.from[end--]!
  return found
}

function* unitsOf(text: string): Generator<string> {
  for (let i = 0; i < text.length; i++) yield text[i]!
}

/** Ligatures as the reader of PDFs writes them. */
const readable = (sign: string): string => (/[\ufb00-\ufb06]/.test(sign) ? sign.normalize("NFKC") : sign)

/** Blanks and what is not stored. Soft hyphens stay: the text has them too. */
const NO_SIGN = /[\s\x00-\x1f\x7f\u00a0\ufeff\ufffe\uffff]/

function signsOf(parts: readonly string[]): Signs {
  let signs = ""
  const from: number[] = []
  for (const [index, part] of parts.entries())
    for (const unit of unitsOf(part)) {
      if (NO_SIGN.test(unit)) continue
      signs += unit
      from.push(index)
    }
  return { signs, from: Int32Array.from(from) }
}

/** Where each run of letters begins, ascending. */
function runsOf(signs: string): Map<string, number[]> {
  const runs = new Map<string, number[]>()
  for (let at = 0; at + RUN <= signs.length; at++) {
    const run = signs.slice(at, at + RUN)
    const known = runs.get(run)
    if (known) known.push(at)
    else runs.set(run, [at])
  }
  return runs
}

/** The nearest place, both counted, from which a run of letters is the same; undefined where there is none. */
function meetAgain(
  wanted: string,
  i: number,
  j: number,
  runs: ReadonlyMap<string, readonly number[]>,
): [number, number] | undefined {
  let best: [number, number] | undefined
  let cost = Number.POSITIVE_INFINITY
  for (let skipped = 0; skipped < cost && i + skipped + RUN <= wanted.length; skipped++) {
    const at = atOrAfter(runs.get(wanted.slice(i + skipped, i + skipped + RUN)), j)
    if (at === undefined || skipped + at - j >= cost) continue
    cost = skipped + at - j
    best = [i + skipped, at]
  }
  return best
}

/** The first of ascending numbers that is not below `least`. */
function atOrAfter(numbers: readonly number[] = [], least: number): number | undefined {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (numbers[middle]! < least) low = middle + 1
    else high = middle
  }
  return numbers[low]
}
