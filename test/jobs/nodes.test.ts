/** The queue between nodes, each with connections of its own to one PostgreSQL. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Job, JobQueue } from "../../src/jobs/queue.ts"
import { setLogLevel } from "../../src/log.ts"
import { end, enter } from "../../src/nodes/registry.ts"
import type { Database } from "../../src/storage/database.ts"
import { openPostgres } from "../../src/storage/postgres/open.ts"
import { emptySchema } from "../support/databases.ts"
import { postgres } from "../support/engines.ts"

setLogLevel("error")
const server = await postgres()
const NODES = 4

interface Member {
  database: Database
  id: string
  queue: JobQueue
}

describe.skipIf(!server)("jobs of several nodes", () => {
  const nodes: Member[] = []
  beforeAll(async () => {
    const url = await emptySchema(server!)
    for (let i = 0; i < NODES; i++) {
      const database = await openPostgres(url)
      const id = await enter(database, { name: `n${i}`, url: null, role: "all", version: "" })
      nodes.push({ database, id, queue: new JobQueue(database, { owner: { id } }) })
    }
  })
  afterAll(async () => {
    for (const { database } of nodes) await database.destroy()
  })

  const add = (count: number) =>
    nodes[0]!.queue.enqueue(
      nodes[0]!.database,
      Array.from({ length: count }, (_, i) => ({
        task: "index",
        subject: `file_${i}`,
        workspaceId: `ws_${i % 7}`,
        lane: "ordinary" as const,
      })),
    )
  const lease = async ({ queue }: Member) => (await queue.lease("index", "ordinary", 1))[0]
  const complete = async ({ database, queue }: Member, job: Job) =>
    (await database.transaction().execute(trx => queue.complete(trx, [job]))).length === 1

  test("go to one of them each, in turns of their workspaces", async () => {
    await add(140)
    const done: string[] = []
    await Promise.all(
      nodes.map(async node => {
        for (let job = await lease(node); job; job = await lease(node)) {
          expect(job.attempts).toBe(1)
          if (await complete(node, job)) done.push(job.workspaceId)
        }
      }),
    )
    expect(done).toHaveLength(140)
    const served = (workspace: string) => done.slice(0, 70).filter(each => each === workspace).length
    for (let i = 0; i < 7; i++) expect(Math.abs(served(`ws_${i}`) - 10)).toBeLessThanOrEqual(2)
  })

  test("are taken from nodes that have ended, and from no others", async () => {
    const [living, dying, third] = nodes as [Member, Member, Member]
    await add(2)
    const kept = (await lease(living))!
    const lost = (await lease(dying))!
    await third.queue.reclaim()
    expect(await lease(third)).toBeUndefined()
    await end(third.database, dying.id)
    await Promise.all([third.queue.reclaim(), living.queue.reclaim()])
    expect(await dying.queue.renew(lost)).toBe(false)
    expect(await complete(dying, lost)).toBe(false)
    expect(await lease(third)).toMatchObject({ subject: lost.subject, attempts: 1, interruptions: 1 })
    expect(await living.queue.renew(kept)).toBe(true)
    expect(await complete(living, kept)).toBe(true)
  })
})
