/** A conversation of very many messages, written into the database at once. */
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import type { TestApp } from "../support/app.ts"

const AT_ONCE = 1_000
const BEGAN = Date.parse("2026-01-01T00:00:00.000Z")

/** Puts them before what the conversation has. A question and an answer in turns, numbered from 0. */
export async function addManyMessages({ data }: Pick<TestApp, "data">, conversation: string, count: number) {
  const database = await openSqlite(data)
  const of = database.updateTable("messages").where("conversation_id", "=", conversation)
  await of.set(eb => ({ position: eb("position", "+", count) })).execute()
  for (let at = 0; at < count; at += AT_ONCE) {
    const rows = Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, i) => row(conversation, at + i))
    await database
      .insertInto("messages")
      .values(rows as never)
      .execute()
  }
  await database.destroy()
}

const row = (conversation: string, n: number) => ({
  id: `msg_${String(n).padStart(6, "0")}_${conversation}`,
  conversation_id: conversation,
  position: n,
  ...(n % 2 === 0
    ? { role: "user", content: `What does clause ${n} say of the **boats** of the harbour?`, finish_reason: null }
    : { role: "assistant", content: answer(n), finish_reason: "stop", model: "ollama/llama3.2:3b" }),
  created_at: new Date(BEGAN + n * 1_000).toISOString(),
})

const answer = (n: number): string =>
  [
    `Clause ${n} says that *each* boat has a berth of its own, and that \`berth ${n}\` is let by the year.`,
    ...(n % 4 === 1 ? ["- The rent is due in January.\n- The keeper has a **key**."] : []),
    ...(n % 10 === 1 ? ["| berth | rent |\n|---|---|\n| 1 | 400 |\n| 2 | 420 |"] : []),
  ].join("\n\n")
