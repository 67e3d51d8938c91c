/** Requests per key and minute, in memory and on PostgreSQL. */
import { describe, expect, test } from "bun:test"
import { sql } from "kysely"
import { SharedTraffic } from "../../../src/http/shared-traffic.ts"
import { LocalTraffic, type Traffic } from "../../../src/http/traffic.ts"
import { setLogLevel } from "../../../src/log.ts"
import { sharedDatabase } from "../../support/shared-database.ts"

setLogLevel("error")
const database = await sharedDatabase()
const MINUTE = 60_000

interface Side {
  /** Two nodes. */
  nodes: Traffic[]
  /** Lets time pass. */
  pass(minutes: number): Promise<void>
}

function inMemory(): Side {
  let now = 29_000_000 * MINUTE
  const traffic = new LocalTraffic(() => now)
  return {
    nodes: [traffic, traffic],
    async pass(minutes) {
      now += minutes * MINUTE
    },
  }
}

function onPostgres(): Side {
  const nodes = [1, 2].map(() => new SharedTraffic(database!))
  return {
    nodes,
    async pass(minutes) {
      for (const node of nodes) await node.lastHour([])
      await sql`update traffic set minute = minute - ${minutes}::bigint`.execute(database!)
    },
  }
}

const SIDES: [string, (() => Side) | undefined][] = [
  ["in memory", inMemory],
  ["on PostgreSQL", database && onPostgres],
]
const sum = (counts: number[]): number => counts.reduce((total, count) => total + count, 0)

for (const [name, open] of SIDES)
  describe.skipIf(!open)(`requests per key and minute, ${name},`, () => {
    const hourOf = async (traffic: Traffic, key: string) => (await traffic.lastHour([key])).get(key)

    test("are counted in their minute over all nodes, oldest first, and forgotten after an hour", async () => {
      const { nodes, pass } = open!()
      const [one, other] = nodes as [Traffic, Traffic]
      const key = crypto.randomUUID()
      one.count(key)
      other.count(key)
      await pass(2)
      other.count(key)
      await other.lastHour([])
      const minutes = (await hourOf(one, key))!
      expect(minutes).toHaveLength(60)
      // The clock may have gone on by a minute meanwhile.
      expect([minutes.slice(-3), minutes.slice(-4, -1)]).toContainEqual([2, 0, 1])
      await pass(58)
      expect(sum((await hourOf(one, key))!)).toBe(1)
      await pass(300)
      expect(await hourOf(one, key)).toBeUndefined()
    })

    test("are each key's own", async () => {
      const { nodes } = open!()
      const [one, other, none] = [1, 2, 3].map(() => crypto.randomUUID())
      nodes[0]!.count(one!)
      nodes[0]!.count(other!)
      nodes[0]!.count(other!)
      const hours = await nodes[0]!.lastHour([one!, other!, none!])
      expect([...hours].map(([key, minutes]) => [key, sum(minutes)]).sort()).toEqual(
        [
          [one!, 1],
          [other!, 2],
        ].sort(),
      )
    })
  })

test("in memory a clock that jumps back loses nothing", () => {
  let now = 29_000_005 * MINUTE
  const traffic = new LocalTraffic(() => now)
  traffic.count("key_a")
  now -= 5 * MINUTE
  traffic.count("key_a")
  expect(traffic.lastHour(["key_a"]).get("key_a")!.at(-1)).toBe(2)
})

test.skipIf(!database)("what the database does not take is kept for the next time", async () => {
  const traffic = new SharedTraffic(database!)
  const key = crypto.randomUUID()
  traffic.count(key)
  await database!.schema.alterTable("traffic").renameTo("elsewhere").execute()
  await traffic[Symbol.asyncDispose]()
  await database!.schema.alterTable("elsewhere").renameTo("traffic").execute()
  traffic.count(key)
  expect(sum((await traffic.lastHour([key])).get(key)!)).toBe(2)
})
