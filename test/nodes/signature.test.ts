/** Requests between nodes: who is let in. */
import { expect, test } from "bun:test"
import { type NodeRequest, SIGNATURE_HEADER, Signatures } from "../../src/nodes/signature.ts"

const SECRET = "a secret of the cluster, long enough"
const MINUTE = 60_000
const bytes = (text: string) => new TextEncoder().encode(text)
const request: NodeRequest = { method: "POST", target: "/_node/replies/msg_1/cancel?after=3", body: bytes("{}") }

/** Two nodes with clocks of their own. */
function pair({ secret = SECRET, to = "node_b", sentAt = 0, seenAt = 0 } = {}) {
  const times = { sentAt, seenAt }
  const sender = new Signatures(secret, { id: "node_a" }, () => 1e12 + times.sentAt)
  const receiver = new Signatures(SECRET, { id: "node_b" }, () => 1e12 + times.seenAt)
  const header = sender.sign(to, request)[SIGNATURE_HEADER]!
  const admits = (change: Partial<NodeRequest> = {}, given = header) => {
    const { method, target, body } = { ...request, ...change }
    return receiver.admits(given, { method, target, body: async () => body })
  }
  return { header, admits, times, receiver }
}

test("a request of a node is let in once", async () => {
  const { admits } = pair()
  expect([await admits(), await admits()]).toEqual([true, false])
})

test("a request is let in with none of its parts changed", async () => {
  const changes: Partial<NodeRequest>[] = [
    { method: "GET" },
    { target: "/_node/replies/msg_2/cancel?after=3" },
    { target: "/_node/replies/msg_1/cancel?after=4" },
    { body: bytes("[]") },
  ]
  for (const change of changes) expect(await pair().admits(change)).toBe(false)
  const { header, admits } = pair()
  for (const [at, digit] of [...header].entries())
    expect(await admits({}, `${header.slice(0, at)}${digit === "1" ? "2" : "1"}${header.slice(at + 1)}`)).toBe(false)
  expect(await admits()).toBe(true)
})

test("another secret, and a request to another node, are not let in", async () => {
  expect(await pair({ secret: "another" }).admits()).toBe(false)
  expect(await pair({ to: "node_c" }).admits()).toBe(false)
})

test("a request holds while clocks may stand as far apart, and no longer", async () => {
  for (const off of [-2 * MINUTE, 2 * MINUTE]) {
    expect(await pair({ sentAt: off }).admits()).toBe(true)
    expect(await pair({ sentAt: off + Math.sign(off) }).admits()).toBe(false)
  }
})

test("a request counts once for as long as it holds, however many come between", async () => {
  const { admits, times, receiver } = pair({ sentAt: 2 * MINUTE })
  expect(await admits()).toBe(true)
  for (times.seenAt = 0; times.seenAt <= 4 * MINUTE; times.seenAt += MINUTE / 2) {
    const other = new Signatures(SECRET, { id: "node_a" }, () => 1e12 + times.seenAt).sign("node_b", request)[
      SIGNATURE_HEADER
    ]!
    expect(await receiver.admits(other, { ...request, body: async () => request.body })).toBe(true)
    expect(await admits()).toBe(false)
  }
})

test("the body of a stranger is not read", async () => {
  const { header, receiver } = pair({ secret: "another" })
  let reads = 0
  const body = async () => {
    reads++
    return request.body
  }
  expect(await receiver.admits(header, { ...request, body })).toBe(false)
  expect(reads).toBe(0)
})
