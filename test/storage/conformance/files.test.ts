/** Lists of files, what an upload finds to be there already, and the counter that searches go by, on both databases. */

import { beforeAll, describe, expect, test } from "bun:test"
import { ensureWorkspace } from "../../../src/access/keys.ts"
import { wholeOf } from "../../../src/access/view.ts"
import { JobQueue } from "../../../src/jobs/queue.ts"
import { FileList, type FileListRequest } from "../../../src/library/file-list.ts"
import { foldName } from "../../../src/library/labels.ts"
import { register } from "../../../src/library/register.ts"
import type { Database } from "../../../src/storage/database.ts"
import type { FileStatus } from "../../../src/storage/files.ts"
import { LibraryAccess } from "../../../src/tools/library-access.ts"
import { onBoth } from "./sides.ts"

interface Sample {
  name: string
  type: string
  size: number
  status: FileStatus
  tags: string[]
  context?: string
}

const FILES: Sample[] = [
  { name: "Äpfel.txt", type: "txt", size: 5, status: "searchable", tags: ["obst", "grün"] },
  { name: "apfel_100%.txt", type: "txt", size: 50, status: "searchable", tags: ["obst"], context: "ctx" },
  { name: "Zebra.pdf", type: "pdf", size: 500, status: "failed", tags: [] },
  { name: "zebra 2.pdf", type: "pdf", size: 7, status: "queued", tags: ["a\0b", 'quo"te'], context: "ctx" },
  { name: "Ωmega.md", type: "md", size: 1_500_000_000_000, status: "indexing", tags: ["GRÜN", "back\\slash"] },
  { name: "日本語.md", type: "md", size: 7, status: "searchable", tags: ["日本"] },
]

const uploads = (samples: Sample[]) =>
  samples.map(({ name, type, size }, i) => ({
    name,
    type,
    mimeType: "text/plain",
    stored: { size, sha256: `sha-${name}`, blob: `blob-${name}-${i}` },
  }))

async function fill(database: Database, workspaceId: string): Promise<void> {
  const queue = new JobQueue(database)
  for (const [i, sample] of FILES.entries()) {
    const labels = {
      contextId: sample.context ?? null,
      tags: sample.tags,
      metadata: {},
      onDuplicate: "keep_both" as const,
    }
    await database.transaction().execute(async trx => {
      const { records } = await register(trx, queue, { view: wholeOf(workspaceId), labels }, uploads([sample]) as never)
      const at = `2026-01-0${i + 1}T00:00:00.000Z`
      await trx
        .updateTable("files")
        .set({ status: sample.status, created_at: at, updated_at: at })
        .where("id", "=", records[0]!.id)
        .execute()
    })
  }
}

onBoth(open => {
  let database: Database
  let workspaceId: string
  beforeAll(async () => {
    database = await open()
    workspaceId = await ensureWorkspace(database)
    await fill(database, workspaceId)
    await fill(database, await ensureWorkspace(database, "other"))
  })
  const page = async (request: Partial<FileListRequest> = {}) => {
    const whole = { sort: "created_at", order: "asc", page: 1, pageSize: 10, ...request } as const
    const { data, total } = await new FileList(database).page(wholeOf(workspaceId), whole)
    expect(total).toBe(request.page || request.pageSize ? FILES.length : data.length)
    return data.map(({ name }) => name)
  }
  const NAMES = FILES.map(({ name }) => name)
  const named = (...at: number[]) => at.map(each => NAMES[each]!)

  test("files are listed by each field in both directions, letters by their code points", async () => {
    expect(await page()).toEqual(NAMES)
    expect(await page({ order: "desc" })).toEqual(NAMES.toReversed())
    expect(await page({ sort: "name" })).toEqual(named(1, 3, 2, 0, 4, 5))
    expect(await page({ sort: "size" })).toEqual(named(0, 3, 5, 1, 2, 4))
    expect(await page({ sort: "size", order: "desc" })).toEqual(named(4, 2, 1, 5, 3, 0))
    expect(await page({ sort: "status" })).toEqual(named(2, 4, 3, 0, 1, 5))
    expect(await page({ page: 2, pageSize: 4 })).toEqual(named(4, 5))
    expect(await page({ page: 3, pageSize: 4 })).toEqual([])
  })

  const FILTERS: [string, Partial<FileListRequest>, number[]][] = [
    ["a part of the name, whatever its case, with umlauts", { name: "ÄPF" }, [0]],
    ["a part of the name in Greek capitals", { name: "ωMEGA" }, [4]],
    ["a part of the name in Japanese", { name: "本" }, [5]],
    ["signs that patterns know", { name: "100%" }, [1]],
    ["an underscore", { name: "_" }, [1]],
    ["nothing that is in a name", { name: "%a" }, []],
    ["a zero", { name: "\0" }, []],
    ["status", { status: ["failed", "queued"] }, [2, 3]],
    ["type", { types: ["md"] }, [4, 5]],
    ["a type that no text can be", { types: ["m\0d"] }, []],
    ["one of several tags", { tags: ["grün", "日本"] }, [0, 5]],
    ["a tag with a zero in it", { tags: ["a\0b"] }, [3]],
    ["a tag with quotes, and one with a backslash", { tags: ['quo"te', "back\\slash"] }, [3, 4]],
    ["a tag in another case", { tags: ["Grün"] }, []],
    ["context", { contextId: "ctx" }, [1, 3]],
    ["time", { createdAfter: "2026-01-02T00:00:00.000Z", createdBefore: "2026-01-05T00:00:00.000Z" }, [2, 3]],
    ["all at once", { types: ["txt"], tags: ["obst"], contextId: "ctx", status: ["searchable"], name: "pf" }, [1]],
  ]
  describe("a list is narrowed by", () => {
    for (const [what, filter, expected] of FILTERS)
      test(what, async () => expect(await page(filter)).toEqual(named(...expected)))
  })

  test("a total follows what is written", async () => {
    const own = await ensureWorkspace(database, "counted")
    const list = new FileList(database)
    const total = async () =>
      (await list.page(wholeOf(own), { sort: "name", order: "asc", page: 1, pageSize: 1 })).total
    const counts = [await total()]
    await fill(database, own)
    counts.push(await total(), await total())
    await database.deleteFrom("files").where("workspace_id", "=", own).where("type", "=", "md").execute()
    counts.push(await total())
    expect(counts).toEqual([0, 6, 6, 4])
  })

  test("agents find files by a part of the name", async () => {
    const access = new LibraryAccess({ database, library: {} as never })
    const { files, total } = await access.list(wholeOf(workspaceId), { name: "PFEL", limit: 1 })
    expect([files.map(({ name }) => name), total]).toEqual([["apfel_100%.txt"], 2])
  })

  test("an upload finds what is there by name, context and bytes, and a new version keeps the id", async () => {
    const own = await ensureWorkspace(database, "uploads")
    const queue = new JobQueue(database)
    const upload = (onDuplicate: "return_existing" | "replace" | "keep_both", contextId: string | null, sha = "") =>
      database.transaction().execute(trx => {
        const labels = { contextId, tags: [], metadata: {}, onDuplicate }
        const files = uploads(FILES.slice(0, 3)).map(file => ({
          ...file,
          stored: { ...file.stored, sha256: file.stored.sha256 + sha },
        }))
        return register(trx, queue, { view: wholeOf(own), labels }, files as never)
      })
    const ids = ({ records }: Awaited<ReturnType<typeof upload>>) => records.map(({ id }) => id)
    const first = await upload("return_existing", null)
    const again = await upload("return_existing", null)
    expect(ids(again)).toEqual(ids(first))
    expect(again.records.every(({ duplicate }) => duplicate)).toBe(true)
    const elsewhere = await upload("return_existing", "ctx")
    expect(ids(elsewhere)).not.toEqual(ids(first))
    const otherBytes = await upload("return_existing", null, "2")
    expect(ids(otherBytes).filter(id => ids(first).includes(id))).toEqual([])
    const replaced = await upload("replace", null, "3")
    expect(ids(replaced)).toEqual(ids(otherBytes)) // the newest of a name
    const rows = await database.selectFrom("files").select(["generation"]).where("id", "in", ids(replaced)).execute()
    expect(rows.map(({ generation }) => generation)).toEqual([2, 2, 2])
    expect(await queue.count("index_file")).toBeGreaterThanOrEqual(9)
  })

  test("the counter of a workspace moves with each change that a search could see, and with no other", async () => {
    const [own, other] = [await ensureWorkspace(database, "counter"), await ensureWorkspace(database, "still")]
    const counter = async (id = own) => {
      const row = await database
        .selectFrom("library_changes")
        .select("counter")
        .where("workspace_id", "=", id)
        .executeTakeFirst()
      return row?.counter ?? 0
    }
    await fill(database, other)
    const before = await counter(other)
    const moved: boolean[] = []
    let last = await counter()
    const step = async (work: () => Promise<unknown>) => {
      await work()
      const now = await counter()
      moved.push(now > last)
      last = now
    }
    const change = (values: object) => () =>
      database.updateTable("files").set(values).where("workspace_id", "=", own).execute()
    await step(() => fill(database, own))
    await step(change({ progress: 0.5, stage: "embedding" }))
    await step(change({ status: "searchable" }))
    await step(change({ status: "searchable" }))
    await step(change({ context_id: null }))
    await step(change({ context_id: "x" }))
    await step(change({ live_generation: 1 }))
    await step(change({ metadata: '{"a":1}' }))
    await step(() => database.deleteFrom("files").where("workspace_id", "=", own).execute())
    expect(moved).toEqual([true, false, true, false, true, true, true, true, true])
    expect(await counter(other)).toBe(before)
  })

  test("names are folded before they are compared", () => expect(foldName("ÄPF")).toBe("äpf"))
})
