/** What two nodes do at the same moment to one PostgreSQL: the same as one after the other. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ApiKeys, ensureWorkspace } from "../../src/access/keys.ts"
import { Sessions } from "../../src/access/sessions.ts"
import { hashToken, newToken } from "../../src/access/token.ts"
import { Users } from "../../src/access/users.ts"
import { wholeOf } from "../../src/access/view.ts"
import { Workspaces } from "../../src/access/workspaces.ts"
import { RunStore } from "../../src/agents/run-store.ts"
import { AppError } from "../../src/errors.ts"
import { HeldRoom } from "../../src/governance/usage/held-room.ts"
import type { Guarded } from "../../src/guarded.ts"
import { fail, publish } from "../../src/ingest/outcomes.ts"
import { JobQueue } from "../../src/jobs/queue.ts"
import type { LeasedJob } from "../../src/jobs/worker.ts"
import { FileChanges } from "../../src/library/changes.ts"
import { Library } from "../../src/library/library.ts"
import { UploadRoom } from "../../src/library/upload-room.ts"
import { Uploads } from "../../src/library/uploads.ts"
import { setLogLevel } from "../../src/log.ts"
import { openCluster } from "../../src/nodes/cluster.ts"
import { LocalWakes } from "../../src/nodes/wakes.ts"
import { DiskBlobs } from "../../src/storage/blobs/disk.ts"
import { publishGenerations, retireGenerations } from "../../src/storage/chunks.ts"
import type { Database } from "../../src/storage/database.ts"
import { Idempotency } from "../../src/storage/idempotency.ts"
import { openPostgres } from "../../src/storage/postgres/open.ts"
import { atOnce, pausing } from "../support/at-once.ts"
import { postgres } from "../support/engines.ts"

setLogLevel("error")
const url = await postgres()
const folder = mkdtempSync(join(tmpdir(), "carrel-races-"))
const PASSWORD = "correct horse battery"
let database: Database
let workspaceId: string

beforeAll(async () => {
  if (!url) return
  database = await openPostgres(url)
  workspaceId = await ensureWorkspace(database, "default")
})
afterAll(async () => {
  await database?.destroy()
  rmSync(folder, { recursive: true, force: true })
})

/** Codes of what failed, `done` for what did not; anything but an AppError is thrown. */
async function outcomes(works: Promise<unknown>[]): Promise<string[]> {
  const settled = await Promise.allSettled(works)
  return settled
    .map(each => {
      if (each.status === "fulfilled") return "done"
      if (each.reason instanceof AppError) return each.reason.code
      throw each.reason
    })
    .sort()
}

describe.skipIf(!url)("files, two nodes at once:", () => {
  const changes = new FileChanges(new LocalWakes())
  const index = { publish: publishGenerations, retire: retireGenerations, sweep: async () => {} }
  const blobs = new DiskBlobs(folder)
  const uploadsOn = (on: Database) => {
    const queue = new JobQueue(on)
    return new Uploads({
      ...{ database: on, blobs, queue, changes, idempotency: new Idempotency(on) },
      held: new HeldRoom(database),
      room: new UploadRoom(new JobQueue(database), { uploads: 10, queuedFiles: 1_000 }),
      rules: { maxFileBytes: 1_000, fileTypes: new Map([["txt", "text/plain"]]) },
    })
  }
  const upload = (on: Database, name: string, text: string, more: { duplicate?: string; key?: string } = {}) =>
    uploadsOn(on).receive({ view: wholeOf(workspaceId), keyId: "key_1", idempotencyKey: more.key }, async form => {
      if (more.duplicate) form.addField("on_duplicate", more.duplicate)
      await form.addFile(name, new Blob([text]).stream())
    })
  const filesCalled = (name: string) => database.selectFrom("files").selectAll().where("name", "=", name).execute()
  const leased = async (subject: string): Promise<LeasedJob> => {
    const jobs = await new JobQueue(database).lease("index_file", "quick", 64)
    return { ...jobs.find(job => job.subject === subject)!, signal: new AbortController().signal }
  }

  test("the same file comes in once", async () => {
    const [here, there] = atOnce(database, "files") as [Database, Database]
    const answers = await Promise.all([upload(here, "same.txt", "a"), upload(there, "same.txt", "a")])
    expect(await filesCalled("same.txt")).toHaveLength(1)
    expect(new Set(answers.map(({ files }) => files[0]!.id)).size).toBe(1)
  })

  test("two replacements are two versions", async () => {
    await upload(database, "replaced.txt", "first")
    const [here, there] = atOnce(database, "files") as [Database, Database]
    await Promise.all([
      upload(here, "replaced.txt", "second", { duplicate: "replace" }),
      upload(there, "replaced.txt", "third", { duplicate: "replace" }),
    ])
    expect(await filesCalled("replaced.txt")).toMatchObject([{ generation: 3 }])
  })

  test("a repeated request with an Idempotency-Key is carried out once", async () => {
    const [here, there] = atOnce(database, "idempotent_answers") as [Database, Database]
    const options = { key: "upload-1", duplicate: "keep_both" }
    const answers = await Promise.all([
      upload(here, "repeated.txt", "a", options),
      upload(there, "repeated.txt", "a", options),
    ])
    expect(await filesCalled("repeated.txt")).toHaveLength(1)
    expect(new Set(answers.map(({ files }) => files[0]!.id)).size).toBe(1)
  })

  test("a file that is published while it is replaced keeps what search sees, or is not published", async () => {
    const { files } = await upload(database, "published.txt", "first")
    const { id } = files[0]!
    const job = await leased(id)
    const [file] = await filesCalled("published.txt")
    await database
      .insertInto("generations")
      .values({ file_id: id, generation: 1, first_chunk: 1, last_chunk: 0, state: "staged" })
      .execute()
    const document = { warnings: [], pageCount: 1, ocrPageCount: 0, characterCount: 5, chunks: { count: 0 } as never }
    const queue = new JobQueue(database)
    const publishing = () =>
      publish({ database, blobs, queue, index, announce: () => {} }, [
        { job, file: file!, document, embeddedTokens: 1 },
      ])
    let published: Promise<void> | undefined
    const slow = pausing(database, "files", () => (published = publishing()))
    await upload(slow, "published.txt", "second", { duplicate: "replace" })
    await published
    const [now] = await filesCalled("published.txt")
    const live = await database
      .selectFrom("generations")
      .select("generation")
      .where("file_id", "=", id)
      .where("state", "=", "live")
      .execute()
    expect(now!.generation).toBe(2)
    expect(now!.live_generation).toBe(live[0]?.generation ?? null)
  })

  test("a file that fails, is replaced and is deleted ends in one of these states, and nobody waits for ever", async () => {
    for (let i = 0; i < 5; i++) {
      const { files } = await upload(database, `torn${i}.txt`, "first")
      const { id } = files[0]!
      const job = await leased(id)
      const queue = new JobQueue(database)
      const library = new Library({ database, blobs, queue, changes, index })
      await Promise.all([
        fail({ database, blobs, queue, index, announce: () => {} }, job, "no_text", "no"),
        upload(database, `torn${i}.txt`, "second", { duplicate: "replace" }),
        library.reindex(wholeOf(workspaceId), id),
        library.delete(wholeOf(workspaceId), id),
      ]).catch(error => {
        if (!(error instanceof AppError && error.code === "not_found")) throw error
      })
    }
  })
})

describe.skipIf(!url)("people, two nodes at once:", () => {
  const user = async (email: string, role: "administrator" | "member" = "member") =>
    (await new Users(database).add({ email, password: PASSWORD, role, workspaceId })).id

  test("the first user is made by one of two setup links", async () => {
    const tokens = [newToken("setup"), newToken("setup")]
    await database
      .insertInto("setup_tokens")
      .values(tokens.map(token => ({ token_hash: hashToken(token), created_at: new Date().toISOString() })))
      .execute()
    const nodes = atOnce(database, "users")
    const claims = nodes.map((node, i) =>
      new Users(node).claim(tokens[i]!, { email: `first${i}@x`, password: PASSWORD }),
    )
    expect(await outcomes(claims)).toEqual(["conflict", "done"])
    const administrators = await database.selectFrom("users").select("id").where("role", "=", "administrator").execute()
    expect(administrators).toHaveLength(1)
  })

  test("the last administrator remains one", async () => {
    await database.updateTable("users").set({ role: "member" }).execute()
    const ids = [await user("a1@x", "administrator"), await user("a2@x", "administrator")]
    const nodes = atOnce(database, "users")
    const changes = nodes.map((node, i) => new Users(node).change(ids[i]!, { role: "member" }))
    expect(await outcomes(changes)).toEqual(["conflict", "done"])
  })

  test("an address, and a workspace's name, belong to one", async () => {
    const adding = atOnce(database, "users").map(node =>
      new Users(node).add({ email: "same@x", password: PASSWORD, role: "member", workspaceId }),
    )
    expect(await outcomes(adding)).toEqual(["conflict", "done"])
    const [first, second] = [await user("w1@x"), await user("w2@x")]
    const makers = [first, second]
    const making = atOnce(database, "workspaces").map((node, i) => new Workspaces(node).create("same", makers[i]!))
    expect(await outcomes(making)).toEqual(["conflict", "done"])
    const made = (await new Workspaces(database).list()).find(({ name }) => name === "same")!
    expect(made.member_ids).toHaveLength(1)
  })

  test("everybody stays in a workspace", async () => {
    const id = await user("leaving@x")
    const other = await new Workspaces(database).create("other", id)
    const rooms = [workspaceId, other.id]
    const nodes = atOnce(database, "memberships")
    const leaving = nodes.map((node, i) => new Workspaces(node).removeMember(rooms[i]!, id))
    expect(await outcomes(leaving)).toEqual(["conflict", "done"])
    expect(await new Workspaces(database).of(id)).toHaveLength(1)
  })

  test("a session acts in no workspace that its user was removed from meanwhile", async () => {
    const id = await user("session@x")
    const second = await new Workspaces(database).create("second", id)
    const workspaces = new Workspaces(database)
    const slow = pausing(database, "memberships", () => workspaces.removeMember(workspaceId, id))
    await new Sessions(slow, workspaces).open(id, { userAgent: "", address: "" })
    await Bun.sleep(100) // the removal may have waited for the session
    const sessions = await database.selectFrom("sessions").select("workspace_id").where("user_id", "=", id).execute()
    expect(sessions.filter(({ workspace_id }) => workspace_id !== second.id)).toEqual([])
  })

  test("an invitation makes one user", async () => {
    const workspaces = new Workspaces(database)
    const { token } = await workspaces.invite({ email: "guest@x", role: "member", workspaceId }, "user_1")
    const nodes = atOnce(database, "users")
    const accepting = nodes.map(node => new Workspaces(node).accept(token, { password: PASSWORD }, new Users(node)))
    expect(await outcomes(accepting)).toEqual(["conflict", "done"])
  })

  test("changes of different settings both hold", async () => {
    const { id } = await new ApiKeys(database).create(workspaceId, { name: "before" })
    const [here, there] = atOnce(database, "api_keys") as [Database, Database]
    await Promise.all([
      new ApiKeys(here).change(id, { scopes: ["search"] }),
      new ApiKeys(there).change(id, { name: "after" }),
    ])
    expect(await new ApiKeys(database).get(id)).toMatchObject({ name: "after", scopes: ["search"] })
    const room = await new Workspaces(database).create("plain", await user("settings@x"))
    const [renaming, enforcing] = atOnce(database, "workspaces") as [Database, Database]
    await Promise.all([
      new Workspaces(renaming).change(room.id, { name: "renamed" }),
      new Workspaces(enforcing).change(room.id, { enforce_redaction: true }),
    ])
    expect(await new Workspaces(database).get(room.id)).toMatchObject({ name: "renamed", enforce_redaction: true })
  })
})

describe.skipIf(!url)("two nodes at once:", () => {
  test("make one cluster", async () => {
    const made = await Promise.all(atOnce(database, "cluster").map(node => openCluster(node, "x".repeat(32))))
    expect(new Set(made.map(({ clusterId }) => clusterId)).size).toBe(1)
    expect(await database.selectFrom("cluster").select("id").execute()).toHaveLength(1)
  })

  test("start a run once under an Idempotency-Key", async () => {
    const repetition = { workspaceId, operation: "run", key: "run-1", hash: "h" } as const
    const nodes = atOnce(database, "idempotent_answers")
    const ids = await Promise.all(
      nodes.map(node =>
        new Idempotency(node).once(
          repetition,
          () => new RunStore(node, { id: "node_1" }).insert(newRun(), repetition),
          async noted => noted,
        ),
      ),
    )
    expect(new Set(ids).size).toBe(1)
    expect(await database.selectFrom("agent_runs").select("id").execute()).toHaveLength(1)
  })
})

const newRun = () => ({
  view: wholeOf(workspaceId),
  endUser: null,
  keyId: "key_1",
  described: {
    task: "t",
    model: "m",
    request: { tools: [], file_ids: [], context_id: null, max_steps: 1, output_schema: null, redaction: false },
    additionalMetadata: {},
    nerCount: 0,
  } as unknown as Guarded<never>,
  startedAt: new Date(),
  deadlineAt: new Date(),
})
