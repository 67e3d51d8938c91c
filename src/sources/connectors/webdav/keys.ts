/**
 * Keys of what a WebDAV server has, and back. A key is a path with its names as people read them. What a name could not
 * be found again by stays escaped: bytes that are no UTF-8, a slash within a name, a percent sign that looks like an escape.
 */

const ESCAPE = /%(?=[0-9a-f]{2})/gi

/** @param path as an address has it, escaped; empty names are dropped */
export function keyOf(path: string): string {
  return path.split("/").filter(Boolean).map(nameOf).join("/")
}

/** The escaped path of a key. */
export function pathOf(key: string): string {
  return key.split("/").map(escaped).join("/")
}

function nameOf(segment: string): string {
  const wellFormed = segment.replace(/%(?![0-9a-f]{2})/gi, "%25")
  try {
    return decodeURIComponent(wellFormed).replace(ESCAPE, "%25").replaceAll("/", "%2F").replaceAll("\0", "%00")
  } catch {
    // Names of another encoding: their ASCII alone is certain.
    return wellFormed.replace(/%[0-7][0-9a-f]|%../gi, byte =>
      byte < "%8" && !KEPT.has(byte.toUpperCase()) ? decodeURIComponent(byte) : byte.toUpperCase(),
    )
  }
}

/** Percent sign, slash, and the character that no key may have. */
const KEPT = new Set(["%25", "%2F", "%00"])

const escaped = (name: string): string =>
  name
    .toWellFormed()
    .replace(/%[0-9a-f]{2}|%|[^%]+/gi, part => (part.length === 3 && part[0] === "%" ? part : encodeURIComponent(part)))
