/** Records of replies that a kill has cut. */

import { Database as Sqlite } from "bun:sqlite"
import { afterEach, expect, test } from "bun:test"
import { join } from "node:path"
import { startDaemon } from "../../support/daemon.ts"
import { dataOf, readEvents } from "../../support/events.ts"
import { startOllama } from "../../support/ollama.ts"
import { until } from "../../support/until.ts"

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** Waits until the data directory itself holds a record: what a kill cannot take. */
async function recordStored(data: string): Promise<void> {
  using database = new Sqlite(join(data, "carrel.db"), { readonly: true })
  await until(() => database.query("select 1 from answer_records").all().length > 0)
}

test("a reply that is cut by a kill has a record of what was given, and can be asked again", async () => {
  const ollama = await startOllama()
  cleanups.push(() => ollama.server.stop())
  const daemon = await startDaemon(["--ollama-host", ollama.server.url])
  cleanups.push(() => daemon.remove())
  const text = "The Larkspur widget weighs forty-two grams and is painted cobalt blue."
  const file = await daemon.index("widgets.txt", text)
  let sent = 0
  ollama.server.scenes.add("cut", () => ({ text: "word ".repeat(200), delayMs: sent++ === 0 ? 100 : 0 }))
  const response = await fetch(`${daemon.url}/external/conversations`, {
    method: "POST",
    headers: { ...daemon.credentials, "content-type": "application/json" },
    body: JSON.stringify({
      ...{ message: "case-cut What does the Larkspur widget weigh?", model: "ollama/llama3.2:3b" },
      ...{ file_ids: [file.id], options: { seed: 3 } },
    }),
  })
  const events = await readEvents(response, ({ event }) => event === "message_delta")
  const { conversation_id, message_id } = dataOf(events, "message_started")
  await recordStored(daemon.data)
  await daemon.kill()
  await daemon.start()
  const path = `/conversations/${conversation_id}/messages/${message_id}`
  const record = await daemon.call("GET", `${path}/record?prompt=true`)
  const [asked] = ollama.server.scenes.got("cut")
  expect(record).toMatchObject({
    ...{ finish_reason: "error", error: { code: "interrupted" }, options: { seed: 3 } },
    passages: [{ file_id: file.id, text }],
    prompt: { complete: true, turns: asked.messages },
  })
  const again = await fetch(`${daemon.url}/external${path}/replay`, {
    method: "POST",
    headers: { ...daemon.credentials, accept: "application/json" },
  })
  expect(await again.json()).toMatchObject({ content: "word ".repeat(200).trimEnd(), same_prompt: true })
  expect(JSON.stringify(ollama.server.scenes.got("cut").at(-1).messages)).toBe(JSON.stringify(asked.messages))
}, 60_000)
