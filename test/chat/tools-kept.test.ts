/** Calls of tools of a reply that is cut, by a stop or by a kill, and written on. */
import { Database as Sqlite } from "bun:sqlite"
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import type { RecordedRequest } from "../support/model-script.ts"
import { LLAMA, type OllamaStandIn, startOllama } from "../support/ollama.ts"
import { until } from "../support/until.ts"

const MODEL = "ollama/llama3.2:3b"
const ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"

let ollama: OllamaStandIn
let daemon: Daemon
let file: { id: string }
beforeEach(async () => {
  ollama = await startOllama([LLAMA])
  daemon = await startDaemon(["--ollama-host", ollama.server.url])
  file = await daemon.index("small.csv", "name,amount\nzeppelin,1\nairship,2\n")
}, 60_000)
afterEach(async () => {
  await daemon.remove()
  ollama.server.stop()
})

const query = (sql: string) => ({ name: "query_table", arguments: { file_id: file.id, sql } })
const SUM = "select sum(amount) s, max(name) m from data"

/** What the data directory itself holds: what a kill cannot take. */
function stored(sql: string): Record<string, unknown>[] {
  using database = new Sqlite(join(daemon.data, "carrel.db"), { readonly: true })
  return database.query(sql).all() as Record<string, unknown>[]
}
const RESULTS = "select text from record_texts join answer_records using (message_id) where text like '%Result:%'"

/** Begins a reply and waits until so many results of its calls are stored. */
async function begin(message: string, results: number): Promise<string> {
  const asked = daemon.call("POST", "/conversations", { model: MODEL, message, file_ids: [file.id] })
  asked.catch(() => {})
  await until(() => stored(RESULTS).length >= results)
  return stored("select id from conversations")[0]!.id as string
}
const goOn = (id: string): Promise<void> => daemon.call("POST", "/continue", { conversation_id: id, model: MODEL })
const lastOf = async (id: string) => (await daemon.call("GET", `/conversations/${id}`)).messages.at(-1)

const isContinuing = (request: RecordedRequest) => request.messages.at(-1).role !== "user"
const numberIn = (request: RecordedRequest): string =>
  /^\[(\d+)\]/.exec(request.messages.find(({ role }: { role: string }) => role === "tool").content)![1]!

describe.each(["stopped", "killed"] as const)("a reply that is %s behind its calls", how => {
  const cut = async (id: string) => {
    if (how === "stopped") await daemon.call("POST", `/conversations/${id}/cancel`)
    else {
      await daemon.kill()
      await daemon.start()
    }
  }

  test.each(["", "Let me look."])(
    "knows them when it is written on, and cites them (said before: %p)",
    async said => {
      ollama.server.scenes.add("cut", (request, count) => {
        if (count === 0) return { text: said, tools: [query(SUM)] }
        if (count === 1) return { text: "", hang: true }
        return { text: `Three [${numberIn(request)}].` }
      })
      const id = await begin("case-cut What is the sum?", 1)
      await until(() => ollama.server.scenes.got("cut").length === 2)
      await cut(id)
      expect(await lastOf(id)).toMatchObject({ content: said, tool_calls: 1 })
      await goOn(id)
      const [, , asked] = ollama.server.scenes.got("cut")
      expect(isContinuing(asked)).toBe(true)
      const given = JSON.stringify(asked.messages)
      expect(asked.messages.slice(-2)).toMatchObject([
        { role: "assistant", content: said, tool_calls: [{ function: query(SUM) }] },
        { role: "tool", content: expect.stringContaining("3,zeppelin") },
      ])
      // Once, and not as a passage as well.
      expect(given.split("3,zeppelin")).toHaveLength(2)
      const message = await lastOf(id)
      expect(message).toMatchObject({ finish_reason: "stop", tool_calls: 1, citations: [{ file_id: file.id }] })
      expect(message.content).toMatch(said ? /^Let me look\.\n\nThree \[\d+\]\.$/ : /^Three \[\d+\]\.$/)
      const record = await daemon.call("GET", `/conversations/${id}/messages/${message.id}/record`)
      expect(record.tool_calls).toMatchObject([
        { id: "call_1", ...query(SUM), is_error: false, result: expect.stringContaining("3,zeppelin") },
      ])
    },
    60_000,
  )

  test("goes on with what it said behind them, and further calls have numbers of their own", async () => {
    ollama.server.scenes.add("on", (_, count) => {
      if (count === 0) return { tools: [query(SUM)] }
      if (count === 1) return { text: "The sum is ", hangAfter: 3 }
      if (count === 2) return { text: "three;", tools: [query("select count(*) c from data")] }
      return { text: "of two rows." }
    })
    const id = await begin("case-on What is the sum?", 1)
    await until(() => stored("select content from messages where content like 'The sum%'").length === 1)
    await cut(id)
    await goOn(id)
    const [, , asked, last] = ollama.server.scenes.got("on")
    expect(asked.messages.at(-1)).toMatchObject({ role: "assistant", content: expect.stringMatching(/^The sum is ?$/) })
    const roles = last.messages.slice(-4).map(({ role }: { role: string }) => role)
    expect(roles).toEqual(["assistant", "tool", "assistant", "tool"])
    expect(last.messages.at(-2).content).toMatch(/^The sum is ?three;$/)
    const marks = last.messages.filter(({ role }: { role: string }) => role === "tool")
    expect(new Set(marks.map(({ content }: { content: string }) => content.split(" ")[0])).size).toBe(2)
    const message = await lastOf(id)
    expect(message.tool_calls).toBe(2)
    const record = await daemon.call("GET", `/conversations/${id}/messages/${message.id}/record`)
    expect(record.tool_calls.map(({ id }: { id: string }) => id)).toEqual(["call_1", "call_2"])
  }, 60_000)
})

test("a kill amid sixteen calls keeps those that have ended, and the others are not made up", async () => {
  const calls = Array.from({ length: 16 }, (_, at) =>
    query(at === 3 ? ENDLESS : `select ${at} + sum(amount) from data`),
  )
  ollama.server.scenes.add("amid", (_, count) => (count === 0 ? { tools: calls } : { text: "Enough." }))
  const id = await begin("case-amid Go", 15)
  await daemon.kill()
  await daemon.start()
  await goOn(id)
  const [, asked] = ollama.server.scenes.got("amid")
  const results = asked.messages.filter(({ role }: { role: string }) => role === "tool")
  expect(results).toHaveLength(15)
  expect(JSON.stringify(asked.messages)).not.toContain("recursive")
  expect(await lastOf(id)).toMatchObject({ tool_calls: 15, finish_reason: "stop" })
}, 120_000)

test("calls outlast a second kill, before the reply that is written on says anything", async () => {
  ollama.server.scenes.add("twice", (_, count) =>
    count === 0 ? { tools: [query(SUM)] } : count < 3 ? { hang: true } : { text: "Three." },
  )
  const id = await begin("case-twice Go", 1)
  for (const turns of [2, 3]) {
    await until(() => ollama.server.scenes.got("twice").length === turns)
    await daemon.kill()
    await daemon.start()
    const again = goOn(id)
    if (turns === 2) again.catch(() => {})
    else await again
  }
  expect(ollama.server.scenes.got("twice").at(-1).messages.at(-1).content).toContain("3,zeppelin")
  expect(await lastOf(id)).toMatchObject({ tool_calls: 1, content: "Three." })
}, 60_000)

test("of a file that was deleted since, the model that writes on gets nothing, and the record keeps nothing", async () => {
  ollama.server.scenes.add("gone", (_, count) =>
    count === 0 ? { text: "Let me look.", tools: [query(SUM)] } : count === 1 ? { hang: true } : { text: "Well." },
  )
  const id = await begin("case-gone Go", 1)
  await until(() => ollama.server.scenes.got("gone").length === 2)
  await daemon.call("POST", `/conversations/${id}/cancel`)
  await daemon.call("DELETE", `/libraries/${file.id}`)
  await goOn(id)
  expect(JSON.stringify(ollama.server.scenes.got("gone").at(-1))).not.toContain("zeppelin")
  expect((await lastOf(id)).finish_reason).toBe("stop")
  for (const table of ["answer_records", "record_texts", "messages"])
    expect(JSON.stringify(stored(`select * from ${table}`))).not.toContain("zeppelin")
}, 60_000)
