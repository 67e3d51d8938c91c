/** What a pattern will cost, told from its text: compiling one of a hundred thousand steps takes .2 s. */

/** Steps of one pattern, and of all patterns of a request together. */
export const MAX_PATTERN_STEPS = 10_000
export const MAX_ALL_STEPS = 30_000

/** Of a request: where case does not matter, the tables of each are made anew and take .15 ms. */
export const MAX_NAMED_CLASSES = 1_000

/** Classes of characters by name, such as `\pL` and `\P{Greek}`. */
export const namedClassesOf = (pattern: string): number => pattern.match(/\\p/gi)?.length ?? 0

const COUNT = /\{(\d+)(?:,(\d*))?\}/y
/** A letter behind a backslash that takes a name in braces with it. */
const NAMED = /\\[pPx]\{[^}]*\}/y
const QUOTED = /\\Q([^\\]|\\(?!E))*(?:\\E|$)/y
/** What a group begins with: flags, a name, or nothing. */
const GROUP = /\((?:\?[^:)>]*[:>]?)?/y
const CLASS = /\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]?/sy

interface Level {
  steps: number
  /** Of what a repetition that follows would repeat. */
  last: number
}

/** About as many steps as the engine makes of it: repetitions are written out. */
export function stepsOf(pattern: string): number {
  const outer: Level[] = []
  let level: Level = { steps: 0, last: 0 }
  const add = (steps: number) => {
    level.steps += steps
    level.last = steps
  }
  for (let at = 0; at < pattern.length; ) {
    const character = pattern[at]!
    const take = (expression: RegExp): RegExpExecArray | null => {
      expression.lastIndex = at
      const match = expression.exec(pattern)
      if (match) at += match[0].length
      return match
    }
    if (character === "\\") {
      const quoted = take(QUOTED)
      if (quoted) {
        add(quoted[0].length)
        level.last = 1 // only the last of them is repeated
      } else {
        if (!take(NAMED)) at += 2
        add(1)
      }
    } else if (character === "[") {
      take(CLASS)
      add(1)
    } else if (character === "(") {
      take(GROUP)
      outer.push(level)
      level = { steps: 0, last: 0 }
    } else if (character === ")") {
      const { steps } = level
      level = outer.pop() ?? level
      add(steps + 2)
      at++
    } else {
      const count = character === "{" ? take(COUNT) : null
      if (count) {
        const times = Math.max(Number(count[1]), Number(count[2] || 0)) + (count[2] === "" ? 1 : 0)
        const repeated = level.last * times + (count[2] === undefined ? 0 : times)
        level.steps += repeated - level.last
        level.last = repeated
      } else {
        if ("*+?|".includes(character)) level.steps++
        else add(1)
        at++
      }
    }
  }
  return level.steps + outer.reduce((sum, { steps }) => sum + steps, 0)
}
