/**
 * How far a command is that takes longer than a second: a bar on a terminal, plain lines now and then elsewhere. All of
 * it on standard error: standard output is the command's answer.
 */
import { canRewriteLine } from "../config.ts"

/** Who is done sooner shows nothing. */
const QUIET_MS = 1_000
const REDRAW_MS = 100
/** Between lines where there is no terminal. */
const LINE_MS = 10_000
const BAR_CHARACTERS = 24
/** Of terminals that do not tell. */
const COLUMNS = 80

export type Unit = "bytes" | "rows" | "files" | "passages" | "questions"

export interface Progress {
  /** What is being done now; what was counted begins anew. */
  step(label: string, unit?: Unit): void
  /** `total` stays until it is given again; without one only what is done is shown. */
  update(done: number, total?: number): void
}

/** The part of standard error that is used; tests bring their own. */
export interface Screen {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
}

/** What is on the screen: the innermost of those under way. A line of the log must not be written into it. */
let shown: Meter | undefined

/** Shows the progress that `work` tells, and takes it off the screen when that ends. */
export async function withProgress<T>(
  label: string,
  work: (progress: Progress) => Promise<T>,
  screen: Screen = process.stderr,
): Promise<T> {
  const outer = shown
  outer?.clear()
  const meter = new Meter(label, screen)
  shown = meter
  try {
    return await work(meter)
  } finally {
    meter.end()
    shown = outer
  }
}

/** A line of the log, above the bar if there is one. */
export function writeLine(line: string, stream: Screen = process.stderr): void {
  shown?.clear()
  stream.write(`${line}\n`)
}

class Meter implements Progress {
  private readonly isBar: boolean
  private readonly began = performance.now()
  private stepBegan = this.began
  private drawnAt = Number.NEGATIVE_INFINITY
  private isDrawn = false
  private unit: Unit = "bytes"
  private done = 0
  private total = 0
  private readonly timer: ReturnType<typeof setInterval>

  constructor(
    private label: string,
    private readonly screen: Screen,
  ) {
    this.isBar = screen.isTTY === true && canRewriteLine()
    this.timer = setInterval(() => this.drawIfDue(), REDRAW_MS)
    this.timer.unref()
  }

  step(label: string, unit: Unit = this.unit): void {
    Object.assign(this, { label, unit, done: 0, total: 0, stepBegan: performance.now() })
    this.drawIfDue()
  }

  update(done: number, total = this.total): void {
    this.done = done
    this.total = total
    this.drawIfDue()
  }

  end(): void {
    clearInterval(this.timer)
    this.clear()
  }

  clear(): void {
    if (this.isDrawn) this.screen.write("\r\x1b[K")
    this.isDrawn = false
  }

  draw(): void {
    if (!this.isBar) return
    this.screen.write(`\r${this.line(Math.max(1, (this.screen.columns || COLUMNS) - 1))}\x1b[K`)
    this.isDrawn = true
  }

  private drawIfDue(): void {
    if (shown !== this) return
    const now = performance.now()
    if (now - this.began < QUIET_MS || now - this.drawnAt < (this.isBar ? REDRAW_MS : LINE_MS)) return
    this.drawnAt = now
    if (this.isBar) this.draw()
    else this.screen.write(`${this.line(Number.POSITIVE_INFINITY)}\n`)
  }

  /** As much as fits: first the bar goes, then the rest is cut. */
  private line(columns: number): string {
    const { label, done, total } = this
    if (total <= 0) {
      const counted = this.unit === "bytes" ? bytes(done) : `${done} ${this.unit}`
      return (done > 0 ? `${label}  ${counted}` : `${label} …`).slice(0, columns)
    }
    const share = Math.min(1, done / total)
    const full = Math.round(share * BAR_CHARACTERS)
    const bar = `[${"#".repeat(full)}${".".repeat(BAR_CHARACTERS - full)}]`
    const figures = [
      `${Math.floor(share * 100)} %`,
      this.unit === "bytes" ? `${bytes(done)} of ${bytes(total)}` : `${done} of ${total} ${this.unit}`,
      ...this.timeLeft(share),
    ].join("  ")
    const wide = `${label}  ${bar}  ${figures}`
    return (this.isBar && wide.length <= columns ? wide : `${label}  ${figures}`).slice(0, columns)
  }

  private timeLeft(share: number): string[] {
    const seconds = (performance.now() - this.stepBegan) / 1000
    if (share <= 0.01 || share >= 1 || seconds < 2) return []
    const left = Math.ceil((seconds / share) * (1 - share))
    return [`${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left`]
  }
}

const bytes = (count: number): string =>
  count < 1e9 ? `${(count / 1e6).toFixed(1)} MB` : `${(count / 1e9).toFixed(2)} GB`
