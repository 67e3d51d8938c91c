/** What deletions ask of holds, on both databases. */

import { describe, expect, test } from "bun:test"
import { ensureWorkspace } from "../../src/access/keys.ts"
import { ownerColumns } from "../../src/access/owner.ts"
import { wholeOf } from "../../src/access/view.ts"
import { ConversationStore } from "../../src/chat/conversation-store.ts"
import { DEFAULT_SETTINGS } from "../../src/chat/settings.ts"
import { Holds } from "../../src/governance/holds/holds.ts"
import { heldAmong, refuseHeld, refuseHeldEndUser } from "../../src/governance/holds/refuse.ts"
import { Idempotency } from "../../src/storage/idempotency.ts"
import { inOrder } from "../../src/storage/shared.ts"
import { databases } from "../support/databases.ts"
import { rejection } from "../support/rejection.ts"

const KINDS = await databases()

describe.each(KINDS)("holds on $name", ({ open }) => {
  async function made(stack: AsyncDisposableStack) {
    const database = await open(stack)
    const workspaceId = await ensureWorkspace(database)
    const view = wholeOf(workspaceId)
    const store = new ConversationStore(database)
    const talk = (id: string, endUser: string | null, contextId: string | null = null) =>
      store.transaction(trx =>
        store.create(
          {
            ...{ id, workspaceId, title: id, model: "m", additionalMetadata: {} },
            ...{ owner: ownerColumns(view, endUser), settings: { ...DEFAULT_SETTINGS, context_id: contextId } },
          } as never,
          trx,
        ),
      )
    return { database, workspaceId, view, talk, holds: new Holds(database, new Idempotency(database)) }
  }

  test("each way of narrowing is asked of conversations, joined by and", async () => {
    await using stack = new AsyncDisposableStack()
    const { database, workspaceId, view, talk, holds } = await made(stack)
    await talk("conv_ana", "ana", "case")
    await talk("conv_ana_else", "ana", "rest")
    await talk("conv_bo", "bo", "case")
    const all = ["conv_ana", "conv_ana_else", "conv_bo"]
    const keeps = async (given: Record<string, unknown>) => {
      const { id, covered } = await holds.create(view, { name: "x", ...given })
      const held = await heldAmong(database, workspaceId, "conversations", all)
      expect(covered.conversations).toBe(held.size)
      expect(new Set(held.values())).toEqual(new Set(held.size > 0 ? [id] : []))
      await holds.lift(view, id)
      return [...held.keys()].sort()
    }
    expect(await keeps({})).toEqual(all)
    expect(await keeps({ end_user: "ana" })).toEqual(["conv_ana", "conv_ana_else"])
    expect(await keeps({ context_id: "case" })).toEqual(["conv_ana", "conv_bo"])
    expect(await keeps({ end_user: "ana", context_id: "case" })).toEqual(["conv_ana"])
    expect(await keeps({ filter: { type: "exists", key: "file.id", value: true } })).toEqual([])
    expect(await heldAmong(database, workspaceId, "conversations", all)).toEqual(new Map())
  })

  test("an end user is not erased while a hold covers one conversation, whatever the hold goes by", async () => {
    await using stack = new AsyncDisposableStack()
    const { database, workspaceId, view, talk, holds } = await made(stack)
    await talk("conv_ana", "ana", "case")
    await talk("conv_bo", "bo")
    const { id } = await holds.create(view, { name: "x", context_id: "case" })
    expect(await rejection(refuseHeldEndUser(database, workspaceId, "ana"))).toMatchObject({
      code: "on_hold",
      details: [{ id: "ana", hold_id: id }],
    })
    await refuseHeldEndUser(database, workspaceId, "bo")
    await holds.lift(view, id)
    await refuseHeldEndUser(database, workspaceId, "ana")
  })

  test("a hold that is made while a deletion is under way waits for it, and one that came first is seen", async () => {
    await using stack = new AsyncDisposableStack()
    const { database, workspaceId, view, talk, holds } = await made(stack)
    for (let round = 0; round < 20; round++) {
      const id = `conv_${round}`
      await talk(id, "ana")
      const deleting = database
        .transaction()
        .execute(async trx => {
          await inOrder(trx, workspaceId)
          await refuseHeld(trx, workspaceId, "conversations", [id])
          await trx.deleteFrom("conversations").where("id", "=", id).execute()
          return "deleted"
        })
        .catch(error => error.code)
      const [outcome, hold] = await Promise.all([deleting, holds.create(view, { name: "x", end_user: "ana" })])
      const left = await database.selectFrom("conversations").select("id").where("id", "=", id).execute()
      expect([outcome, left.length]).toEqual(left.length === 0 ? ["deleted", 0] : ["on_hold", 1])
      expect(hold.covered.conversations).toBe(left.length)
      await holds.lift(view, hold.id)
      await database.deleteFrom("conversations").execute()
    }
  })
})
