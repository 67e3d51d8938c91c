/** E-mail addresses: dot-atom local parts, international letters, at least one dot in the domain. */
import type { Found, PieceView, RuleKind } from "./recognizer.ts"
import { SIGN } from "./recognizer.ts"

/** RFC 5321 allows 64; longer runs are not addresses. */
const LOCAL = /[\p{L}\p{N}\p{M}_%+&-](?:[\p{L}\p{N}\p{M}_%+&'’.-]{0,62}[\p{L}\p{N}\p{M}_%+&-])?$/u
const DOMAIN =
  /@(?:[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])?\.){1,8}(?:\p{L}{2,24}|xn--[a-z0-9-]{2,40})(?![\p{L}\p{N}])/uy

export const email: RuleKind = {
  category: "personal",
  label: "e-mail",
  precedence: 1,
  wholeOnly: true, // the domain behind a password in an address of a server looks like an e-mail; it is none
  foundBy: "rules",
  needs: SIGN.at,
  find: findEmails,
}

function findEmails({ text, from }: PieceView): Found[] {
  const found: Found[] = []
  for (let at = text.indexOf("@", from); at >= 0; at = text.indexOf("@", at + 1)) {
    const local = LOCAL.exec(text.slice(Math.max(from, at - 65), at))
    DOMAIN.lastIndex = at
    const domain = DOMAIN.exec(text)
    if (local && domain) found.push({ start: at - local[0].length, end: at + domain[0].length, score: 1 })
  }
  return found
}
