/**
 * Separates what a model thinks from what it answers where the thoughts come inline, as `<think>…</think>`.
 * Only a block at the very beginning counts: an answer may speak about the tag later on.
 *
 * States: `start` (nothing but blanks so far; what could still become the tag is held back) → `thinking` (inside; what
 * could be the end tag is held back) → `gap` (blank lines between thought and answer are dropped) → `answer` (final).
 */
import type { ChatPiece } from "./backend.ts"

export interface SplitText {
  thinking: string
  text: string
}

const TAGS = ["think", "thinking", "reasoning"] as const

export class ThinkTagSplitter {
  private state: "start" | "thinking" | "gap" | "answer" = "start"
  private held = ""
  private closing = ""

  push(piece: string): SplitText {
    if (this.state === "answer") return { thinking: "", text: piece }
    this.held += piece
    const out: SplitText = { thinking: "", text: "" }
    if (this.state === "start") this.openTag(out)
    if (this.state === "thinking") this.closeTag(out)
    if (this.state === "gap") this.skipGap(out)
    return out
  }

  /** What was held back when the model stopped. */
  end(): SplitText {
    const { held } = this
    this.held = ""
    if (this.state === "thinking") return { thinking: held, text: "" }
    return { thinking: "", text: this.state === "gap" ? "" : held }
  }

  private openTag(out: SplitText): void {
    const content = this.held.trimStart()
    const tag = TAGS.find(name => content.startsWith(`<${name}>`))
    if (tag) {
      this.state = "thinking"
      this.closing = `</${tag}>`
      this.held = content.slice(tag.length + 2)
    } else if (!TAGS.some(name => `<${name}>`.startsWith(content))) {
      this.state = "answer"
      out.text = this.held
      this.held = ""
    }
  }

  private closeTag(out: SplitText): void {
    const at = this.held.indexOf(this.closing)
    if (at >= 0) {
      out.thinking = this.held.slice(0, at)
      this.held = this.held.slice(at + this.closing.length)
      this.state = "gap"
      return
    }
    const keep = partialTail(this.held, this.closing)
    out.thinking = this.held.slice(0, this.held.length - keep)
    this.held = this.held.slice(this.held.length - keep)
  }

  private skipGap(out: SplitText): void {
    const content = this.held.trimStart()
    if (content === "") return
    this.state = "answer"
    out.text = content
    this.held = ""
  }
}

export function* piecesOf({ thinking, text }: SplitText): Generator<ChatPiece> {
  if (thinking) yield { type: "thinking", text: thinking }
  if (text) yield { type: "text", text }
}

/** Length of the longest end of `text` that `tag` begins with. */
function partialTail(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length--)
    if (tag.startsWith(text.slice(-length))) return length
  return 0
}
