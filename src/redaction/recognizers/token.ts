/** JWTs, bearer and basic authorization values, session and access tokens where their name says so. */
import { valueAfterName } from "./api-key.ts"
import type { Found, PieceView, RuleKind } from "./recognizer.ts"
import { ANY_SIGN, contextBefore, matchesIn } from "./recognizer.ts"
import { isPlaceholder } from "./secret-value.ts"

const JWT = /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.?[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+){0,2}/g
/** Broken over lines, as terminals and mail programs do. */
const WRAPPED_JWT =
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{5,}(?:[A-Za-z0-9_.-]|\\?[ \t]*\r?\n[ \t>|]*(?=[A-Za-z0-9_.-]))*/g
const SCHEME = /\b(?:bearer|basic|digest)\s{1,3}["']?$/
const TOKEN_NAMES =
  /(?:(?:session|access|refresh|auth|authentication|authorization|bearer|csrf|xsrf|id|api|security|reset|verification|jwt|oauth|device|push|x-auth|x-csrf|deploy|bot)[ _-]?tokens?|session[ _-]?(?:ids?|keys?|secret|cookies?)|sess(?:ion)?id|phpsessid|jsessionid|asp\.net_sessionid|connect\.sid|sid|tokens?|authorization)["'`\]]{0,2}(?:\s{0,3}(?:=>|:=|[:=])|\s{1,3}is:?)\s{0,3}["'`]?$/i
const VALUE = /[A-Za-z0-9_./+=~%:-]{8,2048}/g

/** A piece holds few lines that are not the token's. */
const LINES_BEHIND = 4

export const token: RuleKind = {
  category: "credentials",
  label: "token",
  precedence: 2,
  foundBy: "rules",
  needs: ANY_SIGN,
  find: findTokens,
}

function findTokens(view: PieceView): Found[] {
  const found: Found[] = []
  for (const match of matchesIn(view, JWT))
    found.push({ start: match.index, end: match.index + match[0].length, score: 0.99 })
  if (view.text.includes("\n", view.from)) found.push(...findWrapped(view))
  for (const match of matchesIn(view, VALUE)) {
    const value = match[0].replace(/[.:]+$/, "")
    if (isPlaceholder(value)) continue
    if (SCHEME.test(contextBefore(view, match.index, 14)) && isOpaque(value))
      found.push({ start: match.index, end: match.index + value.length, score: 0.95 })
    else {
      const named = valueAfterName(view, match, TOKEN_NAMES)
      if (named && isOpaque(view.text.slice(named.start, named.end))) found.push({ ...named, score: 0.85 })
    }
  }
  return found
}

/** The lines up to the last one that belongs to a whole token: three parts, and nothing of a sentence behind them. */
function findWrapped(view: PieceView): Found[] {
  return [...matchesIn(view, WRAPPED_JWT)].flatMap(match => {
    const lines = match[0].split("\n")
    for (let count = lines.length; count > Math.max(1, lines.length - LINES_BEHIND); count--) {
      const part = lines.slice(0, count).join("\n").trimEnd()
      const whole = part.replaceAll(/[\s>|\\]/g, "")
      const isWord = /^[\s>|]*[A-Z]?[a-z]+[.]?$/.test(lines[count - 1]!)
      if (!isWord && /^[\w-]{8,}\.[\w-]{5,}\.?[\w-]*(?:\.[\w-]+){0,2}$/.test(whole))
        return [{ start: match.index, end: match.index + part.length, score: 0.99 }]
    }
    return []
  })
}

/** Not a word of a language: digits among letters, or long with changing case. */
const isOpaque = (value: string): boolean =>
  value.length >= 8 &&
  ((/\d/.test(value) && /[A-Za-z]/.test(value)) ||
    (value.length >= 20 && /[a-z][A-Z].*[a-z][A-Z]/.test(value)) ||
    /^\d{16,}$/.test(value))
