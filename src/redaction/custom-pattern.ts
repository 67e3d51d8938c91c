/**
 * Custom patterns on streams: RE2 syntax and RE2's linear time, fed piece by piece.
 * re2js parses and compiles; its program is run here because a stream needs what its matcher does not tell:
 * where the earliest match that could still come about begins. Everything before that place may be shown.
 * Semantics are RE2's (leftmost, then first alternative), without empty matches.
 */
import { RE2JS } from "re2js"

export interface CustomPattern {
  name: string
  pattern: string
  /** Any of i (case), m (lines), s (dot matches newline). */
  flags: string
}

/** Longest match; bounds memory and the work that a pattern like `a(.*b)?` can cause. */
const MAX_MATCH = 4096

interface Instruction {
  op: number
  out: number
  arg: number
  matchRune(rune: number): boolean
}

interface Program {
  inst: Instruction[]
  start: number
}

// Instruction codes and empty-width conditions of re2js 2.x (its `Inst` and `Utils`, which it does not export).
const ALT = 1
const ALT_MATCH = 2
const CAPTURE = 3
const EMPTY_WIDTH = 4
const MATCH = 6
const NOP = 7
const RUNE = 8
const RUNE_ANY_NOT_NL = 11
const RUNE_ANY = 10
const BEGIN_LINE = 1
const END_LINE = 2
const BEGIN_TEXT = 4
const END_TEXT = 8
const WORD_BOUNDARY = 16
const NO_WORD_BOUNDARY = 32

const NEWLINE = 10
/** Stands for the place before the first and after the last character. */
const OUTSIDE = -1

/** @throws Error with RE2's own explanation, for syntax that it does not have (back-references, look-around). */
export function compilePattern(custom: CustomPattern): Program {
  let flags = 0
  if (custom.flags.includes("i")) flags |= RE2JS.CASE_INSENSITIVE
  if (custom.flags.includes("m")) flags |= RE2JS.MULTILINE
  if (custom.flags.includes("s")) flags |= RE2JS.DOTALL
  const compiled = RE2JS.compile(custom.pattern, flags) as unknown as { re2(): { prog: Program } }
  return compiled.re2().prog
}

/** One pattern's search through a text that arrives in pieces. Offsets count from the beginning of the text. */
export class PatternSearch {
  /** Text from `base` on: what an open match, or a search begun again, may still have to read. */
  private text = ""
  private base = 0
  private at = 0
  private before = OUTSIDE
  /** Threads before the character at `at`, best first: instruction and where its match began. */
  private threads: number[] = []
  private starts: number[] = []
  private matchStart = -1
  private matchEnd = -1
  private readonly seen: Int32Array
  private readonly firsts: Firsts
  private generation = 0

  constructor(private readonly program: Program) {
    this.seen = new Int32Array(program.inst.length)
    this.firsts = firstsOf(program)
  }

  /** Takes more text; `found` gets each match that no later text can change. */
  push(delta: string, final: boolean, found: (start: number, end: number) => void): void {
    this.text += delta
    const end = this.base + this.text.length
    for (;;) {
      const rune = this.runeAt(this.at, final)
      if (rune === undefined) break
      // Most characters begin no match: with none open there is nothing to follow.
      if (this.threads.length === 0 && this.matchEnd < 0 && rune !== OUTSIDE && !this.firsts.has(rune)) {
        this.before = rune
        this.at += rune > 0xffff ? 2 : 1
        continue
      }
      this.step(rune)
      const settled = this.matchEnd >= 0 && this.threads.length === 0
      if (settled || (rune === OUTSIDE && this.matchEnd >= 0)) {
        found(this.matchStart, this.matchEnd)
        this.restart(this.matchEnd)
      } else if (rune === OUTSIDE) break
      else {
        this.before = rune
        this.at += rune > 0xffff ? 2 : 1
      }
      if (this.at > end) break
    }
    this.forget()
  }

  /** Where the earliest match that is still open begins; the end of the text where none is. */
  get pending(): number {
    let earliest = this.matchStart >= 0 ? this.matchStart : this.at
    for (const start of this.starts) if (start < earliest) earliest = start
    return earliest
  }

  /** The code point at an offset, OUTSIDE at the end; undefined while it has not come yet (half a pair included). */
  private runeAt(offset: number, final: boolean): number | undefined {
    const index = offset - this.base
    if (index >= this.text.length) return final ? OUTSIDE : undefined
    const rune = this.text.codePointAt(index)!
    const halfPair = rune >= 0xd800 && rune <= 0xdbff && index + 1 >= this.text.length
    return halfPair && !final ? undefined : rune
  }

  /** One character: follow the empty steps that hold before it, then keep the threads that accept it. */
  private step(rune: number): void {
    const conditions = conditionsBetween(this.before, rune)
    const nextThreads: number[] = []
    const nextStarts: number[] = []
    this.generation++
    const stack: number[] = []
    const limit = this.at - MAX_MATCH
    // A new match may begin here, at the lowest rank, unless an earlier one was already found.
    const count = this.threads.length
    const total = this.matchEnd >= 0 ? count : count + 1
    for (let i = 0; i < total; i++) {
      const start = i < count ? this.starts[i]! : this.at
      if (start < limit) continue
      stack.push(i < count ? this.threads[i]! : this.program.start)
      while (stack.length > 0) {
        const pc = stack.pop()!
        if (this.seen[pc] === this.generation) continue
        this.seen[pc] = this.generation
        const instruction = this.program.inst[pc]!
        const { op } = instruction
        if (op === ALT || op === ALT_MATCH) stack.push(instruction.arg, instruction.out)
        else if (op === CAPTURE || op === NOP) stack.push(instruction.out)
        else if (op === EMPTY_WIDTH) {
          if ((instruction.arg & ~conditions) === 0) stack.push(instruction.out)
        } else if (op === MATCH) {
          if (start === this.at) continue
          this.matchStart = start
          this.matchEnd = this.at
          // All that ranks lower is out.
          this.threads = nextThreads
          this.starts = nextStarts
          return
        } else if (rune !== OUTSIDE && accepts(instruction, rune)) {
          nextThreads.push(instruction.out)
          nextStarts.push(start)
        }
      }
    }
    this.threads = nextThreads
    this.starts = nextStarts
  }

  private restart(at: number): void {
    this.at = at
    this.threads = []
    this.starts = []
    this.matchStart = -1
    this.matchEnd = -1
    this.before = runeBefore(this.text, at - this.base)
  }

  /** Drops text that neither an open match nor a new search will read; one character stays for `\b` and `^`. */
  private forget(): void {
    const keep = Math.max(0, this.pending - this.base - 2)
    if (keep < MAX_MATCH) return
    this.text = this.text.slice(keep)
    this.base += keep
  }
}

/** Which characters a match may begin with, whatever stands around it; remembered for the common ones. */
interface Firsts {
  has(rune: number): boolean
}

const REMEMBERED_RUNES = 1_024
const firsts = new WeakMap<Program, Firsts>()

function firstsOf(program: Program): Firsts {
  const known = firsts.get(program)
  if (known) return known
  const beginnings = instructionsAtStart(program)
  const begins = (rune: number) => beginnings.some(instruction => accepts(instruction, rune))
  const table = Uint8Array.from({ length: REMEMBERED_RUNES }, (_, rune) => Number(begins(rune)))
  const made = { has: (rune: number) => (rune < REMEMBERED_RUNES ? table[rune] === 1 : begins(rune)) }
  firsts.set(program, made)
  return made
}

/** Those that take the first character, with every empty condition counted as met. */
function instructionsAtStart({ inst, start }: Program): Instruction[] {
  const found: Instruction[] = []
  const seen = new Set<number>()
  const stack = [start]
  while (stack.length > 0) {
    const at = stack.pop()!
    if (seen.has(at)) continue
    seen.add(at)
    const instruction = inst[at]!
    const { op, out, arg } = instruction
    if (op === ALT || op === ALT_MATCH) stack.push(arg, out)
    else if (op === CAPTURE || op === NOP || op === EMPTY_WIDTH) stack.push(out)
    else if (op >= RUNE) found.push(instruction)
  }
  return found
}

function accepts(instruction: Instruction, rune: number): boolean {
  if (instruction.op === RUNE_ANY) return true
  if (instruction.op === RUNE_ANY_NOT_NL) return rune !== NEWLINE
  return instruction.op >= RUNE && instruction.matchRune(rune)
}

function runeBefore(text: string, index: number): number {
  if (index <= 0) return OUTSIDE
  const unit = text.charCodeAt(index - 1)
  const low = unit >= 0xdc00 && unit <= 0xdfff && index >= 2
  return low ? text.codePointAt(index - 2)! : unit
}

function conditionsBetween(before: number, after: number): number {
  let conditions = isWord(before) === isWord(after) ? NO_WORD_BOUNDARY : WORD_BOUNDARY
  if (before === OUTSIDE) conditions |= BEGIN_TEXT | BEGIN_LINE
  if (before === NEWLINE) conditions |= BEGIN_LINE
  if (after === OUTSIDE) conditions |= END_TEXT | END_LINE
  if (after === NEWLINE) conditions |= END_LINE
  return conditions
}

const isWord = (rune: number): boolean =>
  (rune >= 48 && rune <= 57) || (rune >= 65 && rune <= 90) || rune === 95 || (rune >= 97 && rune <= 122)
