/** The one process of an installation on one machine. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { AloneLeader } from "../../src/nodes/leader.ts"
import { joinAlone } from "../../src/nodes/nodes.ts"
import type { Database } from "../../src/storage/database.ts"
import { databases } from "../support/databases.ts"
import { rejection } from "../support/rejection.ts"

const [{ open }] = (await databases()) as [Awaited<ReturnType<typeof databases>>[number]]
const NODE = { name: "n", url: null, role: "all", version: "1" } as const
let stack: AsyncDisposableStack
let database: Database
beforeEach(async () => {
  stack = new AsyncDisposableStack()
  database = await open(stack)
})
afterEach(() => stack.disposeAsync())

describe("a process on its own", () => {
  test("ends all that were there before", async () => {
    const former = await joinAlone(database, NODE)
    const present = await joinAlone(database, NODE)
    expect((await present.alive()).map(({ id }) => id)).toEqual([present.id])
    expect((await present.find(former.id))?.ended_at).toBeString()
    expect([present.isMember, present.signal.aborted]).toEqual([true, false])
  })

  test("begins on a disk that is full, and on no other that refuses", async () => {
    const refusing = (code: string) =>
      database.withPlugin({
        transformQuery: ({ node }) => {
          if (node.kind === "InsertQueryNode") throw Object.assign(new Error("no"), { code })
          return node
        },
        transformResult: async ({ result }) => result,
      })
    const node = await joinAlone(refusing("SQLITE_FULL"), NODE)
    expect([node.isMember, await node.alive()]).toEqual([true, []])
    expect((await rejection(joinAlone(refusing("SQLITE_READONLY"), NODE))).message).toBe("no")
  })

  test("leads from the start until it ends, and is waited for", async () => {
    const leader = new AloneLeader()
    const order: string[] = []
    leader.whileLeader(async signal => {
      order.push("begins")
      await new Promise<void>(resolve => signal.addEventListener("abort", () => resolve()))
      await Bun.sleep(10)
      order.push("ended")
    })
    order.push("begun")
    await leader[Symbol.asyncDispose]()
    expect(order).toEqual(["begins", "begun", "ended"])
  })
})
