/**
 * How nodes of one cluster know each other: what one asks of another carries a signature that only who has the cluster's
 * secret can make. It holds for one node, one request and a short time, and counts once.
 */
import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto"
import type { Owner } from "../storage/owners.ts"

export const SIGNATURE_HEADER = "carrel-node"
/** How far two clocks may stand apart: each a minute from that of the database, to its side. */
const WINDOW_MS = 120_000
const FORM = /^t=(\d{1,15}),n=([\w-]{22}),b=([\w-]{43}),s=([\w-]{43})$/

export interface NodeRequest {
  method: string
  /** Path and query. */
  target: string
  body: Uint8Array
}

export class Signatures {
  private readonly key: Buffer
  /** Of requests that were let in, in this window and the last: as long as one of them could be sent again. */
  private seen = new Set<string>()
  private seenBefore = new Set<string>()
  private windowEndsAt = 0

  /**
   * @param secret of the cluster
   * @param self this node: a request to one is none to another, nor to the same after a restart
   */
  constructor(
    secret: string,
    private readonly self: Owner,
    private readonly now: () => number = Date.now,
  ) {
    this.key = Buffer.from(hkdfSync("sha256", secret, "", "carrel requests between nodes", 32))
  }

  /** The header of a request to node `to`. */
  sign(to: string, { method, target, body }: NodeRequest): Record<string, string> {
    const time = String(this.now())
    const nonce = randomBytes(16).toString("base64url")
    const digest = digestOf(body)
    const signature = this.signatureOf(to, method, target, time, nonce, digest)
    return { [SIGNATURE_HEADER]: `t=${time},n=${nonce},b=${digest},s=${signature}` }
  }

  /**
   * Whether a request comes from a node of this cluster. The body is read only where the signature is right.
   */
  async admits(
    header: string,
    { method, target, body }: { method: string; target: string; body(): Promise<Uint8Array> },
  ): Promise<boolean> {
    const parts = FORM.exec(header)
    if (!parts) return false
    const [, time, nonce, digest, given] = parts as unknown as [string, string, string, string, string]
    const expected = this.signatureOf(this.self.id, method, target, time, nonce, digest)
    if (!timingSafeEqual(Buffer.from(given), Buffer.from(expected))) return false // as texts: of equal length by FORM
    if (Math.abs(this.now() - Number(time)) > WINDOW_MS || !this.isNew(nonce)) return false
    return digestOf(await body()) === digest
  }

  private isNew(nonce: string): boolean {
    const now = this.now()
    // A time that is a window ahead holds for two windows from now.
    if (now >= this.windowEndsAt) {
      this.seenBefore = now - this.windowEndsAt < 2 * WINDOW_MS ? this.seen : new Set()
      this.seen = new Set()
      this.windowEndsAt = now + 2 * WINDOW_MS
    }
    if (this.seen.has(nonce) || this.seenBefore.has(nonce)) return false
    this.seen.add(nonce)
    return true
  }

  private signatureOf(to: string, ...parts: string[]): string {
    return createHmac("sha256", this.key)
      .update(["1", to, ...parts].join("\n"))
      .digest("base64url")
  }
}

const digestOf = (body: Uint8Array): string => createHash("sha256").update(body).digest("base64url")
