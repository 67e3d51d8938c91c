/** A reader of names that fails in the middle of a turn or a run: it ends all the same, and nothing passes unseen. */

import { expect, test } from "bun:test"
import { wholeOf } from "../../src/access/view.ts"
import type { ChatBackend, EntityModel } from "../../src/backends/backend.ts"
import { CountedBackend } from "../../src/backends/counted.ts"
import type { ConversationRow, FinishedReply, MessageRow } from "../../src/chat/conversation-rows.ts"
import type { ChatDependencies } from "../../src/chat/dependencies.ts"
import { LiveReply } from "../../src/chat/live-reply.ts"
import { ReplyWriter } from "../../src/chat/reply-writer.ts"
import { DEFAULT_SETTINGS } from "../../src/chat/settings.ts"
import { AppError } from "../../src/errors.ts"
import { Guard } from "../../src/grounding/guard.ts"
import { TokenMeter } from "../../src/grounding/tokens.ts"
import { parseRedaction, Redactor } from "../../src/redaction/redact.ts"
import { inOrder, modelInfo, scriptedModel, startHarness } from "../agents/support.ts"
import { anAccount } from "../support/accounts.ts"
import { until } from "../support/until.ts"

/** Answers until it has been told to fail. */
function failingReader() {
  const reader = { fails: false }
  const entityModel: EntityModel = {
    model: "failing",
    find: async () => {
      if (reader.fails) throw new AppError("model_unavailable", { message: "The Entity Model of Oslo has died" })
      return []
    },
    close: async () => {},
  }
  return { reader, redactor: new Redactor({ entityModel }) }
}

test("a run ends as failed, with nothing of what could not be searched", async () => {
  const { reader, redactor } = failingReader()
  const model = scriptedModel(request => {
    reader.fails = true
    return inOrder([{ text: "Anna Berg from Tromsø wrote it." }])(request, 0)
  })
  const { runs, caller, store, stop } = await startHarness(model, [], { redactor })
  try {
    const started = await runs.startDetached(caller, { task: "who wrote it?", redaction: true })
    const run = await until(async () => {
      const seen = await runs.get(caller.view, started.run_id)
      return seen.status !== "running" && seen
    })
    expect(run).toMatchObject({ status: "failed", output: "", error: { code: "model_unavailable" } })
    expect(JSON.stringify(await store.find(run.run_id))).not.toContain("Berg")
  } finally {
    await stop()
  }
})

test("a reply ends as failed, with its cause, and is stored", async () => {
  const { reader, redactor } = failingReader()
  const backend: ChatBackend = {
    provider: "scripted",
    list: async () => [],
    async *chat() {
      yield { type: "text", text: "Boats float. " }
      reader.fails = true
      yield { type: "text", text: "Anna Berg from Tromsø wrote it." }
      yield { type: "end", reason: "stop", usage: { promptTokens: 1, completionTokens: 1 } }
    },
  }
  const guard = new Guard(redactor, parseRedaction(true, false))
  const finished: FinishedReply[] = []
  const live = new LiveReply("conv_1", "msg_2", null)
  const row = { content: "who?", ner_count: 0, redaction: guard.key } as MessageRow
  const account = anAccount()
  const writer = new ReplyWriter(
    {
      view: wholeOf("ws_1"),
      requestId: "req_1",
      conversation: { id: "conv_1", context_tokens: null } as ConversationRow,
      created: false,
      history: [],
      userMessage: row,
      replyId: "msg_2",
      settings: { ...DEFAULT_SETTINGS, use_library: false },
      scope: { fileIds: null, contextId: null, filter: null },
      model: { backend: new CountedBackend(backend, account), account, info: modelInfo(), name: "model" },
      guard,
      continued: null,
      promptEntities: 0,
    },
    live,
    {
      replyStore: { finish: async (_: LiveReply, reply: FinishedReply) => void finished.push(reply) },
      images: { of: async () => new Map(), enter: async () => ({ [Symbol.dispose]: () => {} }) },
      meter: new TokenMeter(),
      maxContextTokens: 0,
    } as unknown as ChatDependencies,
  )
  await writer.write()
  live.close()
  const events = await Array.fromAsync(live.follow(0))
  expect(events.at(-2)).toMatchObject({ event: "error", data: { error: { code: "model_unavailable" } } })
  expect(events.at(-1)!.event).toBe("done")
  expect(finished).toMatchObject([{ finishReason: "error", error: { code: "model_unavailable" } }])
  expect(JSON.stringify([events, finished])).not.toContain("Berg")
})
