/** What one file may take of text recognition, over all its pages and members. */
export interface OcrLimits {
  /** Pages and pictures that are recognized. */
  pages: number
  /** For drawing and recognizing them. */
  seconds: number
}

/** A thousand pages of a scanned book at 3 s each take most of the hour. */
export const DEFAULT_OCR_LIMITS: OcrLimits = { pages: 1000, seconds: 3600 }

/** Keeps account of it. One per file. */
export class OcrBudget {
  private pages: number
  private ms: number

  constructor(readonly limits: OcrLimits) {
    this.pages = limits.pages
    this.ms = limits.seconds * 1000
  }

  get spent(): boolean {
    return this.pages <= 0 || this.ms <= 0
  }

  /** Pages that may still be recognized. */
  get pagesLeft(): number {
    return this.ms <= 0 ? 0 : Math.max(0, this.pages)
  }

  /** Counts what `work` takes; a page too where it says that it recognized one. */
  async charge(work: () => Promise<"recognized" | "nothing">): Promise<void> {
    const began = performance.now()
    try {
      if ((await work()) === "recognized") this.pages--
    } finally {
      this.ms -= performance.now() - began
    }
  }

  /** Says in a warning what was not done for it. */
  explain(left: string): string {
    const { pages, seconds } = this.limits
    return `${left}: text recognition stops after ${pages} pages or ${seconds} seconds of one file`
  }
}
