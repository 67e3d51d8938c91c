/** Replies that are followed and stopped on another node than the one that writes them. */
import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test"
import { ensureWorkspace } from "../../src/access/keys.ts"
import { wholeOf } from "../../src/access/view.ts"
import type { NumberedEvent } from "../../src/chat/events.ts"
import { databases } from "../support/databases.ts"
import { rejection } from "../support/rejection.ts"
import { follow, namesOf, startTwoNodes, type TwoNodes, textIn } from "../support/two-nodes.ts"
import { until } from "../support/until.ts"

const WORDS = Array.from({ length: 12 }, (_, i) => `word${i} `)
const idsOf = (events: readonly NumberedEvent[]) => events.map(({ id }) => id)
const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1)
/** Until all that was said stands in the database. */
const saved = ({ live }: { live: { isUnsaved: boolean } }) => until(() => !live.isUnsaved)

for (const kind of await databases())
  describe(`on ${kind.name}:`, () => {
    let nodes: TwoNodes
    beforeEach(async () => {
      nodes = await startTwoNodes(kind)
    })
    afterEach(() => nodes.stop())

    describe("while the writer is reached", () => {
      test("a reply is followed on another node with the writer's events and numbers", async () => {
        const script = await nodes.begin(nodes.a)
        const [here, there] = [follow(nodes.a, script), follow(nodes.b, script)]
        for (const word of WORDS) {
          script.say(word)
          await Bun.sleep(1)
        }
        await script.end()
        expect(await there).toEqual(await here)
        expect(textIn(await there)).toBe(WORDS.join(""))
        expect(namesOf(await there).slice(-2)).toEqual(["message_completed", "done"])
      })

      test("a reader that comes back after any event gets those after it, during the reply and after", async () => {
        const script = await nodes.begin(nodes.a)
        script.say(...WORDS)
        const during = upTo(WORDS.length + 1).map(last => follow(nodes.b, script, last))
        await Bun.sleep(20)
        await script.end()
        const all = await follow(nodes.a, script)
        for (const [at, events] of (await Promise.all(during)).entries()) expect(events).toEqual(all.slice(at + 1))
        await saved(script)
        for (const last of [0, ...idsOf(all)]) expect(await follow(nodes.b, script, last)).toEqual(all.slice(last))
      })

      test("a delta reaches another node before it is stored", async () => {
        const script = await nodes.begin(nodes.a)
        await follow(nodes.b, script, 0, ({ id }) => id === 1)
        await saved(script)
        const store = spyOn(nodes.a.replyStore, "saveParts").mockRejectedValue(new Error("the disk takes nothing"))
        const seen = follow(nodes.b, script, 1, ({ event }) => event === "message_delta")
        await Bun.sleep(50)
        script.say("now ")
        expect(textIn(await seen)).toBe("now ")
        expect((await nodes.a.replyStore.writingOf(script.messageId)).row?.content).toBe("")
        store.mockRestore()
        await saved(script)
        expect((await nodes.a.replyStore.writingOf(script.messageId)).row?.content).toBe("now ")
      })

      test("two hundred follow at once", async () => {
        const script = await nodes.begin(nodes.a)
        const following = Array.from({ length: 200 }, () => follow(nodes.b, script))
        for (const word of WORDS) {
          script.say(word)
          await Bun.sleep(5)
        }
        await script.end()
        for (const events of await Promise.all(following)) expect(textIn(events)).toBe(WORDS.join(""))
      }, 20_000)

      test("it is stopped on another node, and what is written of it stays", async () => {
        const script = await nodes.begin(nodes.a)
        script.say(...WORDS)
        const following = follow(nodes.b, script)
        await nodes.b.live.cancel(script.conversationId)
        expect(script.live.abort.signal.reason).toBe("cancelled")
        expect((await following).at(-2)).toMatchObject({
          event: "message_completed",
          data: { finish_reason: "cancelled", content: WORDS.join("") },
        })
      })

      test("whoever waits for the whole of it learns when it has ended", async () => {
        const script = await nodes.begin(nodes.a)
        const outcome = (await nodes.b.live.find(script.conversationId))!.outcome()
        script.say("done ")
        expect(await Promise.race([outcome, Bun.sleep(100).then(() => "still waiting")])).toBe("still waiting")
        await script.end()
        expect(await outcome).toBeUndefined()
      })

      test("a reader that leaves ends what its node asked of the writer", async () => {
        const script = await nodes.begin(nodes.a)
        await follow(nodes.b, script, 0, ({ id }) => id === 1)
        await until(() => nodes.a.asked() === 0)
      })
    })

    describe("while the writer is alive and not reached", () => {
      test("its reply goes on from what it stores, each event once, and from itself once it is reached again", async () => {
        const script = await nodes.begin(nodes.a)
        const following = follow(nodes.b, script)
        script.say("before ")
        await Bun.sleep(50)
        nodes.a.cut()
        for (const word of WORDS) {
          script.say(word)
          await Bun.sleep(50)
        }
        await saved(script)
        nodes.a.mend()
        await until(() => nodes.a.asked() === 1 && !nodes.b.misses(nodes.a))
        script.say("after ")
        await script.end()
        const all = await follow(nodes.a, script)
        expect(await following).toEqual(all)
        expect(textIn(all)).toBe(`before ${WORDS.join("")}after `)
      })

      test("a reader that comes back after any event gets those after it", async () => {
        const script = await nodes.begin(nodes.a)
        script.say(...WORDS)
        await saved(script)
        nodes.a.cut()
        const following = upTo(WORDS.length + 1).map(last => follow(nodes.b, script, last))
        await Bun.sleep(500)
        script.say("more ")
        await Bun.sleep(500)
        await script.end()
        const all = await follow(nodes.a, script)
        for (const [at, events] of (await Promise.all(following)).entries()) expect(events).toEqual(all.slice(at + 1))
      })

      test("whoever comes after one who found that it does not answer is told at once what it stores", async () => {
        const script = await nodes.begin(nodes.a)
        script.say("one ")
        await saved(script)
        const asked = nodes.a.swallow()
        const events = () => asked().split("/events?").length - 1
        const following = [follow(nodes.b, script)]
        await until(() => events() === 1 && nodes.b.misses(nodes.a))
        following.push(...Array.from({ length: 20 }, () => follow(nodes.b, script)))
        script.say("two ")
        await saved(script)
        await script.end()
        for (const each of await Promise.all(following)) expect(textIn(each)).toBe("one two ")
        expect(events()).toBe(1)
      }, 20_000)

      test("its reply is stopped by its row, which it finds", async () => {
        const script = await nodes.begin(nodes.a)
        script.say("part ")
        await saved(script)
        nodes.a.cut()
        const following = follow(nodes.b, script)
        await nodes.b.live.cancel(script.conversationId)
        const { row } = await nodes.b.replyStore.writingOf(script.messageId)
        expect([row?.finish_reason, row?.content]).toEqual(["cancelled", "part "])
        expect((await following).at(-2)).toMatchObject({
          event: "message_completed",
          data: { finish_reason: "cancelled" },
        })
        script.say("late ")
        await script.live.finished
        expect(script.live.abort.signal.reason).toBe("cancelled")
        expect((await nodes.b.replyStore.writingOf(script.messageId)).row?.content).toBe("part ")
      })
    })

    describe("when the writer dies", () => {
      test("who follows elsewhere gets what was stored, error, and done", async () => {
        const script = await nodes.begin(nodes.a)
        script.say(...WORDS)
        await saved(script)
        const following = follow(nodes.b, script)
        await Bun.sleep(50)
        await nodes.a.die()
        const events = await following
        expect(idsOf(events)).toEqual(upTo(WORDS.length + 3))
        expect(textIn(events)).toBe(WORDS.join(""))
        expect(events.slice(-2)).toMatchObject([
          { event: "error", data: { error: { code: "interrupted" }, message_id: script.messageId } },
          { event: "done" },
        ])
        const { row } = await nodes.b.replyStore.writingOf(script.messageId)
        expect([row?.finish_reason, row?.content]).toEqual(["error", WORDS.join("")])
      })

      test("events that it sent and did not store are not sent again, and the end is numbered on from them", async () => {
        const script = await nodes.begin(nodes.a)
        await saved(script)
        const got: NumberedEvent[] = []
        const following = follow(nodes.b, script, 0, event => got.push(event) < 0)
        await until(() => got.length === 1)
        script.say(...WORDS)
        await until(() => got.length === WORDS.length + 1)
        await nodes.a.die()
        expect(idsOf(await following)).toEqual(upTo(WORDS.length + 3))
        expect(namesOf(await following).slice(-2)).toEqual(["error", "done"])
      })

      test("who comes later gets what stands of it, as after the end of a process", async () => {
        const script = await nodes.begin(nodes.a)
        script.say(...WORDS)
        await saved(script)
        await nodes.a.die()
        await nodes.b.replyStore.closeInterrupted()
        const events = await follow(nodes.b, script)
        expect(textIn(events)).toBe(WORDS.join(""))
        expect(events.at(-2)).toMatchObject({ event: "message_completed", data: { finish_reason: "error" } })
      })

      test("what it writes later counts for nothing, and it stops", async () => {
        const script = await nodes.begin(nodes.a)
        script.say("part ")
        await saved(script)
        await nodes.a.die()
        await nodes.b.replyStore.closeInterrupted()
        script.say("late ")
        await script.live.finished
        expect(script.live.abort.signal.reason).toBe("shutdown")
        const { row } = await nodes.b.replyStore.writingOf(script.messageId)
        expect([row?.finish_reason, row?.content]).toEqual(["error", "part "])
      })
    })

    test("a conversation that is removed on another node ends its reply for all who follow it", async () => {
      const script = await nodes.begin(nodes.a)
      script.say("part ")
      await saved(script)
      nodes.a.cut()
      const found = Promise.withResolvers<void>()
      const following = follow(nodes.b, script, 0, () => {
        found.resolve()
        return false
      })
      await found.promise
      const view = wholeOf(await ensureWorkspace(nodes.database))
      await nodes.b.store.transaction(trx => nodes.b.store.delete(view, script.conversationId, trx))
      expect((await following).slice(-2)).toMatchObject([
        { event: "error", data: { error: { code: "not_found" } } },
        { event: "done" },
      ])
      await script.live.finished
      expect(script.live.abort.signal.reason).toBe("cancelled")
    })

    test("a conversation has one unfinished reply, whichever node begins another", async () => {
      const { conversationId } = await nodes.begin(nodes.a)
      const second = { model: "m", redaction: null, owner: nodes.b.id }
      expect((await rejection(nodes.b.store.addReply(conversationId, second, nodes.database))).message).toMatch(
        /unique/i,
      )
    })
  })
