import { afterAll, describe, expect, test } from "bun:test"
import { Client } from "pg"
import { setLogLevel } from "../../src/log.ts"
import { ClusterWakes } from "../../src/nodes/cluster-wakes.ts"
import { LocalWakes, type Wakes } from "../../src/nodes/wakes.ts"
import { postgres } from "../support/engines.ts"
import { until } from "../support/until.ts"

setLogLevel("error")
const url = await postgres()
const open: ClusterWakes[] = []
afterAll(() => Promise.all(open.map(wakes => wakes[Symbol.asyncDispose]())))

/** Counts what is heard. */
function hearing(wakes: Wakes, key: string) {
  const heard = { count: 0, end: () => {} }
  heard.end = wakes.listen("file", key, () => heard.count++)
  return heard
}

describe("wakes within a process", () => {
  test("call back who listens to that key of that channel, until he no longer does", () => {
    const wakes = new LocalWakes()
    const [first, second, other] = [hearing(wakes, "a"), hearing(wakes, "a"), hearing(wakes, "b")]
    wakes.publish("file", "a")
    first.end()
    wakes.publish("file", "a")
    wakes.publish("jobs", "a")
    expect([first.count, second.count, other.count]).toEqual([1, 2, 0])
  })

  test("may end and begin listening while they are called", () => {
    const wakes = new LocalWakes()
    let calls = 0
    const again = () => {
      calls++
      end()
      end = wakes.listen("file", "a", again)
    }
    let end = wakes.listen("file", "a", again)
    wakes.publish("file", "a")
    wakes.publish("file", "a")
    expect(calls).toBe(2)
  })
})

describe.skipIf(!url)("wakes between nodes", () => {
  /** Never polls, so that what is heard was said. */
  const joined = (pollMs = 3_600_000, at = url!): ClusterWakes => {
    const wakes = new ClusterWakes({ client: () => new Client({ connectionString: at }), pollMs })
    open.push(wakes)
    return wakes
  }
  const onServer = async <Row>(text: string): Promise<Row[]> => {
    const client = new Client({ connectionString: url! })
    await client.connect()
    const { rows } = await client.query(text).finally(() => client.end())
    return rows as Row[]
  }
  const OTHERS = "from pg_stat_activity where pid != pg_backend_pid() and datname = current_database()"
  /** Waits until all of them hear. */
  const listening = async (wakes: ClusterWakes[]): Promise<void> => {
    const heard = wakes.map(each => hearing(each, "are you there"))
    await until(() => heard.every(({ count }) => count > 0)) // once, when it begins to hear
    for (const { end } of heard) end()
  }

  test("reach those who listen to the key on other nodes, and nobody else", async () => {
    const [here, there] = [joined(), joined()]
    await listening([here, there])
    const heard = hearing(there, "k1")
    const other = hearing(there, "k2")
    here.publish("file", "k1")
    here.publish("file", "k1")
    await until(() => heard.count > 0)
    expect([heard.count, other.count]).toEqual([1, 0])
  })

  test("of a burst arrive all, in payloads that PostgreSQL takes", async () => {
    const [here, there] = [joined(), joined()]
    await listening([here, there])
    const key = (i: number) => `${"x".repeat(40)}${i}`
    const all = Array.from({ length: 1_500 }, (_, i) => hearing(there, key(i)))
    for (const i of all.keys()) here.publish("file", key(i))
    await until(() => all.every(({ count }) => count > 0))
    for (let i = 0; i < 3_000; i++) here.publish("file", `other ${i}`)
    await until(() => all.every(({ count }) => count > 1)) // too many to be named
  })

  test("are heard again after the connection was lost, and whoever waits looks what was missed", async () => {
    const [here, there] = [joined(), joined()]
    await listening([here, there])
    const heard = hearing(there, "k3")
    await onServer(`select pg_terminate_backend(pid) ${OTHERS}`)
    await until(() => heard.count > 0)
    const before = heard.count
    await until(() => {
      here.publish("file", "k3") // not before it has a connection again
      return heard.count > before
    })
  })

  test("are replaced by a look from time to time where nothing can be heard", async () => {
    const wakes = joined(50, "postgres://nobody@127.0.0.1:1/nothing")
    const heard = hearing(wakes, "k4")
    await until(() => heard.count > 1)
  })
})
