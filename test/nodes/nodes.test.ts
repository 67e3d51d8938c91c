import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { sql } from "kysely"
import { setLogLevel } from "../../src/log.ts"
import { openCluster } from "../../src/nodes/cluster.ts"
import { Leader, type LeadersWork } from "../../src/nodes/leader.ts"
import { Nodes, type NodeTiming, refuseTakenUrl, refuseWrongClock } from "../../src/nodes/nodes.ts"
import type { Database } from "../../src/storage/database.ts"
import { openPostgres } from "../../src/storage/postgres/open.ts"
import { postgres } from "../support/engines.ts"
import { rejection } from "../support/rejection.ts"
import { until } from "../support/until.ts"

setLogLevel("error")
const url = await postgres()
const database = url ? await openPostgres(url) : (undefined as unknown as Database)
const open: AsyncDisposable[] = []
afterAll(() => database?.destroy())

const NODE = { name: "n", url: "http://127.0.0.1:1", role: "all", version: "1" } as const
/** A tenth of the real times. */
const TIMING: NodeTiming = { heartbeatMs: 300, deadAfterMs: 1_500, stopAfterMs: 1_000, lookAgainMs: 3_600_000 }
const SECRET = "0123456789abcdef0123456789abcdef"

interface Joined {
  node: Nodes
  /** Ids of nodes that had ended whenever this one was told to give up what they had under way. */
  deaths: string[]
  /** Of the database as this node reaches it. */
  cut: Cut
}

async function joined(timing = TIMING): Promise<Joined> {
  const deaths: string[] = []
  const cut: Cut = { is: false, clockMs: 0 }
  const node = await Nodes.join({
    database: cuttable(database, cut),
    description: NODE,
    deaths: async () => {
      const ended = await database.selectFrom("nodes").select("id").where("ended_at", "is not", null).execute()
      deaths.push(...ended.map(({ id }) => id))
    },
    timing,
  })
  open.push(node)
  return { node, deaths, cut }
}

interface Cut {
  is: boolean
  /** The database's clock is set by so much, as far as the node sees it. */
  clockMs: number
}

/** The same database, of which nothing comes back while it is cut. */
const cuttable = (of: Database, cut: Cut): Database =>
  of.withPlugin({
    transformQuery: ({ node }) => {
      if (cut.is) throw new Error("the database cannot be reached")
      return node
    },
    transformResult: async ({ result }) => ({
      ...result,
      rows: result.rows.map(row =>
        typeof row.seen_at === "string" && Object.keys(row).length === 1
          ? { seen_at: new Date(Date.parse(row.seen_at) + cut.clockMs).toISOString() }
          : row,
      ),
    }),
  })

beforeEach(async () => {
  for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]()
  if (!url) return
  for (const table of ["nodes", "leases", "cluster"] as const) await database.deleteFrom(table).execute()
})

describe.skipIf(!url)("a node", () => {
  test("does not start under the URL of one that lives, and does under that of one that was killed", async () => {
    const there = await joined()
    expect(await rejection(refuseTakenUrl(database, NODE.url, 3_000))).toMatchObject({
      message: expect.stringContaining("the node n is at work under the URL http://127.0.0.1:1"),
    })
    await refuseTakenUrl(database, "http://127.0.0.1:2", 3_000)
    there.cut.is = true
    await refuseTakenUrl(database, NODE.url, 3 * TIMING.heartbeatMs)
  })

  test("is alive while it renews itself, and has ended once it left", async () => {
    const [first, second] = [await joined(), await joined()]
    await Bun.sleep(2 * TIMING.deadAfterMs)
    expect((await first.node.alive()).map(({ id }) => id).sort()).toEqual([first.node.id, second.node.id].sort())
    expect([first.node.isMember, second.node.isMember]).toEqual([true, true])
    await second.node[Symbol.asyncDispose]()
    expect((await first.node.alive()).map(({ id }) => id)).toEqual([first.node.id])
    expect(second.node.isMember).toBe(false)
    expect(first.deaths).toEqual([])
  })

  test("that is silent is declared dead by one of the others alone, which is told", async () => {
    const [silent, ...others] = [await joined(), await joined(), await joined()]
    const { id } = silent.node
    silent.cut.is = true
    await until(() => others.some(({ deaths }) => deaths.length > 0))
    await Bun.sleep(3 * TIMING.heartbeatMs)
    expect(others.flatMap(({ deaths }) => deaths)).toEqual([id])
    expect((await others[0]!.node.find(id))?.ended_at).toBeString()
  })

  test("that cannot renew itself stops what it does before others declare it dead, and comes back under another id", async () => {
    const [cutOff, other] = [await joined(), await joined()]
    const { id, signal } = cutOff.node
    let toldTo = 0
    cutOff.node.onLost(() => toldTo++)
    cutOff.cut.is = true
    await until(() => signal.aborted)
    expect(other.deaths).toEqual([])
    expect([toldTo, cutOff.node.isMember]).toEqual([1, false])
    await until(() => other.deaths.includes(id))
    cutOff.cut.is = false
    await until(() => cutOff.node.isMember)
    expect(cutOff.node.id).not.toBe(id)
    expect(cutOff.node.signal.aborted).toBe(false)
    // It looks itself what it left behind: the others may have been cut off as well.
    await until(() => cutOff.deaths.includes(id))
  })

  test("that was declared dead while it slept notices with its next heartbeat", async () => {
    const { node } = await joined()
    const { id, signal } = node
    await database.updateTable("nodes").set({ ended_at: "2000-01-01T00:00:00.000Z" }).where("id", "=", id).execute()
    await until(() => signal.aborted)
    await until(() => node.isMember && node.id !== id)
  })

  test("looks for what the dead had under way when it joins, and soon again when that failed", async () => {
    let attempts = 0
    const node = await Nodes.join({
      database,
      description: NODE,
      deaths: async () => {
        if (++attempts === 1) throw new Error("no room")
      },
      timing: TIMING,
    })
    open.push(node)
    await until(() => attempts === 2)
    await Bun.sleep(3 * TIMING.heartbeatMs)
    expect(attempts).toBe(2)
  })

  test("looks for it now and then as well: who noticed a death may have died of it", async () => {
    let looks = 0
    const deaths = async () => void looks++
    open.push(await Nodes.join({ database, description: NODE, deaths, timing: { ...TIMING, lookAgainMs: 500 } }))
    await until(() => looks > 2)
  })

  test("declares nobody dead because the clock of the database was set", async () => {
    const patient = { ...TIMING, deadAfterMs: 6_000 }
    const [first, quiet] = [
      await joined(patient),
      await joined({ ...patient, heartbeatMs: 5_000, stopAfterMs: 60_000 }),
    ]
    await Bun.sleep(2 * TIMING.heartbeatMs)
    first.cut.clockMs = 10_000 // by which all that was noted before looks older
    const seen_at = sql<string>`to_char(seen_at::timestamptz at time zone 'utc' - interval '10 seconds', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    await database.updateTable("nodes").set({ seen_at }).where("id", "=", quiet.node.id).execute()
    await Bun.sleep(3 * TIMING.heartbeatMs)
    expect((await quiet.node.find(quiet.node.id))?.ended_at).toBeNull()
    expect(first.deaths).toEqual([])
  })

  test("whose clock is off by more than a minute is refused, and nothing is written", async () => {
    const ahead = { now: Date.now }
    Date.now = () => ahead.now() + 61_000
    try {
      const refusal = await rejection(Nodes.join({ database, description: NODE, deaths: async () => {} }))
      expect(refusal.message).toContain("61 s ahead of that of the database")
    } finally {
      Date.now = ahead.now
    }
    expect(await database.selectFrom("nodes").selectAll().execute()).toEqual([])
    await refuseWrongClock(database)
  })
})

describe.skipIf(!url)("a cluster", () => {
  test("is made by the first node and joined by all that know its secret", async () => {
    const made = await Promise.all([1, 2, 3].map(() => openCluster(database, SECRET)))
    expect(new Set(made.map(({ clusterId }) => clusterId)).size).toBe(1)
    expect(made[0]!.clusterId).toStartWith("clus_")
    const { rows } = await sql<{ secret_digest: string }>`select * from cluster`.execute(database)
    expect(rows).toHaveLength(1)
    expect(rows[0]!.secret_digest).not.toContain(SECRET)
  })

  test("refuses a node with another secret, naming it", async () => {
    await openCluster(database, SECRET)
    const refusal = await rejection(openCluster(database, SECRET.toUpperCase()))
    expect(refusal.message).toBe("the cluster secret is not the one of the cluster that uses this database")
  })

  test("of a newer contract refuses an older node, which changes nothing", async () => {
    await openCluster(database, SECRET, 2)
    await openCluster(database, SECRET, 3)
    expect((await rejection(openCluster(database, SECRET, 2))).message).toContain("newer version of Carrel")
    const { contract } = await database.selectFrom("cluster").select("contract").executeTakeFirstOrThrow()
    expect(contract).toBe(3)
  })
})

describe.skipIf(!url)("the leader", () => {
  const LEADER = { leaseMs: 1_500, renewMs: 300 }
  const leaderOf = ({ node, cut }: Joined) => {
    const leader = new Leader({ database: cuttable(database, cut), node, timing: LEADER })
    open.push(leader)
    return leader
  }
  const forEver: LeadersWork = signal => new Promise(resolve => signal.addEventListener("abort", () => resolve()))

  test("is one of the nodes, and another once it left", async () => {
    const leaders = [leaderOf(await joined()), leaderOf(await joined()), leaderOf(await joined())]
    await until(() => leaders.some(({ isLeader }) => isLeader))
    const most: number[] = []
    for (let i = 0; i < 20; i++) {
      most.push(leaders.filter(({ isLeader }) => isLeader).length)
      await Bun.sleep(100)
    }
    expect(new Set(most)).toEqual(new Set([1]))
    const first = leaders.find(({ isLeader }) => isLeader)!
    await first[Symbol.asyncDispose]()
    await until(() => leaders.some(leader => leader !== first && leader.isLeader))
    expect(first.isLeader).toBe(false)
  })

  test("that is cut off stops its work before another begins", async () => {
    const [former, next] = [await joined(), await joined()]
    const order: string[] = []
    const working = (name: string) => async (signal: AbortSignal) => {
      order.push(`${name} begins`)
      await forEver(signal)
      order.push(`${name} ends`)
    }
    const first = leaderOf(former)
    first.whileLeader(working("first"))
    await until(() => first.isLeader)
    const second = leaderOf(next)
    second.whileLeader(working("second"))
    former.cut.is = true
    await until(() => second.isLeader)
    expect(order).toEqual(["first begins", "first ends", "second begins"])
  })

  test("loses the lead with its membership, and begins work that is added while it leads at once", async () => {
    const only = await joined()
    const leader = leaderOf(only)
    await until(() => leader.isLeader)
    let signal: AbortSignal | undefined
    leader.whileLeader(async given => {
      signal ??= given
      await forEver(given)
    })
    expect(signal?.aborted).toBe(false)
    await database.updateTable("nodes").set({ ended_at: "2000-01-01T00:00:00.000Z" }).execute()
    await until(() => signal!.aborted)
    await until(() => leader.isLeader) // under its new id
  })
})
