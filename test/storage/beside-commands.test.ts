/** Commands write into the database of a running daemon: whatever both do at the same time waits its turn and succeeds. */

import { Database as Sqlite } from "bun:sqlite"
import { afterAll, beforeAll, expect, test } from "bun:test"
import { join } from "node:path"
import { type Daemon, startDaemon } from "../support/daemon.ts"

let daemon: Daemon
beforeAll(async () => {
  daemon = await startDaemon()
}, 60_000)
afterAll(() => daemon.remove())

/** Goes on with `work` until `done` settles; how often it was done. */
async function repeatUntil(done: Promise<unknown>, work: (round: number) => Promise<unknown>): Promise<number> {
  let ended = false
  void done.finally(() => {
    ended = true
  })
  let round = 0
  while (!ended) await work(round++)
  return round
}

test("keys are created beside uploads, and neither fails", async () => {
  const commands = Promise.all(
    [1, 2].map(async line => {
      for (let i = 0; i < 5; i++) {
        const { code, err } = await daemon.run("keys", "create", "--name", `storm-${line}-${i}`, "--json")
        expect({ code, err }).toMatchObject({ code: 0 })
      }
    }),
  )
  const uploads = [1, 2, 3, 4].map(line =>
    repeatUntil(commands, round => daemon.upload(`storm-${line}-${round}.txt`, `Line ${line}, round ${round}.`)),
  )
  const [, ...counts] = await Promise.all([commands, ...uploads])
  const { pagination } = await daemon.call("GET", "/libraries?name=storm&page_size=1")
  expect(pagination.total_items).toBe(counts.reduce((sum, count) => sum + count))
}, 120_000)

test("uploads wait for another process that writes all the time", async () => {
  const other = new Sqlite(join(daemon.data, "carrel.db"))
  other.run("pragma busy_timeout = 10000")
  other.run("create table if not exists elsewhere (n integer)")
  const writing = (async () => {
    for (let i = 0; i < 60; i++) {
      other.run("begin immediate")
      other.run("insert into elsewhere values (1)")
      await Bun.sleep(5)
      other.run("commit")
      await Bun.sleep(2)
    }
  })()
  const uploads = [1, 2].map(line =>
    repeatUntil(writing, round => daemon.upload(`beside-${line}-${round}.txt`, `Beside ${line}, round ${round}.`)),
  )
  const counts = await Promise.all(uploads)
  await writing
  other.run("drop table elsewhere")
  other.close()
  expect(Math.min(...counts)).toBeGreaterThan(0)
}, 60_000)
