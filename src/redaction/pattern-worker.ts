/**
 * The thread that searches custom patterns. A search is linear in its text, but thousands of steps a character are
 * allowed, so it works in slices: every session in turn, and one that was closed meanwhile goes no further.
 */
import { compilePattern, PatternSearch } from "./custom-pattern.ts"
import type { PatternAnswer, PatternAsk } from "./pattern-messages.ts"

declare const self: Worker

/**
 * What one session may take of the processor: so much at first, more with each character that it has read. Fifty patterns
 * with no rare beginning take 15 µs a character; `(a?){1000}b` takes 400 and is refused soon, however long its text.
 */
const ALLOWED_MS = { atFirst: 1_500, perCharacter: 0.03, most: 30_000 }
const SLICE_MS = 10
/** Characters between two looks at the clock: at the most steps that a pattern may have, some 60 ms. */
const STEP = 64
/** Compiled patterns that are kept: every text of a conversation asks for the same ones. */
const MAX_KEPT = 500

interface Session {
  searches: { search: PatternSearch; ofGiven: boolean }[]
  spentMs: number
  /** Characters of the texts that are done with. */
  read: number
}

interface Work {
  session: number
  given: string
  plain: string
  final: boolean
  /** Pattern and offset in the new text that come next. */
  pattern: number
  at: number
  found: number[]
}

type Program = ReturnType<typeof compilePattern>

const sessions = new Map<number, Session>()
const programs = new Map<string, Program>()
let waiting: Work[] = []
let scheduled = false

self.onmessage = ({ data }: MessageEvent<PatternAsk>) => {
  if (data.kind === "open") {
    const searches = data.patterns.map(({ custom, ofGiven }) => {
      const key = `${custom.flags} ${custom.pattern}`
      const program = programs.get(key) ?? compilePattern(custom)
      if (programs.size >= MAX_KEPT) programs.delete(programs.keys().next().value!)
      programs.set(key, program)
      return { search: new PatternSearch(program), ofGiven }
    })
    sessions.set(data.session, { searches, spentMs: 0, read: 0 })
  } else if (data.kind === "close") {
    sessions.delete(data.session)
    waiting = waiting.filter(({ session }) => session !== data.session)
  } else {
    const { kind, ...text } = data
    waiting.push({ ...text, pattern: 0, at: 0, found: [] })
    schedule()
  }
}

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
  const session = sessions.get(work.session)
  if (!session) return
  const startedAt = performance.now()
  const done = search(work, session, startedAt + SLICE_MS)
  session.spentMs += performance.now() - startedAt
  if (!done && session.spentMs < allowedMs(work, session)) {
    waiting.push(work)
    return
  }
  session.read += work.given.length
  const pending = session.searches.map(each => each.search.pending)
  if (!done || work.final) sessions.delete(work.session)
  self.postMessage({
    session: work.session,
    pending,
    ...(done ? { found: Uint32Array.from(work.found) } : {}),
  } satisfies PatternAnswer)
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
