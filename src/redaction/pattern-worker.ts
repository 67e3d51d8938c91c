/**
 * The thread that searches custom patterns. A search is linear in its text, but thousands of steps a character are
 * allowed, so it works in slices: every session in turn, and one that was closed meanwhile goes no further.
 */
import { Lru } from "../threads/lru.ts"
import { serveThread } from "../threads/thread-side.ts"
import { compilePattern, PatternSearch } from "./custom-pattern.ts"
import { MAX_ALL_STEPS, stepsOf } from "./pattern-size.ts"
import type { PatternAnswer, PatternTasks, PatternText } from "./pattern-thread.ts"

/**
 * What one session may take of the processor: so much at first, more with each character that it has read. Fifty patterns
 * with no rare beginning take 3 µs a character; eight of `(a?){1000}b` take 200 and are refused soon, however long the text.
 */
const ALLOWED_MS = { atFirst: 1_500, perCharacter: 0.03, most: 30_000 }
const SLICE_MS = 10
/** Characters between two looks at the clock: at the most steps that a pattern may have, some 60 ms. */
const STEP = 64
/** Compiled patterns that are kept: every text of a conversation asks for the same ones. Steps of ten large requests. */
const KEPT = { entries: 500, weight: 10 * MAX_ALL_STEPS }

interface Session {
  searches: { search: PatternSearch; ofGiven: boolean }[]
  spentMs: number
  /** Characters of the texts that are done with. */
  read: number
}

interface Work extends PatternText {
  session: number
  /** Pattern and offset in the new text that come next. */
  pattern: number
  at: number
  found: number[]
  answer(answer: PatternAnswer): void
}

interface Kept {
  program: ReturnType<typeof compilePattern>
  steps: number
}

const sessions = new Map<number, Session>()
const programs = new Lru<string, Kept>({ ...KEPT, weigh: ({ steps }) => steps })
let waiting: Work[] = []
let scheduled = false

serveThread<PatternTasks>({
  open: ({ session, patterns }) => {
    const searches = patterns.map(({ custom, ofGiven }) => {
      const key = `${custom.flags} ${custom.pattern}`
      const { program } =
        programs.get(key) ?? programs.set(key, { program: compilePattern(custom), steps: stepsOf(custom.pattern) })
      return { search: new PatternSearch(program), ofGiven }
    })
    sessions.set(session, { searches, spentMs: 0, read: 0 })
  },
  push: text => {
    if (!sessions.has(text.session)) throw new Error("the search for custom patterns was cut off")
    const { promise, resolve } = Promise.withResolvers<PatternAnswer>()
    waiting.push({ ...text, pattern: 0, at: 0, found: [], answer: resolve })
    schedule()
    return promise
  },
  close: ({ session }) => {
    sessions.delete(session)
    for (const work of waiting) if (work.session === session) work.answer({ pending: [] }) // nobody listens any more
    waiting = waiting.filter(work => work.session !== session)
  },
})

function schedule(): void {
  if (scheduled) return
  scheduled = true
  setImmediate(() => {
    scheduled = false
    const work = waiting.shift()
    if (work) advance(work)
    if (waiting.length > 0) schedule()
  })
}

function advance(work: Work): void {
  const session = sessions.get(work.session)!
  const before = cpuMs()
  const done = search(work, session, performance.now() + SLICE_MS)
  session.spentMs += cpuMs() - before
  if (!done && session.spentMs < allowedMs(work, session)) {
    waiting.push(work)
    return
  }
  session.read += work.given.length
  const pending = session.searches.map(each => each.search.pending)
  if (!done || work.final) sessions.delete(work.session)
  work.answer({ pending, ...(done ? { found: Uint32Array.from(work.found) } : {}) })
}

/** Of the processor, by this thread: on a busy machine a slice lasts longer than it works. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function allowedMs({ given, pattern, at }: Work, { searches, read }: Session): number {
  const share = (pattern * given.length + at) / searches.length
  return Math.min(ALLOWED_MS.most, ALLOWED_MS.atFirst + ALLOWED_MS.perCharacter * (read + share))
}

/** @returns whether all was searched before the time was over */
function search(work: Work, { searches }: Session, until: number): boolean {
  for (; work.pattern < searches.length; work.pattern++, work.at = 0) {
    const { search, ofGiven } = searches[work.pattern]!
    const text = ofGiven ? work.given : work.plain
    const found = (start: number, end: number) => work.found.push(work.pattern, start, end)
    while (work.at < text.length) {
      if (performance.now() > until) return false
      search.push(text.slice(work.at, work.at + STEP), false, found)
      work.at += STEP
    }
    if (work.final) search.push("", true, found)
  }
  return true
}
