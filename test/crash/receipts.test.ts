/**
 * SIGKILL at random between deletions and their receipts: no receipt before the bytes are gone, and each deletion that was
 * answered has one at last. A failing run prints its seed; `STORM_SEED` repeats it, `STORM_ROUNDS` makes it longer.
 */
import { afterAll, expect, test } from "bun:test"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { holding } from "../support/holding.ts"
import { until } from "../support/until.ts"
import { chanceOf } from "./chance.ts"

const SEED = Number(Bun.env.STORM_SEED ?? crypto.getRandomValues(new Uint32Array(1))[0])
const ROUNDS = Number(Bun.env.STORM_ROUNDS ?? 5)

let daemon: Daemon | undefined
afterAll(() => daemon?.remove())

/** A deletion that was answered, or may have been carried out. */
interface Deleted {
  path: string
  words: string[]
  receipt: string | null
}

test(
  `a file, a conversation and an end user are deleted in each of ${ROUNDS} lives`,
  async () => {
    console.log(`storm seed ${SEED}`)
    const chance = chanceOf(SEED)
    daemon = await startDaemon()
    const { data, index, call, credentials } = daemon
    const remove = async (path: string, words: string[]): Promise<Deleted> => {
      const url = `${daemon!.url}/external${path}`
      const answer = await fetch(url, { method: "DELETE", headers: credentials }).catch(() => undefined)
      const body = answer?.status === 202 ? ((await answer.json()) as { receipt_id: string }) : undefined
      return { path, words, receipt: body?.receipt_id ?? answer?.headers.get("x-receipt-id") ?? null }
    }
    const isWritten = async (id: string) =>
      (await fetch(`${daemon!.url}/external/receipts/${id}`, { headers: credentials })).status === 200
    const deleted: Deleted[] = []
    /** Looks at the receipt first: what is true of the disk then stays true. */
    const check = async () => {
      for (const { receipt, words } of deleted)
        if (receipt && (await isWritten(receipt)))
          for (const word of words) expect({ word, held: holding(data, word) }).toEqual({ word, held: [] })
    }
    for (let round = 0; round < ROUNDS; round++) {
      const word = (what: string) => `qzv${what}${round}olimpar`
      const file = await index(`${word("name")}.txt`, `The ${word("text")} was agreed on in the meeting.`)
      const ask = (what: string, end_user?: string) =>
        call("POST", "/start-conversation", { message: `What of the ${word(what)}?`, use_library: false, end_user })
      const asked = await ask("said")
      await ask("told", word("user"))
      deleted.push(
        await remove(`/libraries/${file.id}`, [word("name"), word("text")]),
        await remove(`/conversations/${asked.conversation_id}`, [word("said")]),
        await remove(`/end-users/${word("user")}`, [word("told"), word("user")]),
      )
      expect(deleted.slice(-3).every(({ receipt }) => receipt)).toBe(true)
      const end = performance.now() + chance(9_000)
      while (performance.now() < end) {
        await check()
        await Bun.sleep(100)
      }
      await daemon.kill()
      await daemon.start()
      await check()
    }
    for (const { receipt } of deleted) await until(() => isWritten(receipt!), { within: 120_000, everyMs: 250 })
    await check()
  },
  60_000 + ROUNDS * 60_000,
)
