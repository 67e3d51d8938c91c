/** Hosts on one machine, and the links between them: what the tests of a cluster cut and mend. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { HERE, lacksNetwork, type Network, openNetwork } from "../support/network.ts"
import { until } from "../support/until.ts"

const reason = await lacksNetwork()
if (reason) console.log(`network: not tested, because ${reason}`)

const SERVER = `Bun.serve({ hostname: "0.0.0.0", port: 8080, fetch: async request => {
  const far = new URL(request.url).searchParams.get("far")
  if (!far) return new Response("here")
  return new Response(await fetch(far, { signal: AbortSignal.timeout(500) }).then(r => r.text(), () => "silence"))
} })`

describe.skipIf(reason !== undefined)("hosts", () => {
  let network: Network<"a" | "b">
  const servers: Bun.Subprocess[] = []

  const url = (name: "a" | "b") => `http://${network.hosts[name].address}:8080/`
  const ask = (address: string): Promise<string> =>
    fetch(address, { signal: AbortSignal.timeout(1_000) }).then(
      answer => answer.text(),
      () => "silence",
    )
  const far = (from: "a" | "b", to: "a" | "b") => ask(`${url(from)}?far=${encodeURIComponent(url(to))}`)

  beforeAll(async () => {
    network = await openNetwork(["a", "b"])
    for (const name of ["a", "b"] as const) {
      servers.push(Bun.spawn([...network.hosts[name].under, process.execPath, "-e", SERVER]))
      await until(async () => (await ask(url(name))) === "here")
    }
  })
  afterAll(async () => {
    for (const server of servers) server.kill("SIGKILL")
    await network?.remove()
  })

  test("two between which the link is cut hear nothing of each other, and others still hear both", async () => {
    expect(await far("a", "b")).toBe("here")
    await network.cut("a", "b")
    expect([await far("a", "b"), await far("b", "a"), await ask(url("a"))]).toEqual(["silence", "silence", "here"])
    await network.mend("a", "b")
    expect(await far("a", "b")).toBe("here")
  })

  test("the link to this process is cut as well as any other", async () => {
    await network.cut(HERE, "a")
    expect(await ask(url("a"))).toBe("silence")
    await network.mendAll()
    expect(await ask(url("a"))).toBe("here")
  })
})
