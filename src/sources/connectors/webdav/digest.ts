/** The answer to `WWW-Authenticate: Digest …` (RFC 7616), which Apache's WebDAV is often set up with. */
import { isUtf8 } from "node:buffer"
import { createHash, randomBytes } from "node:crypto"

export interface DigestChallenge {
  realm: string
  nonce: string
  algorithm: string
  opaque: string | undefined
  /** Whether the server knows `qop=auth`; old ones know none. */
  counts: boolean
}

const HASHES: Record<string, string> = { md5: "md5", "sha-256": "sha256", "sha-512-256": "sha512-256" }

/** @returns undefined where the server asks for another kind, or for a hash or protection that is not known here */
export function digestChallenge(header: string | null): DigestChallenge | undefined {
  // Read a character for a byte; a realm is UTF-8 these days.
  const bytes = Buffer.from(header ?? "", "latin1")
  const text = isUtf8(bytes) ? bytes.toString() : (header ?? "")
  for (const challenge of text.split(/(?:^|,\s*)(?=digest\s)/i)) {
    if (!/^digest\s/i.test(challenge)) continue
    const fields = new Map(
      Array.from(
        challenge.matchAll(/([a-z]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi),
        ([, name, quoted, bare]) => [name!.toLowerCase(), quoted?.replace(/\\(.)/g, "$1") ?? bare ?? ""],
      ),
    )
    const algorithm = fields.get("algorithm") ?? "MD5"
    const qop = fields.get("qop")?.split(/\s*,\s*/)
    if (!HASHES[hashName(algorithm)] || (qop && !qop.includes("auth"))) continue
    const { realm = "", nonce = "", opaque } = Object.fromEntries(fields) as Record<string, string | undefined>
    return { realm, nonce, algorithm, opaque, counts: qop !== undefined }
  }
  return undefined
}

/**
 * The value of `Authorization`.
 * @param count of requests with this nonce, from 1 on
 * @param uri path and query, as they are sent
 */
export function digestAnswer(
  challenge: DigestChallenge,
  { username, password }: { username: string; password: string },
  { method, uri, count }: { method: string; uri: string; count: number },
): string {
  const { realm, nonce, algorithm, opaque, counts } = challenge
  const hash = (text: string) => createHash(HASHES[hashName(algorithm)]!).update(text).digest("hex")
  const cnonce = randomBytes(16).toString("hex")
  const nc = count.toString(16).padStart(8, "0")
  const user = hash(`${username}:${realm}:${password}`)
  const secret = isSession(algorithm) ? hash(`${user}:${nonce}:${cnonce}`) : user
  const asked = hash(`${method}:${uri}`)
  const response = hash(counts ? `${secret}:${nonce}:${nc}:${cnonce}:auth:${asked}` : `${secret}:${nonce}:${asked}`)
  const parts = [
    `username="${quoted(username)}"`,
    `realm="${quoted(realm)}"`,
    `nonce="${quoted(nonce)}"`,
    `uri="${uri}"`,
    `algorithm=${algorithm}`,
    `response="${response}"`,
    ...(opaque === undefined ? [] : [`opaque="${quoted(opaque)}"`]),
    ...(counts || isSession(algorithm) ? [`cnonce="${cnonce}"`] : []),
    ...(counts ? ["qop=auth", `nc=${nc}`] : []),
  ]
  // Headers are sent a byte for a character; what servers compare are the bytes of UTF-8.
  return Buffer.from(`Digest ${parts.join(", ")}`).toString("latin1")
}

const isSession = (algorithm: string): boolean => /-sess$/i.test(algorithm)

const hashName = (algorithm: string): string => algorithm.toLowerCase().replace(/-sess$/, "")

const quoted = (text: string): string => text.replace(/[\\"]/g, "\\$&")
