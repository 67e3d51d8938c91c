/** The brake on guessing passwords, with failures in memory and on PostgreSQL: tries on several nodes see one another. */
import { describe, expect, test } from "bun:test"
import { sql } from "kysely"
import { SharedSignInFailures } from "../../../src/access/shared-sign-in-failures.ts"
import { LocalSignInFailures, SignInBrake, type SignInFailures } from "../../../src/access/sign-in-brake.ts"
import { rejection } from "../../support/rejection.ts"
import { sharedDatabase } from "../../support/shared-database.ts"

const database = await sharedDatabase()

interface Side {
  /** What each of two nodes notes failures in. */
  nodes: SignInFailures[]
  /** Lets time pass for all who failed. */
  pass(ms: number): Promise<void>
}

function inMemory(): Side {
  let now = 1_000_000_000
  const failures = new LocalSignInFailures(() => now)
  return {
    nodes: [failures, failures],
    async pass(ms) {
      now += ms
    },
  }
}

const onPostgres = (): Side => ({
  nodes: [1, 2].map(() => new SharedSignInFailures(database!)),
  pass: async ms =>
    void (await sql`update sign_in_failures set last_at = last_at - ${ms}::bigint,
      waiting_until = greatest(0, waiting_until - ${ms}::bigint)`.execute(database!)),
})

const SIDES: [string, (() => Side) | undefined][] = [
  ["in memory", inMemory],
  ["on PostgreSQL", database && onPostgres],
]
const MINUTE = 60_000
const wrong = async () => null
const right = async () => "user"
/** Someone nobody has seen. */
const stranger = () => ({ account: `${crypto.randomUUID()}@example.org`, address: crypto.randomUUID() })

for (const [name, open] of SIDES)
  describe.skipIf(!open)(`the brake on guessing, ${name}`, () => {
    /** Two nodes whose waiting takes no time and is noted. */
    function setUp() {
      const side = open!()
      const slept: number[] = []
      const brakes = side.nodes.map(failures => new SignInBrake(failures, async ms => void slept.push(ms)))
      return { ...side, slept, brakes, one: brakes[0]!, other: brakes[1]! }
    }

    test("delays more with each failure after the fifth, wherever they were, and begins afresh after a success", async () => {
      const { one, other, slept } = setUp()
      const { account, address } = stranger()
      for (let i = 0; i < 10; i++) await (i % 2 ? one : other).run(account, address, wrong)
      expect(slept).toEqual([1_000, 2_000, 4_000, 8_000, 8_000])
      expect(await one.run(account, address, right)).toBe("user")
      slept.length = 0
      await other.run(account, address, wrong)
      expect(slept).toEqual([])
    })

    test("counts by account from other addresses, and by address for other accounts", async () => {
      const { one, other, slept } = setUp()
      const { account, address } = stranger()
      for (let i = 0; i < 5; i++) await one.run(account, address, wrong)
      await other.run(account, stranger().address, wrong)
      await other.run(stranger().account, address, wrong)
      expect(slept).toEqual([1_000, 1_000])
      await other.run(stranger().account, stranger().address, wrong)
      expect(slept).toHaveLength(2)
    })

    test("lets five of many tries at once through without delay, whichever nodes they reach", async () => {
      const { brakes, slept } = setUp()
      const { account, address } = stranger()
      let tried = 0
      const tries = Array.from({ length: 20 }, (_, i) =>
        brakes[i % 2]!.run(account, address, async () => {
          tried++
          return null
        }).catch(error => error.code),
      )
      const refused = (await Promise.all(tries)).filter(result => result === "rate_limited").length
      expect(tried - slept.length).toBe(5)
      expect(tried + refused).toBe(20)
    })

    test("refuses a second try of an address while one waits, on the other node as well", async () => {
      const { nodes, one } = setUp()
      const { account, address } = stranger()
      for (let i = 0; i < 5; i++) await one.run(account, address, wrong)
      const woken = Promise.withResolvers<void>()
      const slow = nodes.map(failures => new SignInBrake(failures, () => woken.promise))
      const waiting = slow[0]!.run(account, address, wrong)
      await Bun.sleep(50)
      for (const brake of slow)
        expect(await rejection(brake.run(stranger().account, address, wrong))).toMatchObject({
          code: "rate_limited",
          message: "too many wrong passwords",
          retryAfter: 1,
        })
      woken.resolve()
      expect(await waiting).toBeNull()
      expect(await slow[1]!.run(account, address, right)).toBe("user")
    })

    test("forgets after a quarter of an hour, and a place to wait whose node died", async () => {
      const { nodes, one, other, slept, pass } = setUp()
      const { account, address } = stranger()
      for (let i = 0; i < 6; i++) await one.run(account, address, wrong)
      slept.length = 0
      await pass(16 * MINUTE)
      await other.run(account, address, wrong)
      expect(slept).toEqual([])
      if (name === "in memory") return // its places end with the process
      for (let i = 0; i < 5; i++) await one.run(account, address, wrong)
      expect(await nodes[0]!.begin(account, address)).toHaveProperty("waits")
      expect(await nodes[1]!.begin(account, address)).toHaveProperty("refused")
      await pass(11_000)
      expect(await nodes[1]!.begin(account, address)).toHaveProperty("waits")
    })
  })
