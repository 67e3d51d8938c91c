/** The search by rules: kinds whose values have a form, found piece by piece. */
import type { Turns } from "../threads/turns.ts"
import type { Entity } from "./kinds.ts"
import { nextPiece } from "./pieces.ts"
import type { BuiltInKind } from "./recognizers/index.ts"
import { CONTEXT_LENGTH, type RuleKind, SIGN } from "./recognizers/recognizer.ts"
import type { ScannedText } from "./scanned-text.ts"

export class RuleSearch {
  private at = 0

  constructor(
    private readonly kinds: readonly (RuleKind & { name: BuiltInKind })[],
    private readonly scanned: ScannedText,
    private readonly found: (entity: Entity) => void,
  ) {}

  /** Searches what is complete of the text so far; returns where the rest begins. */
  async advance(final: boolean, turns: Turns): Promise<number> {
    for (;;) {
      const { text, base } = this.scanned
      const piece = nextPiece(text, this.at - base, final)
      if (piece === "none" || "open" in piece) {
        this.at = piece === "none" ? this.scanned.end : base + piece.open
        return this.at
      }
      this.searchPiece(piece.start, piece.end)
      this.at = base + piece.end
      await turns.next()
    }
  }

  private searchPiece(start: number, end: number): void {
    const { text, base } = this.scanned
    const contextStart = Math.max(0, start - CONTEXT_LENGTH)
    const view = { text: text.slice(contextStart, end), from: start - contextStart }
    const signs = signsIn(view.text, view.from)
    if (signs === 0) return
    const offset = base + contextStart
    for (const { name, category, needs, find } of this.kinds) {
      if ((needs & signs) === 0) continue
      for (const { start, end, score } of find(view))
        this.found({ kind: name, category, start: offset + start, end: offset + end, score })
    }
  }
}

const CONTEXT_OF_SECRETS =
  /(?:pass|pwd|wort|contrase|wachtwoord|senha|hasło|lösenord|пароль|密|パス|비밀|parola|token|secret|key|bearer|basic|sess|sid|auth)/i

/** What stands in a piece, or shortly before it, that a value could be known by. */
function signsIn(text: string, from: number): number {
  let signs = 0
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit >= 48 && unit <= 57) signs |= SIGN.digit
    else if (unit === 64) signs |= SIGN.at
    else if (unit === 58 || unit === 61) signs |= SIGN.colonOrEquals
    else if (unit === 95) signs |= SIGN.underscore
  }
  if (signs === 0 && CONTEXT_OF_SECRETS.test(text.slice(Math.max(0, from - 60)))) return SIGN.secretWord
  return signs
}
