/**
 * Whose request it is: the peer's address, or what a trusted proxy says about the one before it. Only the entries that
 * trusted proxies added count: a client may write what it likes into X-Forwarded-For.
 */
export function clientAddress(peer: string, forwardedFor: string | null, trusted: readonly string[]): string {
  let address = plain(peer)
  const hops = (forwardedFor ?? "").split(",").map(hop => plain(hop.trim()))
  while (trusted.includes(address) && hops.length > 0) {
    const before = hops.pop()
    if (!before) break
    address = before
  }
  return address
}

/** IPv4 addresses that arrive in IPv6 form, without their prefix. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, "")

/** Of this machine itself. */
export const isLoopback = (address: string): boolean => /^(?:::ffff:)?127\./.test(address) || address === "::1"
