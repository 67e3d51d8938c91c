/**
 * Tokens that open one stream for a moment, for clients that can send no headers, as a browser's EventSource: part of the
 * stream's address, where logs of proxies may keep it. So one opens no other address, changes nothing, and ends within
 * minutes; a stream that it has opened lasts as long as whoever it was made for sees what it saw then.
 *
 * `<unix seconds>.<holder>.<signature>`, where the signature covers the path as well. Nothing is stored: what may end a
 * token is looked up when it is used.
 */
import { canonicalJson } from "../canonical-json.ts"
import { AppError, invalid } from "../errors.ts"
import type { Holders } from "./holders.ts"
import type { Principal } from "./principal.ts"
import { isSignature, signatureOf } from "./signature.ts"
import { markOf } from "./token.ts"

export const DEFAULT_STREAM_TOKEN_S = 60
export const MAX_STREAM_TOKEN_S = 300

const TOKEN = /^(\d{10,12})\.((?:key|tok)_\w+)\.([\w-]{43})$/
/** What begins the credential of a request that such a token let in, before the id of its holder. */
const HELD = "held "

export class StreamTokens {
  constructor(
    private readonly secret: Uint8Array,
    private readonly holders: Pick<Holders, "find">,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * @param path of the stream, without prefix
   * @throws AppError invalid_request; forbidden for a console session, which ends otherwise than what it hands out would
   */
  make({ holderId }: Principal, path: string, seconds = DEFAULT_STREAM_TOKEN_S): { token: string; expires_at: string } {
    if (holderId.startsWith("user_"))
      throw new AppError("forbidden", { message: "only keys and scoped tokens make tokens for streams" })
    if (!Number.isInteger(seconds) || seconds < 1 || seconds > MAX_STREAM_TOKEN_S)
      throw invalid("expires_in", `must be a whole number from 1 to ${MAX_STREAM_TOKEN_S}`)
    const ends = Math.floor(this.now() / 1000) + seconds
    const token = `${ends}.${holderId}.${signatureOf(this.secret, signed(ends, holderId, path))}`
    return { token, expires_at: new Date(ends * 1000).toISOString() }
  }

  /** Whom the token acts for on that path; null for one that is over, of another path, or of a holder that has ended. */
  async open(token: string, path: string): Promise<Principal | null> {
    const [, ends, holderId, signature] = TOKEN.exec(token) ?? []
    if (!ends || !holderId || !signature) return null
    if (!isSignature(signature, this.secret, signed(Number(ends), holderId, path))) return null
    if (Number(ends) * 1000 <= this.now()) return null
    const holder = await this.holders.find(holderId, undefined)
    return holder ? { ...holder.principal, credential: credentialOf(holder.principal) } : null
  }

  /** Those of some credentials of requests whose holders are still good, and see and may do what they did. */
  async alive(credentials: readonly string[]): Promise<Set<string>> {
    const held = credentials.filter(credential => credential.startsWith(HELD))
    const ids = new Set(held.map(credential => credential.split(" ")[1]!))
    const holders = await Promise.all([...ids].map(id => this.holders.find(id, undefined)))
    return new Set(held).intersection(new Set(holders.flatMap(each => (each ? [credentialOf(each.principal)] : []))))
  }
}

const signed = (ends: number, holderId: string, path: string): string => `stream ${ends} ${holderId} ${path}`

const credentialOf = ({ holderId, view, scopes }: Principal): string =>
  `${HELD}${holderId} ${markOf(canonicalJson([view, scopes]))}`
