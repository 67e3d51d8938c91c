/** Which places the operator has named, beyond those that anybody may reach. */
import { isIP, isIPv4 } from "node:net"
import { carriedAddress, networkOf, plainHost } from "./addresses.ts"

/** Built of the settings `--fetch-allow` and `--webhook-allow`. */
export interface AllowList {
  /** Whether the host was named itself, whatever its addresses are: then its name may be looked up under --offline. */
  names(host: string, port: number): boolean
  /** @param host as `plainHost` gives it. @param ip one of its addresses */
  allows(host: string, ip: string, port: number): boolean
}

const RULE =
  "must be hosts, with a port or without, networks, or *, with commas between them: wiki.example.org,*.corp.example,10.0.0.5:8080,10.0.0.0/8,fd00::/8"

interface Entry {
  /** As it is shown. */
  text: string
  host?: string
  /** Of a name that begins with `*.`, and of `*`. */
  suffix?: string
  holds?: (ip: string) => boolean
  port?: number
}

/** The common spelling of one entry. @throws Error that says the rule */
export const allowEntry = (text: string): string => entryOf(text).text

export function allowListOf(texts: readonly string[]): AllowList {
  const entries = texts.map(entryOf)
  const fits = (entry: Entry, port: number) => entry.port === undefined || entry.port === port
  const isNamed = ({ host, suffix }: Entry, name: string) =>
    host === name || (suffix !== undefined && name.endsWith(suffix))
  const names = (host: string, port: number) => entries.some(entry => fits(entry, port) && isNamed(entry, host))
  return {
    names,
    allows(host, ip, port) {
      const carried = carriedAddress(ip)
      const isListed = ({ host: address, holds }: Entry) =>
        address === ip || holds?.(ip) || (carried !== undefined && (address === carried || holds?.(carried)))
      return names(host, port) || entries.some(entry => fits(entry, port) && isListed(entry))
    },
  }
}

function entryOf(text: string): Entry {
  if (text === "*") return { text, suffix: "" }
  const network = /^\[?([^\]/]+)\]?\/(\d{1,3})$/.exec(text)
  if (network) return networkEntry(network[1]!, Number(network[2]))
  const bracketed = /^\[([^\]]+)\](?::(\d{1,5}))?$/.exec(text)
  const [, written, digits] =
    bracketed ?? (isIP(text) === 6 ? [text, text] : (/^(.*?)(?::(\d{1,5}))?$/.exec(text) ?? []))
  const isSuffix = written?.startsWith("*.") ?? false
  const host = plainHost(isSuffix ? written!.slice(2) : (written ?? ""))
  const port = digits === undefined ? undefined : Number(digits)
  if (host === undefined || (isSuffix && isIP(host) !== 0) || port === 0 || (port ?? 0) > 65_535) throw new Error(RULE)
  const shown = `${isSuffix ? "*." : ""}${isIP(host) === 6 ? `[${host}]` : host}${port === undefined ? "" : `:${port}`}`
  return { text: shown, ...(isSuffix ? { suffix: `.${host}` } : { host }), ...(port === undefined ? {} : { port }) }
}

function networkEntry(written: string, prefix: number): Entry {
  const ip = isIP(written) === 0 ? "" : plainHost(written)!
  const isFour = isIPv4(ip)
  if (ip === "" || prefix > (isFour ? 32 : 128)) throw new Error(RULE)
  const holds = networkOf(ip, prefix, isFour ? "ipv4" : "ipv6")
  return { text: `${ip}/${prefix}`, holds: address => isIPv4(address) === isFour && holds(address) }
}
