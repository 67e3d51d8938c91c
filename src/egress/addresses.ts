/** What kind of place an IP address is, whatever notation it comes in. */
import { BlockList, isIP, isIPv4 } from "node:net"

/** `reserved`: nobody's in particular (multicast, documentation, tunnels that lead anywhere). */
export type AddressKind = "public" | "private" | "loopback" | "link-local" | "reserved"

type Network = readonly [network: string, prefix: number, kind: AddressKind]

/** By IANA's registries of special purpose addresses. The first that fits counts. */
const NETWORKS_4: readonly Network[] = [
  ["0.0.0.0", 32, "loopback"], // a connection to it reaches this machine
  ["0.0.0.0", 8, "reserved"],
  ["10.0.0.0", 8, "private"],
  ["100.64.0.0", 10, "private"], // shared address space: carriers, overlay networks
  ["127.0.0.0", 8, "loopback"],
  ["169.254.0.0", 16, "link-local"],
  ["172.16.0.0", 12, "private"],
  ["192.0.0.0", 24, "reserved"],
  ["192.0.2.0", 24, "reserved"],
  ["192.88.99.0", 24, "reserved"],
  ["192.168.0.0", 16, "private"],
  ["198.18.0.0", 15, "reserved"],
  ["198.51.100.0", 24, "reserved"],
  ["203.0.113.0", 24, "reserved"],
  ["224.0.0.0", 3, "reserved"],
  ["0.0.0.0", 0, "public"],
]
const NETWORKS_6: readonly Network[] = [
  ["::", 128, "loopback"],
  ["::1", 128, "loopback"],
  ["64:ff9b:1::", 48, "private"], // NAT64 of this network, to whatever its operator says
  ["2001::", 23, "reserved"], // Teredo, ORCHID
  ["2001:db8::", 32, "reserved"],
  ["3fff::", 20, "reserved"],
  ["2000::", 3, "public"],
  ["fc00::", 7, "private"],
  ["fe80::", 10, "link-local"],
  ["fec0::", 10, "private"],
  ["::", 0, "reserved"],
]

const table = (networks: readonly Network[], family: "ipv4" | "ipv6") =>
  networks.map(([network, prefix, kind]) => ({ kind, holds: networkOf(network, prefix, family) }))

/** Whether an address of the same family lies in the network. */
export function networkOf(network: string, prefix: number, family: "ipv4" | "ipv6"): (ip: string) => boolean {
  const list = new BlockList()
  list.addSubnet(network, prefix, family)
  return ip => list.check(ip, family)
}

const KINDS_4 = table(NETWORKS_4, "ipv4")
const KINDS_6 = table(NETWORKS_6, "ipv6")

/** The sixteen-bit groups of an IPv6 address. */
function groupsOf(ip: string): number[] {
  const [head, tail] = new URL(`http://[${ip}]`).hostname
    .slice(1, -1)
    .split("::")
    .map(part => part.split(":").filter(Boolean))
  const given = head!.length + (tail?.length ?? 0)
  return [...head!, ...Array<string>(8 - given).fill("0"), ...(tail ?? [])].map(group => Number.parseInt(group, 16))
}

/**
 * The IPv4 address that a connection to an IPv6 address ends at: of mapped (`::ffff:10.0.0.1`), compatible (`::10.0.0.1`),
 * NAT64 (`64:ff9b::/96`) and 6to4 addresses (`2002::/16`). Undefined for all others.
 */
export function carriedAddress(ip: string): string | undefined {
  if (isIP(ip) !== 6) return undefined
  const groups = groupsOf(ip)
  const dotted = (high: number, low: number) => [high >> 8, high & 255, low >> 8, low & 255].join(".")
  const begins = (...heads: number[]) => heads.every((head, at) => groups[at] === head)
  if (groups[0] === 0x2002) return dotted(groups[1]!, groups[2]!)
  const isEmbedded =
    begins(0, 0, 0, 0, 0, 0xffff) || // mapped
    begins(0, 0, 0, 0, 0xffff, 0) || // translated (SIIT)
    begins(0x64, 0xff9b, 0, 0, 0, 0) ||
    (begins(0, 0, 0, 0, 0, 0) && (groups[6] !== 0 || groups[7]! > 1))
  return isEmbedded ? dotted(groups[6]!, groups[7]!) : undefined
}

/** @param ip IPv4 in dotted form, or IPv6 without brackets and zone; anything else is `reserved` */
export function kindOf(ip: string): AddressKind {
  const address = carriedAddress(ip) ?? ip
  if (isIP(address) === 0) return "reserved"
  return (isIPv4(address) ? KINDS_4 : KINDS_6).find(({ holds }) => holds(address))!.kind
}

/**
 * A host as the rules know it: lower case, punycode, without brackets and the dot at the end; decimal, octal and
 * hexadecimal spellings of an IPv4 address in dotted form, IPv6 in its short form. Undefined for what is no host.
 */
export function plainHost(host: string): string | undefined {
  const written = isIP(host) === 6 ? `[${host}]` : host
  // The parser would take these for other parts of an address.
  if (!/^(?:\[[^\]]*\]|[^/\\?#@:\s]+)$/.test(written) || !URL.canParse(`http://${written}/`)) return undefined
  const name = new URL(`http://${written}/`).hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "")
  return /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(name) || isIP(name) === 6 ? name : undefined
}
