/** Conversations and runs do the same on both databases. */

import { expect, test } from "bun:test"
import { ensureWorkspace } from "../../../src/access/keys.ts"
import { ownerColumns } from "../../../src/access/owner.ts"
import { wholeOf } from "../../../src/access/view.ts"
import { RunStore } from "../../../src/agents/run-store.ts"
import { ConversationStore } from "../../../src/chat/conversation-store.ts"
import { LiveReply } from "../../../src/chat/live-reply.ts"
import { RecordStore } from "../../../src/chat/record/record-store.ts"
import { ReplyLog } from "../../../src/chat/reply-log.ts"
import { ReplyStore } from "../../../src/chat/reply-store.ts"
import { DEFAULT_SETTINGS } from "../../../src/chat/settings.ts"
import type { Database } from "../../../src/storage/database.ts"
import { forgetTextsOf, GONE } from "../../../src/storage/file-texts.ts"
import { records as migration } from "../../../src/storage/migrations/0035-records.ts"
import { stepFiles } from "../../../src/storage/migrations/0046-step-files.ts"
import { isPostgres } from "../../../src/storage/words.ts"
import { anAccount } from "../../support/accounts.ts"
import { rejection } from "../../support/rejection.ts"
import { addFile } from "./file-rows.ts"
import { onBoth } from "./sides.ts"

/** What the stores take has passed the guard; here it need not. */
// biome-ignore lint/suspicious/noExplicitAny: as if it had
const passed = (value: unknown): any => value

async function conversation(database: Database, workspaceId: string, id: string, title: string, message: string) {
  const store = new ConversationStore(database)
  return store.transaction(async trx => {
    const settings = { ...DEFAULT_SETTINGS }
    await store.create(
      passed({
        id,
        workspaceId,
        owner: ownerColumns(wholeOf(workspaceId), null),
        title,
        model: "m",
        settings,
        additionalMetadata: { id },
      }),
      trx,
    )
    const asked = await store.addUserMessage(id, passed({ content: message, nerCount: 2, redaction: null }), trx)
    return { asked, reply: await store.addReply(id, { model: "m", redaction: null, owner: OWNER.id }, trx) }
  })
}

const OWNER = { id: "node_1" }

const ENDED = {
  ...{ citations: [], sources: [], finishReason: "stop", error: null, warnings: [], nerCount: 3 },
  ...{ toolCalls: 0, promptTokens: 10, completionTokens: 5, contextTokens: 4096 },
}

onBoth(open => {
  test("a conversation holds its messages in order, as they were written", async () => {
    const database = await open()
    const workspaceId = await ensureWorkspace(database)
    const store = new ConversationStore(database)
    const { asked, reply } = await conversation(database, workspaceId, "conv_1", "Größe", "Wie groß? 日本 🙂")
    expect([asked.position, reply.position, reply.finish_reason]).toEqual([1, 2, null])
    const replies = new ReplyStore(database, OWNER, undefined)
    const live = new LiveReply("conv_1", reply.id, reply.owner)
    await replies.saveParts([{ live: new LiveReply("conv_1", reply.id, "node_2"), content: passed("another's ") }])
    expect((await store.messages("conv_1"))[1]?.content).toBe("")
    await replies.saveParts([{ live, content: passed("so ") }])
    expect((await store.messages("conv_1"))[1]?.content).toBe("so ")
    await replies.finish(live, passed({ ...ENDED, content: "so groß" }), anAccount())
    await replies.saveParts([{ live, content: passed("late") }])
    await replies.finish(live, passed({ ...ENDED, content: "later", finishReason: "error" }), anAccount())
    expect(await store.messages("conv_1")).toMatchObject([
      { id: asked.id, content: "Wie groß? 日本 🙂", ner_count: 2 },
      { id: reply.id, content: "so groß", finish_reason: "stop", prompt_tokens: 10, completion_tokens: 5 },
    ])
    expect(await store.get(wholeOf(workspaceId), "conv_1")).toMatchObject({
      ner_count: 5,
      context_tokens: 4096,
      title: "Größe",
    })
    expect((await rejection(store.get(wholeOf("ws_other"), "conv_1"))).message).toContain("no such conversation")
    await replies.reopen(reply.id, { model: "m2", redaction: null }, database)
    await replies.closeInterrupted()
    expect((await store.messages("conv_1"))[1]).toMatchObject({ finish_reason: "error", model: "m2" })
    await store.deleteFrom("conv_1", 2, database)
    expect(await store.messages("conv_1")).toHaveLength(1)
    await store.patch("conv_1", passed({ title: "other", additional_metadata: { a: "\0" } }), null)
    expect(JSON.parse((await store.get(wholeOf(workspaceId), "conv_1")).additional_metadata)).toEqual({ a: "\0" })
    expect(await store.delete(wholeOf("ws_other"), "conv_1", database)).toBe(false)
    expect(await store.delete(wholeOf(workspaceId), "conv_1", database)).toBe(true)
    expect(await store.messages("conv_1")).toEqual([])
  })

  test("the events of a reply are kept with their numbers, each once, until its conversation is removed", async () => {
    const database = await open()
    const workspaceId = await ensureWorkspace(database)
    const { reply } = await conversation(database, workspaceId, "conv_1", "t", "m")
    const log = new ReplyLog(database)
    const event = (id: number, name = "message_delta") => ({ id, event: name, data: { text: `${id} ä\0 ` } })
    const add = (...events: object[]) => log.add(database, reply.id, passed(events))
    await add(event(1), event(2))
    await add(event(3))
    await add(event(3), event(4))
    await add(event(3)) // comes late
    expect(await log.after(reply.id, 0)).toEqual(passed({ events: [1, 2, 3, 4].map(id => event(id)), isWhole: false }))
    await add(event(6, "done"))
    expect(await log.after(reply.id, 2)).toEqual(passed({ events: [event(3), event(4)], isWhole: false }))
    await add(event(5))
    expect(await log.after(reply.id, 5)).toEqual(passed({ events: [event(6, "done")], isWhole: true }))
    expect(await log.after(reply.id, 6)).toEqual({ events: [], isWhole: true })
    await log.sweep()
    expect(await log.has(reply.id)).toBe(true)
    await new ConversationStore(database).delete(wholeOf(workspaceId), "conv_1", database)
    expect(await log.has(reply.id)).toBe(false)
  })

  test("conversations are found by a part of their title or of a message, as it stands", async () => {
    const database = await open()
    const workspaceId = await ensureWorkspace(database)
    const store = new ConversationStore(database)
    const all: [string, string, string][] = [
      ["conv_1", "Miete", "Was kostet das Bootshaus? 100% sicher"],
      ["conv_2", "BOOTSHAUS_alt", "äpfel"],
      ["conv_3", "Weg C:\\neu", "ÄPFEL"],
    ]
    for (const [id, title, message] of all) await conversation(database, workspaceId, id, title, message)
    const found = async (query: string) => {
      const { data, total } = await store.lists.page(wholeOf(workspaceId), { query, page: 1, pageSize: 10 })
      expect(total).toBe(data.length)
      return data.map(({ conversation_id }) => conversation_id).sort()
    }
    expect(await found("bootshaus")).toEqual(["conv_1", "conv_2"])
    expect(await found("0%")).toEqual(["conv_1"])
    expect(await found("s_a")).toEqual(["conv_2"])
    expect(await found(":\\n")).toEqual(["conv_3"])
    expect(await found("äpfel")).toEqual(["conv_2"]) // letters beyond ASCII are as they stand
    expect(await found("ÄPFEL")).toEqual(["conv_3"])
    expect(await found("b%s")).toEqual([])
    const { data, total } = await store.lists.page(wholeOf(workspaceId), { page: 2, pageSize: 2 })
    expect([data.length, total, data[0]?.message_count]).toEqual([1, 3, 2])
  })

  test("a run keeps its steps, ends once, and is listed with them", async () => {
    const database = await open()
    const workspaceId = await ensureWorkspace(database)
    const store = new RunStore(database, { id: "node_1" } as never)
    const described = { task: "t", model: "m", request: { tools: [] }, additionalMetadata: {}, nerCount: 1 }
    const [startedAt, deadlineAt] = [new Date(), new Date(Date.now() + 60_000)]
    const add = () =>
      store.insert(
        {
          view: wholeOf(workspaceId),
          keyId: "key_1",
          endUser: null,
          described: passed(described),
          startedAt,
          deadlineAt,
        },
        undefined,
      )
    const [id, other] = [await add(), await add()]
    const call = { id: "c", name: "search", arguments: { query: "ü" } }
    const step = passed({ call, startedAt: startedAt.toISOString() })
    const outcome = passed({ result: "found", isError: false, durationMs: 1.5, fileIds: [] })
    await store.saveSteps(id, anAccount(), new Map([[1, step]]), new Map())
    await store.saveSteps(id, anAccount(), new Map([[2, step]]), new Map([[1, outcome]]))
    const end = passed({
      ...{ status: "completed", output: "done", structuredOutput: { n: 1 }, citations: [], finishReason: "stop" },
      ...{ error: null, warnings: [], usage: { prompt_tokens: 1, completion_tokens: 2 }, nerCount: 1 },
    })
    expect(await store.delete(wholeOf(workspaceId), id, undefined)).toBeUndefined()
    expect([await store.finish(id, end, anAccount(), "cut"), await store.finish(id, end, anAccount(), "cut")]).toEqual([
      true,
      false,
    ])
    await store.saveSteps(id, anAccount(), new Map([[3, step]]), new Map())
    const { row, steps } = (await store.find(id))!
    expect(row).toMatchObject({ status: "completed", output: "done", structured_output: '{"n":1}' })
    expect(steps.map(({ result, is_error, finished_event }) => [result, is_error, finished_event])).toEqual([
      ["found", 0, 4],
      ["cut", 1, 5],
    ])
    expect(steps[0]!.duration_ms).toBe(1.5)
    const { data, total } = await store.lists.page(wholeOf(workspaceId), {
      states: ["completed"],
      page: 1,
      pageSize: 5,
    })
    expect([total, data.map(run => run.run_id)]).toEqual([1, [id]])
    expect(
      (await store.lists.page(wholeOf(workspaceId), { page: 1, pageSize: 5 })).data.map(run => run.run_id),
    ).toEqual([other, id])
    expect(await store.delete(wholeOf(workspaceId), id, undefined)).toMatch(/^rcpt_/)
    expect(await store.find(id)).toBeUndefined()
  })

  test("the texts of a file go with it, from messages and from the records of how they were made", async () => {
    const database = await open()
    const workspaceId = await ensureWorkspace(database)
    const { reply, asked } = await conversation(database, workspaceId, "conv_1", "t", "m")
    for (const id of ["file_a", "file_b"]) await addFile(database, id)
    const source = (index: number, file_id: string) => ({ index, file_id, text: `text of ${file_id} \0 "file_id":"x"` })
    const sources = [source(1, "file_a"), source(2, "file_b"), source(3, "file_gone")]
    const texts = Object.entries({
      "of a": ["file_a"],
      "of both": ["file_b", "file_a"],
      "of b": ["file_b"],
      none: [],
    }).map(([text, file_ids]) => ({ text, file_ids }))
    const turns = [{ role: "user", content: `Given:\n${sources.map(({ text }) => text).join("\n")}\n${asked.content}` }]
    const made = {
      record: {
        facts: { tool_calls: [] },
        request: { turns, options: {} },
        texts,
      },
      sources,
      messages: new Map(),
    }
    const replies = new ReplyStore(database, OWNER, undefined)
    const live = new LiveReply("conv_1", reply.id, reply.owner)
    await replies.saveParts([{ live, content: passed("so "), made: passed(made) }])
    await replies.finish(live, passed({ ...ENDED, content: "so", sources }), anAccount(), passed(made))
    const records = new RecordStore(database)
    const textsNow = async () => {
      const [message] = (await new ConversationStore(database).messages("conv_1")).filter(({ id }) => id === reply.id)
      const sourceTexts = (JSON.parse(message!.sources) as { text: string }[]).map(({ text }) => text)
      return [sourceTexts, [...(await records.find(reply.id))!.texts.values()].map(({ text }) => text).sort()]
    }
    const [a, b] = sources.map(({ text }) => text)
    expect(await textsNow()).toEqual([
      [a!, b!, ""],
      ["none", "of a", "of b", "of both"],
    ])
    expect(JSON.stringify(await records.find(reply.id))).not.toContain("text of")
    await database.transaction().execute(async trx => {
      await trx.deleteFrom("files").where("id", "=", "file_a").execute()
      await forgetTextsOf(trx, "file_a")
    })
    expect(await textsNow()).toEqual([
      ["", b!, ""],
      ["none", "of b"],
    ])
    await new ConversationStore(database).delete(wholeOf(workspaceId), "conv_1", database)
    expect(await records.find(reply.id)).toBeUndefined()
    expect(await database.selectFrom("message_files").selectAll().execute()).toEqual([])
  })

  test("the text of a file goes from the steps of runs, those of former versions as well", async () => {
    const database = await open()
    const workspaceId = await ensureWorkspace(database)
    for (const id of ["file_a", "file_b"]) await addFile(database, id)
    const store = new RunStore(database, { id: "node_1" } as never)
    const described = { task: "t", model: "m", request: { tools: [] }, additionalMetadata: {}, nerCount: 1 }
    const [startedAt, deadlineAt] = [new Date(), new Date(Date.now() + 60_000)]
    const run = {
      view: wholeOf(workspaceId),
      keyId: "key_1",
      endUser: null,
      described: passed(described),
      startedAt,
      deadlineAt,
    }
    const id = await store.insert(run, undefined)
    const begun = (name: string, given: object = {}) =>
      passed({ call: { id: "c", name, arguments: given }, startedAt: startedAt.toISOString() })
    const outcome = (result: string, ...fileIds: string[]) => passed({ result, isError: false, durationMs: 1, fileIds })
    const named = "[1] a.txt (file_id file_a, characters 0-9)\nwords of a"
    const steps = [
      [begun("search_library"), outcome(named, "file_a", "file_b")],
      [begun("read_file", { file_id: "file_a" }), outcome("of a", "file_a")],
      [begun("query_table", { file_id: "file_b" }), outcome("of b", "file_b")],
      [begun("calculate"), outcome("2")],
      [begun("read_file"), outcome("of one that was deleted meanwhile", "file_gone")],
    ] as const
    await store.saveSteps(
      id,
      anAccount(),
      new Map(steps.map(([call], at) => [at + 1, call])),
      new Map(steps.map(([, result], at) => [at + 1, result])),
    )
    const results = async () => (await store.find(id))!.steps.map(({ result }) => result)
    expect(await results()).toEqual([named, "of a", "of b", "2", GONE])
    await database.schema.dropTable("step_files").execute()
    await (isPostgres(database) ? stepFiles.postgres(database) : stepFiles.sqlite(database))
    await database.transaction().execute(async trx => {
      await trx.deleteFrom("files").where("id", "=", "file_a").execute()
      await forgetTextsOf(trx, "file_a")
    })
    expect(await results()).toEqual([GONE, GONE, "of b", "2", GONE])
  })

  test("messages of former versions are known by the files whose texts they hold", async () => {
    const database = await open()
    const workspaceId = await ensureWorkspace(database)
    const { reply } = await conversation(database, workspaceId, "conv_1", "t", "m")
    const sources = ["file_a", "file_b", "file_a"].map(file_id => ({ file_id, text: 'a \0 text: "file_id":"file_c"' }))
    await database
      .updateTable("messages")
      .set({ sources: JSON.stringify(sources) })
      .where("id", "=", reply.id)
      .execute()
    for (const table of ["answer_records", "record_texts", "message_files"] as const)
      await database.schema.dropTable(table).execute()
    await (isPostgres(database) ? migration.postgres(database) : migration.sqlite(database))
    const links = await database.selectFrom("message_files").selectAll().orderBy("file_id").execute()
    expect(links).toEqual(["file_a", "file_b"].map(file_id => ({ message_id: reply.id, file_id })))
  })
})
