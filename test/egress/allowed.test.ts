/** Which addresses may be reached: every case with a resolver and a connector of the test's own, so that nobody is. */
import { describe, expect, test } from "bun:test"
import type { Socket } from "node:net"
import { kindOf, plainHost } from "../../src/egress/addresses.ts"
import { allowEntry, allowListOf } from "../../src/egress/allow-list.ts"
import { Egress } from "../../src/egress/egress.ts"
import { fetchPolicy, type Policy, webhookPolicy } from "../../src/egress/policy.ts"
import { rejection } from "../support/rejection.ts"

const listed = (...texts: string[]) => allowListOf(texts)

/** What was connected to, and what was looked up; no connection is made. */
function egressOf(policy: Policy, names: Record<string, string[]> = {}) {
  const opened: string[] = []
  const asked: string[] = []
  const egress = new Egress({
    policy,
    resolve: async host => {
      asked.push(host)
      return names[host] ?? []
    },
    open: (ip, port): Socket => {
      opened.push(`${ip} ${port}`)
      throw new Error("no connection in this test")
    },
  })
  return { egress, opened, asked }
}

describe("kinds of addresses", () => {
  test.each([
    ["8.8.8.8", "public"],
    ["0.0.0.0", "loopback"],
    ["0.1.2.3", "reserved"],
    ["127.0.0.1", "loopback"],
    ["127.255.255.254", "loopback"],
    ["10.0.0.1", "private"],
    ["172.16.0.1", "private"],
    ["172.31.255.255", "private"],
    ["172.32.0.1", "public"],
    ["192.168.1.1", "private"],
    ["100.64.0.1", "private"],
    ["169.254.169.254", "link-local"],
    ["192.0.2.1", "reserved"],
    ["198.18.0.1", "reserved"],
    ["224.0.0.1", "reserved"],
    ["255.255.255.255", "reserved"],
    ["2606:4700::1111", "public"],
    ["::", "loopback"],
    ["::1", "loopback"],
    ["0:0:0:0:0:0:0:1", "loopback"],
    ["fc00::1", "private"],
    ["fd12:3456::1", "private"],
    ["fe80::1", "link-local"],
    ["fec0::1", "private"],
    ["ff02::1", "reserved"],
    ["2001:db8::1", "reserved"],
    ["2001::1", "reserved"], // Teredo
    ["::ffff:10.0.0.1", "private"], // mapped
    ["::ffff:a00:1", "private"],
    ["::ffff:127.0.0.1", "loopback"],
    ["::ffff:8.8.8.8", "public"],
    ["::ffff:0:10.0.0.1", "private"], // translated
    ["::10.0.0.1", "private"], // compatible
    ["64:ff9b::10.0.0.1", "private"], // NAT64
    ["64:ff9b::169.254.169.254", "link-local"],
    ["64:ff9b::8.8.8.8", "public"],
    ["64:ff9b:1::1", "private"],
    ["2002:0a00:0001::1", "private"], // 6to4
    ["2002:7f00:0001::", "loopback"],
    ["2002:0808:0808::1", "public"],
    ["no address", "reserved"],
  ])("%s is %s", (ip, kind) => expect(kindOf(ip)).toBe(kind as never))
})

test.each([
  ["EXAMPLE.org.", "example.org"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["2130706433", "127.0.0.1"],
  ["0x7f.1", "127.0.0.1"],
  ["0177.0.0.1", "127.0.0.1"],
  ["127.0.0.1.", "127.0.0.1"],
  ["127。0。0。1", "127.0.0.1"],
  ["[::FFFF:127.0.0.1]", "::ffff:7f00:1"],
  ["0:0::1", "::1"],
  ["fe80::1%eth0", undefined],
  ["a.example/path", undefined],
  ["user@a.example", undefined],
  ["a.example:80", undefined],
  ["a b", undefined],
  ["", undefined],
  ["..", undefined],
])("the host %j is known as %j", (written, host) => expect(plainHost(written)).toBe(host))

describe("the list", () => {
  test.each([
    ["wiki.corp", "wiki.corp", "10.0.0.1", 80, true],
    ["wiki.corp", "wiki.corp.evil.example", "10.0.0.1", 80, false],
    ["WIKI.corp.", "wiki.corp", "10.0.0.1", 80, true],
    ["wiki.corp:8080", "wiki.corp", "10.0.0.1", 8080, true],
    ["wiki.corp:8080", "wiki.corp", "10.0.0.1", 80, false],
    ["*.corp", "a.b.corp", "10.0.0.1", 80, true],
    ["*.corp", "corp", "10.0.0.1", 80, false],
    ["*", "any.example", "169.254.169.254", 80, true],
    ["10.0.0.0/8", "wiki.corp", "10.9.9.9", 80, true],
    ["10.0.0.0/8", "wiki.corp", "::ffff:10.9.9.9", 80, true],
    ["10.0.0.0/8", "wiki.corp", "11.0.0.1", 80, false],
    ["10.0.0.5", "wiki.corp", "10.0.0.5", 80, true],
    ["10.0.0.5:81", "wiki.corp", "10.0.0.5", 80, false],
    ["fd00::/8", "wiki.corp", "fd12::1", 80, true],
    ["::/0", "wiki.corp", "10.0.0.1", 80, false],
    ["[::1]:8080", "::1", "::1", 8080, true],
    ["[::1]:8080", "::1", "::1", 80, false],
    ["::1", "::1", "::1", 80, true],
  ])("%s, asked for %s at %s:%d: %p", (entry, host, ip, port, allowed) =>
    expect(listed(entry).allows(host, ip, port)).toBe(allowed),
  )

  test.each([
    "http://wiki.corp",
    "wiki.corp/path",
    "10.0.0.0/33",
    "fd00::/129",
    "a b",
    "wiki.corp/8",
    "a:0",
    "a:99999",
    "",
  ])("%j is no entry", entry => expect(() => allowEntry(entry)).toThrow("must be hosts"))
})

describe("pages and sources", () => {
  const PRIVATE = [
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://017700000001/",
    "http://127.1/",
    "http://127.0.0.1./",
    "http://localhost/",
    "http://LOCALHOST./",
    "http://a.localhost/",
    "http://0/",
    "http://0.0.0.0/",
    "http://[::]/",
    "http://[::1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[64:ff9b::10.0.0.1]/",
    "http://[2002:a00:1::1]/",
    "http://[fe80::1]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://10.1.2.3:9200/",
    "https://192.168.0.1/",
    "http://１０.0.0.1/",
  ]
  test.each(PRIVATE)("%s is forbidden, and nobody is connected to", async url => {
    const { egress, opened } = egressOf(fetchPolicy(listed(), false))
    expect(await rejection(egress.fetch(url))).toMatchObject({ code: "forbidden" })
    expect(opened).toEqual([])
  })

  test("a name with one public and one private address is refused, in either order", async () => {
    for (const addresses of [
      ["8.8.8.8", "10.0.0.1"],
      ["10.0.0.1", "8.8.8.8"],
      ["8.8.8.8", "::ffff:127.0.0.1"],
    ]) {
      const { egress, opened } = egressOf(fetchPolicy(listed(), false), { "two.example": addresses })
      expect(await rejection(egress.fetch("http://two.example/"))).toMatchObject({ code: "forbidden" })
      expect(opened).toEqual([])
    }
  })

  test("the connection goes to the address that was checked, and the name is looked up once", async () => {
    const { egress, opened, asked } = egressOf(fetchPolicy(listed(), false), { "a.example": ["203.0.112.7"] })
    expect(await rejection(egress.fetch("https://a.example./x"))).toMatchObject({ code: "fetch_failed" })
    expect(opened).toEqual(["203.0.112.7 443"])
    expect(asked).toEqual(["a.example"])
  })

  test("a name whose address has changed since it was checked is refused", async () => {
    const names = { "turns.example": ["8.8.8.8"] }
    const { egress, opened } = egressOf(fetchPolicy(listed(), false), names)
    await egress.check("turns.example", 80)
    names["turns.example"] = ["127.0.0.1"]
    expect(await rejection(egress.fetch("http://turns.example/"))).toMatchObject({ code: "forbidden" })
    expect(opened).toEqual([])
  })

  test("the refusal names host, port and setting, and not what the name resolves to", async () => {
    const { egress } = egressOf(fetchPolicy(listed(), false), { "in.example": ["10.7.7.7"] })
    const error = await rejection(egress.fetch("http://in.example:8080/"))
    expect(error.message).toBe("in.example:8080 may not be reached")
    expect(error.hint).toContain("--fetch-allow")
    expect(JSON.stringify(error)).not.toContain("10.7.7.7")
  })

  test.each(["ftp://a.example/", "file:///etc/passwd", "javascript:1", "http://user:secret@a.example/", "nonsense"])(
    "%s is no address to fetch",
    async url => {
      const { egress, asked } = egressOf(fetchPolicy(listed("*"), false))
      expect(await rejection(egress.fetch(url))).toMatchObject({ code: "invalid_request" })
      expect(asked).toEqual([])
    },
  )

  test("what is listed may be reached: host, network, everything", async () => {
    for (const entry of ["in.example", "in.example:80", "10.0.0.0/8", "*"]) {
      const { egress, opened } = egressOf(fetchPolicy(listed(entry), false), { "in.example": ["10.0.0.1"] })
      await rejection(egress.fetch("http://in.example/"))
      expect(opened).toEqual(["10.0.0.1 80"])
    }
  })

  test("a check passes for a name that has no address now, and refuses one that is private", async () => {
    const { egress } = egressOf(fetchPolicy(listed(), false), { "in.example": ["10.0.0.1"] })
    await egress.check("nowhere.example", 80)
    expect(await rejection(egress.check("in.example", 80))).toMatchObject({ code: "forbidden" })
  })
})

describe("under --offline", () => {
  test("a public address is refused, and a name that is not listed is not looked up", async () => {
    const { egress, asked, opened } = egressOf(fetchPolicy(listed("10.0.0.0/8"), true), { "a.example": ["10.0.0.1"] })
    for (const url of ["http://8.8.8.8/", "http://a.example/"])
      expect(await rejection(egress.fetch(url))).toMatchObject({ code: "forbidden" })
    expect([...asked, ...opened]).toEqual([])
  })

  test("what is listed may be reached", async () => {
    const { egress, opened } = egressOf(fetchPolicy(listed("a.example", "10.0.0.0/8"), true), {
      "a.example": ["8.8.8.8"],
    })
    for (const url of ["http://a.example/", "http://10.1.1.1/"]) await rejection(egress.fetch(url))
    expect(opened).toEqual(["8.8.8.8 80", "10.1.1.1 80"])
  })
})

describe("receivers of webhooks", () => {
  test.each([
    ["http://127.0.0.1:5678/", true],
    ["http://localhost:5678/", true],
    ["http://0.0.0.0:5678/", true],
    ["http://10.0.0.1/", true],
    ["http://[fd00::1]/", true],
    ["http://169.254.169.254/", false],
    ["http://8.8.8.8/", false],
    ["http://both.example/", false],
  ])("%s: %p", async (url, allowed) => {
    const { egress, opened } = egressOf(webhookPolicy(listed(), false), { "both.example": ["10.0.0.1", "8.8.8.8"] })
    expect(await rejection(egress.fetch(url))).toMatchObject({ code: allowed ? "fetch_failed" : "forbidden" })
    expect(opened.length > 0).toBe(allowed)
  })

  test.each([
    ["http://127.0.0.1:5678/", true],
    ["http://10.0.0.1/", false],
    ["http://10.2.0.1/", true],
    ["http://hooks.example/", false],
  ])("under --offline, 10.2.0.0/16 being listed, %s: %p", async (url, allowed) => {
    const policy = webhookPolicy(listed("10.2.0.0/16"), true)
    const { egress, asked, opened } = egressOf(policy, { "hooks.example": ["10.2.0.1"] })
    expect(await rejection(egress.fetch(url))).toMatchObject({ code: allowed ? "fetch_failed" : "forbidden" })
    expect(opened.length > 0).toBe(allowed)
    expect(asked).toEqual([])
  })
})
