/** What a pattern will cost, told from its text: compiling one of a hundred thousand steps takes .2 s. */

/** Steps of one pattern, and of all patterns of a request together. */
export const MAX_PATTERN_STEPS = 10_000
export const MAX_ALL_STEPS = 30_000

/** Of a request: where case does not matter, the tables of each are made anew and take .15 ms. */
export const MAX_NAMED_CLASSES = 1_000

/** Classes of characters by name, such as `\pL` and `\P{Greek}`. */
export const namedClassesOf = (pattern: string): number => pattern.match(/\\p/gi)?.length ?? 0

/**
 * One token: text between \Q and \E; a character, whatever its writing; a class; what a group begins with (flags, a name, or
 * nothing) and its end; a count; an operator.
 */
const TOKEN =
  /(?<quoted>\\Q(?:[^\\]|\\(?!E))*(?:\\E|$))|\\[pPx]\{[^}]*\}|\\.?|(?<class>\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]?)|(?<open>\((?:\?[^:)>]*[:>]?)?)|(?<close>\))|(?<count>\{(?<least>\d+)(?:,(?<most>\d*))?\})|(?<operator>[*+?|])|./gsy

/** About as many steps as the engine makes of it: repetitions are written out. */
export function stepsOf(pattern: string): number {
  const steps = new StepCount()
  for (const { 0: token, groups = {} } of pattern.matchAll(TOKEN)) {
    if (groups.quoted) steps.add(token.length, 1)
    else if (groups.open) steps.open()
    else if (groups.close) steps.close()
    else if (groups.count) steps.repeat(Number(groups.least), groups.most)
    else if (groups.operator) steps.operate()
    else steps.add(1)
  }
  return steps.total
}

class StepCount {
  private readonly outer: { steps: number; last: number }[] = []
  /** `last` is what a repetition that follows would repeat. */
  private level = { steps: 0, last: 0 }

  get total(): number {
    return this.outer.reduce((sum, { steps }) => sum + steps, this.level.steps)
  }

  /** @param last of quoted text only the last character is repeated */
  add(steps: number, last = steps): void {
    this.level.steps += steps
    this.level.last = last
  }

  operate(): void {
    this.level.steps++
  }

  open(): void {
    this.outer.push(this.level)
    this.level = { steps: 0, last: 0 }
  }

  close(): void {
    const { steps } = this.level
    this.level = this.outer.pop() ?? this.level
    this.add(steps + 2)
  }

  /** @param most behind the comma, if there is one: none is without end */
  repeat(least: number, most: string | undefined): void {
    const times = Math.max(least, Number(most || 0)) + (most === "" ? 1 : 0)
    const repeated = this.level.last * times + (most === undefined ? 0 : times)
    this.level.steps += repeated - this.level.last
    this.level.last = repeated
  }
}
