/**
 * Several hosts on one machine: a network namespace each, behind one router that can be told to drop what passes between
 * two of them, silently, as a cable does that is pulled out behind a switch. Takes root and `ip`.
 */
import { readdirSync } from "node:fs"
import { runTool } from "../../scripts/cluster/tools.ts"

export interface NetworkHost {
  address: string
  /** What a command is put behind to run there. */
  under: readonly string[]
}

export interface Network<Name extends string> {
  hosts: Record<Name, NetworkHost>
  /** Address of this process. */
  here: string
  /** From now on nothing passes between the two, either way. This process is the host `HERE`. */
  cut(one: Name | typeof HERE, other: Name | typeof HERE): Promise<void>
  mend(one: Name | typeof HERE, other: Name | typeof HERE): Promise<void>
  mendAll(): Promise<void>
  /** Takes the hosts away; what still runs in them keeps its namespace until it ends. */
  remove(): Promise<void>
}

/** The process that made the network. */
export const HERE = "here"

const ip = (...args: string[]) => runTool(["ip", ...args])

/** Why there can be no such network, in words for a person; undefined where there can. */
export async function lacksNetwork(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return "hosts on one machine take root"
  if (!Bun.which("ip")) return "ip (iproute2) is not installed"
  const probe = `carrel-probe-${process.pid}`
  try {
    await ip("netns", "add", probe)
    await ip("-n", probe, "rule", "add", "from", "10.1.0.0/30", "to", "10.2.0.0/30", "blackhole")
    return undefined
  } catch (error) {
    return `the system gives no hosts on one machine: ${(error as Error).message}`
  } finally {
    await ip("netns", "delete", probe).catch(() => undefined)
  }
}

/** At most 60 hosts. */
export async function openNetwork<Name extends string>(names: readonly Name[]): Promise<Network<Name>> {
  const net = freeNet()
  const router = `carrel${net}`
  const inRouter = (...args: string[]) => ip("-n", router, ...args)
  const all = [HERE, ...names] as const
  /** The router's side and the host's of the wire to each. */
  const ends = (name: string) => {
    const at = all.indexOf(name as Name) * 4
    return { router: `10.${net}.0.${at + 1}`, host: `10.${net}.0.${at + 2}` }
  }
  await ip("netns", "add", router)
  await inRouter("link", "set", "lo", "up")
  await runTool(["ip", "netns", "exec", router, "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"])
  for (const [at, name] of all.entries()) {
    const { router: gateway, host } = ends(name)
    const [wire, far] = [`cr${net}h${at}`, `cr${net}r${at}`]
    await ip("link", "add", wire, "type", "veth", "peer", "name", far)
    await ip("link", "set", far, "netns", router)
    await inRouter("address", "add", `${gateway}/30`, "dev", far)
    await inRouter("link", "set", far, "up")
    const inHost = name === HERE ? [] : ["-n", `${router}-${name}`]
    if (name !== HERE) {
      await ip("netns", "add", `${router}-${name}`)
      await ip("link", "set", wire, "netns", `${router}-${name}`)
      await ip(...inHost, "link", "set", "lo", "up")
    }
    await ip(...inHost, "address", "add", `${host}/30`, "dev", wire)
    await ip(...inHost, "link", "set", wire, "up")
    await ip(...inHost, "route", "add", `10.${net}.0.0/24`, "via", gateway)
  }
  const cuts = new Set<string>()
  const rule = async (action: "add" | "delete", one: string, other: string) => {
    const [a, b] = [ends(one).host, ends(other).host]
    await inRouter("rule", action, "from", a, "to", b, "blackhole")
    await inRouter("rule", action, "from", b, "to", a, "blackhole")
  }
  const mend = async (one: string, other: string) => {
    if (cuts.delete([one, other].sort().join(" "))) await rule("delete", one, other)
  }
  return {
    hosts: Object.fromEntries(
      names.map((name): [string, NetworkHost] => [
        name,
        { address: ends(name).host, under: ["ip", "netns", "exec", `${router}-${name}`] },
      ]),
    ) as Record<Name, NetworkHost>,
    here: ends(HERE).host,
    async cut(one, other) {
      const pair = [one, other].sort().join(" ")
      if (cuts.has(pair)) return
      await rule("add", one, other)
      cuts.add(pair)
    },
    mend,
    async mendAll() {
      for (const pair of [...cuts]) await mend(...(pair.split(" ") as [string, string]))
    },
    async remove() {
      await ip("link", "delete", `cr${net}h0`).catch(() => undefined)
      for (const name of names) await ip("netns", "delete", `${router}-${name}`).catch(() => undefined)
      await ip("netns", "delete", router).catch(() => undefined)
    },
  }
}

/** The second part of 10.N.0.0/24 that no other such network has. */
function freeNet(): number {
  const taken = new Set(readdirSync("/sys/class/net"))
  const free = Array.from({ length: 100 }, (_, i) => 100 + ((process.pid + i) % 100))
  const found = free.find(net => !taken.has(`cr${net}h0`))
  if (found === undefined) throw new Error("a hundred networks of tests are open: delete the links cr…h0")
  return found
}
