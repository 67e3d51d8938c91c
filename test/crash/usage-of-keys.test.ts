/** What each key uses is counted once whenever the daemon is killed: streams of `/v1`, batches and schedules beside conversations. */
import { afterAll, expect, test } from "bun:test"
import { sql } from "kysely"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { startDaemon } from "../support/daemon.ts"
import { until } from "../support/until.ts"
import { chanceOf } from "./chance.ts"

const ROUNDS = Number(Bun.env.STORM_ROUNDS ?? 3)
const MODEL = "builtin/extractive"
const QUESTION = "Where do herons nest?"
const LINES = 30
const chance = chanceOf(11)
const daemon = await startDaemon()
afterAll(() => daemon.remove())

interface Key {
  id: string
  token: string
}
const makeKey = async (name: string): Promise<Key> =>
  JSON.parse((await daemon.run("keys", "create", "--name", name, "--json")).out)
const call = (key: Key, method: string, path: string, body?: unknown) =>
  fetch(daemon.url + path, {
    method,
    headers: { authorization: `Bearer ${key.token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
const tokensIn = ({ prompt_tokens, completion_tokens }: { prompt_tokens: number; completion_tokens: number }) =>
  Number(prompt_tokens) + Number(completion_tokens)

test(
  "after a storm of kills the tokens of each key are those that its answers said",
  async () => {
    await daemon.index("herons.txt", "Herons nest in tall trees beside the water, and return to them in spring.")
    const [talker, streamer, batcher, scheduler] = await Promise.all(
      ["talks", "streams", "batches", "schedules"].map(makeKey),
    )
    const keys = [talker!, streamer!, batcher!, scheduler!]
    let stopped = false
    /** Of `/v1`, whose answers nobody stores. */
    const said = { streams: 0, tokens: 0, cut: 0, most: 0 }
    const stream = async () => {
      while (!stopped) {
        const messages = [{ role: "user", content: QUESTION }]
        const body = { model: `library/${MODEL}`, messages, stream: true, stream_options: { include_usage: true } }
        const text = await call(streamer!, "POST", "/v1/chat/completions", body)
          .then(response => response.text())
          .catch(() => "")
        const usage = /"usage":(\{[^{}]*"completion_tokens":[^{}]*\})/.exec(
          text.split("\n").findLast(line => line.includes('"usage":{')) ?? "",
        )
        if (usage && text.includes("[DONE]")) {
          const tokens = tokensIn(JSON.parse(usage[1]!))
          said.streams++
          said.tokens += tokens
          said.most = Math.max(said.most, tokens)
        } else {
          said.cut++
          await Bun.sleep(5)
        }
      }
    }
    const talk = async () => {
      while (!stopped)
        await call(talker!, "POST", "/external/start-conversation", { message: QUESTION, model: MODEL })
          .then(response => response.text())
          .catch(() => Bun.sleep(5))
    }
    const requests = Array.from({ length: LINES }, (_, at) => ({
      ...{ custom_id: `c${at}`, method: "POST", url: "/external/conversations" },
      body: { message: `${QUESTION} ${at}`, model: MODEL },
    }))
    const batches: string[] = []
    const request = { url: "/external/conversations", body: { message: QUESTION, model: MODEL } }
    const schedule = await call(scheduler!, "POST", "/external/schedules", { name: "often", every: "1s", request })
    expect(schedule.status).toBe(201)
    for (let round = 0; round < ROUNDS; round++) {
      stopped = false
      const batch = await call(batcher!, "POST", "/external/batches", { requests })
      batches.push(((await batch.json()) as { id: string }).id)
      const workers = [stream(), stream(), talk(), talk()]
      await Bun.sleep(700 + chance(1_500))
      await daemon.kill()
      stopped = true
      await Promise.all(workers)
      await daemon.start()
    }
    const { id: scheduled } = (await schedule.json()) as { id: string }
    await call(scheduler!, "PATCH", `/external/schedules/${scheduled}`, { paused: true })
    await until(async () => {
      const runs = (await (await call(scheduler!, "GET", `/external/schedules/${scheduled}/runs`)).json()) as {
        status: string
      }[]
      return runs.every(({ status }) => status !== "running")
    })
    for (const id of batches)
      await until(async () => {
        const found = (await (await call(batcher!, "GET", `/external/batches/${id}`)).json()) as {
          status: string
          request_counts: object
        }
        if (found.status === "completed")
          expect(found.request_counts).toMatchObject({ total: LINES, completed: LINES, failed: 0 })
        return found.status === "completed"
      })
    const from = new Date(Date.now() - 7_200_000).toISOString()
    const { data } = await daemon.call("GET", `/usage?from=${from}&bucket=month&group_by=key`)
    await daemon.stop()
    const used = (key: Key): number =>
      data
        .filter((row: { key: string }) => row.key === key.id)
        .reduce((sum: number, row: Parameters<typeof tokensIn>[0]) => sum + tokensIn(row), 0)
    const database = await openSqlite(daemon.data)
    const { rows } = await sql<{ key: string; tokens: number }>`select owner_id as key,
      coalesce(sum(messages.prompt_tokens + messages.completion_tokens), 0) as tokens
      from conversations join messages on messages.conversation_id = conversations.id group by owner_id`.execute(
      database,
    )
    await database.destroy()
    for (const key of [talker!, batcher!, scheduler!]) {
      const stored = rows.find(row => row.key === key.id)?.tokens ?? 0
      expect([keys.indexOf(key), stored > 0, used(key)]).toEqual([keys.indexOf(key), true, stored])
    }
    expect(said.streams).toBeGreaterThan(3)
    expect(used(streamer!)).toBeGreaterThanOrEqual(said.tokens)
    expect(used(streamer!)).toBeLessThanOrEqual(said.tokens + said.cut * said.most)
  },
  90_000 + ROUNDS * 20_000,
)
