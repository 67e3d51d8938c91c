/** The sockets and descriptors of this process, which the runtime's web server does not show. */
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs"
import { libc } from "./linux.ts"

export interface ClientSocket {
  descriptor: number
  /** `peerKey` of the other end. */
  peer: string
  address: string
}

const AF_INET = 2
const AF_INET6 = 10
const SHUT_RDWR = 2
/** Of the largest socket address. */
const ADDRESS_BYTES = 128

/** Descriptors that this process may have open; the runtime has raised that to what the system allows. */
export function descriptorLimit(): number {
  knownLimit ??= Number(/^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? Infinity)
  return knownLimit
}

let knownLimit: number | undefined

/** At least so many descriptors are open: the system gives the lowest free one. Costs two calls of the system. */
export function leastOpen(): number {
  try {
    const lowest = openSync("/dev/null", "r")
    closeSync(lowest)
    return lowest
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** What opening a library or a set of files takes. */
const SOME_DESCRIPTORS = 32
const WAIT_MS = 20
const WAITS = 500

/** Waits, ten seconds at most, until some files can be opened: before what is not tried twice, such as loading a library. */
export async function someDescriptors(): Promise<void> {
  if (process.platform !== "linux") return
  const limit = descriptorLimit() - SOME_DESCRIPTORS
  for (let waits = 0; leastOpen() > limit && waits < WAITS; waits++) await Bun.sleep(WAIT_MS)
}

/**
 * Connections that clients hold to one of our ports, and how many descriptors are open in all. A microsecond each.
 * Descriptors are this thread's to close: as long as it does nothing else, they stay what they are.
 */
export function clientSockets(localPort: number): { open: number; sockets: ClientSocket[] } {
  const address = new Uint8Array(ADDRESS_BYTES)
  const view = new DataView(address.buffer)
  const length = new Uint32Array(1)
  const ask = (call: "getsockname" | "getpeername", descriptor: number): boolean => {
    length[0] = ADDRESS_BYTES
    return libc()[call](descriptor, address, length) === 0
  }
  const isInternet = () => [AF_INET, AF_INET6].includes(view.getUint16(0, true))
  const descriptors = openDescriptors()
  const sockets: ClientSocket[] = []
  for (const name of descriptors) {
    const descriptor = Number(name)
    if (!ask("getsockname", descriptor) || !isInternet() || view.getUint16(2) !== localPort) continue
    if (!ask("getpeername", descriptor)) continue // the one that listens
    const host = view.getUint16(0, true) === AF_INET ? address.subarray(4, 8).join(".") : fromSixteen(view)
    sockets.push({ descriptor, address: host, peer: peerKey(host, view.getUint16(2)) })
  }
  return { open: descriptors.length - 1, sockets } // but for the folder's own
}

/** Given up for the moment of a look, which needs one where all are taken; several, because other threads open files too. */
const spare: number[] = []
const SPARE = 8

/** Keeps descriptors in reserve, so that what holds all others can still be looked at. */
export function keepSpare(): void {
  try {
    while (spare.length < SPARE) spare.push(openSync("/dev/null", "r"))
  } catch {
    // as many as there are; the next look tries again
  }
}

function openDescriptors(): string[] {
  for (const descriptor of spare.splice(0)) closeSync(descriptor)
  try {
    return readdirSync("/proc/self/fd")
  } finally {
    keepSpare()
  }
}

/** Ends a connection in both directions; the web server then notices and closes it. */
export function shutDown(descriptor: number): void {
  libc().shutdown(descriptor, SHUT_RDWR)
}

/** One text for one end of a connection, however its address was written. */
export const peerKey = (address: string, port: number): string => `${plainAddress(address)} ${port}`

/** The shortest form of an address, and the IPv4 one of such that arrive in IPv6 form. */
function plainAddress(address: string): string {
  if (!address.includes(":")) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return mapped
  const url = `http://[${address.split("%", 1)[0]}]`
  return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : address
}

function fromSixteen(view: DataView): string {
  const groups = Array.from({ length: 8 }, (_, i) => view.getUint16(8 + 2 * i))
  if (groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff)
    return Array.from({ length: 4 }, (_, i) => view.getUint8(20 + i)).join(".")
  return plainAddress(groups.map(group => group.toString(16)).join(":"))
}
