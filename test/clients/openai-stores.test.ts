/** Files and vector stores with OpenAI's own clients, of npm and of Python. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { createReadStream } from "node:fs"
import { join, resolve } from "node:path"
import { startTestApp, type TestApp } from "../support/app.ts"
import { npmClients, npmPackage, python, runPython } from "./installed.ts"

const DOCUMENTS = resolve(import.meta.dir, "../fixtures/documents")

let app: TestApp
let token: string
beforeAll(async () => {
  app = await startTestApp()
  token = (await app.client()).key.token
})
afterAll(() => app.stop())

/** Every item of a list, by as many pages as it takes. */
async function all<Item>(pages: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of pages) items.push(item)
  return items
}

describe.skipIf(!npmClients)("the npm client", () => {
  // biome-ignore lint/suspicious/noExplicitAny: its types are not there
  let openai: any
  // biome-ignore lint/suspicious/noExplicitAny: the same
  let errors: any
  // biome-ignore lint/suspicious/noExplicitAny: the same
  let toFile: (data: unknown, name: string) => Promise<any>
  beforeAll(async () => {
    const loaded = await npmPackage("openai")
    errors = loaded
    toFile = loaded.toFile
    openai = new loaded.OpenAI({ apiKey: token, baseURL: `${app.url}/v1`, maxRetries: 0 })
  })

  test("uploads a file, waits for it, reads it back and deletes it", async () => {
    const made = await openai.files.create({
      file: createReadStream(join(DOCUMENTS, "lease.pdf")),
      purpose: "user_data",
    })
    expect(made).toMatchObject({ object: "file", filename: "lease.pdf", purpose: "user_data", status: "uploaded" })
    expect(made.created_at).toBeGreaterThan(1_700_000_000)
    const done = await openai.files.waitForProcessing(made.id, { pollInterval: 50 })
    expect(done.status).toBe("processed")
    const bytes = await (await openai.files.content(made.id)).arrayBuffer()
    expect(Buffer.from(bytes).equals(Buffer.from(await Bun.file(join(DOCUMENTS, "lease.pdf")).arrayBuffer()))).toBe(
      true,
    )
    expect(await openai.files.delete(made.id)).toMatchObject({ id: made.id, object: "file", deleted: true })
    const gone = await openai.files.retrieve(made.id).catch((error: unknown) => error)
    expect(gone).toBeInstanceOf(errors.NotFoundError)
  })

  test("is told when a file cannot be read", async () => {
    const made = await openai.files.create({
      file: await toFile(Buffer.from("no pdf"), "broken.pdf"),
      purpose: "assistants",
    })
    const done = await openai.files.waitForProcessing(made.id, { pollInterval: 50 })
    expect(done.status).toBe("error")
    expect(done.status_details).toBeString()
  })

  test("uploads the same bytes twice as two files, of which one may be deleted", async () => {
    const upload = async () =>
      openai.files.create({
        file: await toFile(Buffer.from("The heron nests in March."), "twin.txt"),
        purpose: "assistants",
      })
    const [first, second] = [await upload(), await upload()]
    expect(first.id).not.toBe(second.id)
    await openai.files.delete(first.id)
    expect((await openai.files.retrieve(second.id)).id).toBe(second.id)
  })

  test("lists files page by page in either order, by purpose", async () => {
    const made: string[] = []
    for (let i = 0; i < 5; i++)
      made.push(
        (await openai.files.create({ file: await toFile(Buffer.from(`eval ${i}`), `e${i}.txt`), purpose: "evals" })).id,
      )
    const ids = async (query: object) =>
      (await all<{ id: string }>(openai.files.list({ purpose: "evals", limit: 2, ...query }))).map(({ id }) => id)
    expect(await ids({ order: "asc" })).toEqual(made)
    expect(await ids({})).toEqual(made.toReversed())
    expect(await ids({ order: "asc", after: made[2] })).toEqual(made.slice(3))
    expect((await all(openai.files.list({ purpose: "fine-tune" }))).length).toBe(0)
  })

  test("puts a file into a store and waits until it can be found there", async () => {
    const store = await openai.vectorStores.create({ name: "Leases", metadata: { team: "harbor" } })
    expect(store).toMatchObject({
      object: "vector_store",
      name: "Leases",
      metadata: { team: "harbor" },
      status: "completed",
    })
    const file = await openai.vectorStores.files.uploadAndPoll(
      store.id,
      createReadStream(join(DOCUMENTS, "lease.docx")),
    )
    expect(file).toMatchObject({
      object: "vector_store.file",
      status: "completed",
      vector_store_id: store.id,
      last_error: null,
    })
    const found = await openai.vectorStores.search(store.id, { query: "Who waters the ficus in the attic?" })
    expect(found.data[0]).toMatchObject({ file_id: file.id, filename: "lease.docx" })
    expect(found.data[0].content[0].text).toContain("attic")
    const [page] = await all<{ type: string; text: string }>(
      openai.vectorStores.files.content(file.id, { vector_store_id: store.id }),
    )
    expect(page!.text).toContain("attic")
    expect(await openai.vectorStores.retrieve(store.id)).toMatchObject({
      file_counts: { in_progress: 0, completed: 1, failed: 0, cancelled: 0, total: 1 },
      usage_bytes: Bun.file(join(DOCUMENTS, "lease.docx")).size,
    })
  })

  test("puts several files into a store, those that cannot be read too, and filters by their attributes", async () => {
    const store = await openai.vectorStores.create({ name: "Rents" })
    const files = ["lease.txt", "rents.csv", "lease.md"].map(name => createReadStream(join(DOCUMENTS, name)))
    const batch = await openai.vectorStores.fileBatches.uploadAndPoll(store.id, {
      files: [...files, await toFile(Buffer.from("no pdf"), "broken.pdf")],
    })
    expect(batch).toMatchObject({
      status: "completed",
      file_counts: { completed: 3, failed: 1, in_progress: 0, total: 4 },
    })
    const listed = await all<{ id: string; status: string }>(
      openai.vectorStores.fileBatches.listFiles(batch.id, { vector_store_id: store.id, filter: "completed", limit: 1 }),
    )
    expect(listed.length).toBe(3)
    await openai.vectorStores.files.update(listed[0]!.id, { vector_store_id: store.id, attributes: { year: 2026 } })
    const search = async (filters: object) => {
      const { data } = await openai.vectorStores.search(store.id, { query: "rent of the attic", filters })
      return [...new Set(data.map((hit: { file_id: string }) => hit.file_id))]
    }
    expect(await search({ type: "eq", key: "year", value: 2026 })).toEqual([listed[0]!.id])
    expect(await search({ type: "and", filters: [{ type: "gt", key: "year", value: 2026 }] })).toEqual([])
    expect(await search({ type: "ne", key: "year", value: 2026 })).not.toContain(listed[0]!.id)
  })

  test("takes a file out of a store and deletes the store: the file stays", async () => {
    const store = await openai.vectorStores.create({})
    const file = await openai.files.create({
      file: await toFile(Buffer.from("A gate."), "gate.txt"),
      purpose: "assistants",
    })
    const where = { vector_store_id: store.id }
    await openai.vectorStores.files.createAndPoll(store.id, { file_id: file.id, attributes: { kind: "gate" } })
    expect((await openai.vectorStores.files.retrieve(file.id, where)).attributes).toEqual({ kind: "gate" })
    await openai.vectorStores.files.delete(file.id, where)
    expect((await all(openai.vectorStores.files.list(store.id))).length).toBe(0)
    await openai.vectorStores.files.create(store.id, { file_id: file.id })
    expect((await openai.vectorStores.update(store.id, { name: "Gates" })).name).toBe("Gates")
    expect(await openai.vectorStores.delete(store.id)).toMatchObject({ id: store.id, deleted: true })
    expect((await openai.files.retrieve(file.id)).id).toBe(file.id)
    const gone = await openai.vectorStores.retrieve(store.id).catch((error: unknown) => error)
    expect(gone).toBeInstanceOf(errors.NotFoundError)
  })

  test("lists stores page by page, forward and back", async () => {
    const made: string[] = []
    for (let i = 0; i < 3; i++) made.push((await openai.vectorStores.create({ name: `store ${i}` })).id)
    const ids = (await all<{ id: string }>(openai.vectorStores.list({ limit: 1 }))).map(({ id }) => id)
    expect(ids.slice(0, 3)).toEqual(made.toReversed())
    expect(new Set(ids).size).toBe(ids.length)
    const { data } = await openai.vectorStores.list({ before: made[0], limit: 1 })
    expect(data.map(({ id }: { id: string }) => id)).toEqual([made[1]])
  })
})

test.skipIf(!python)(
  "the Python client does the same",
  async () => {
    const told = await runPython("stores.py", { BASE_URL: `${app.url}/v1`, TOKEN: token, DOCUMENTS })
    expect(told).toEqual({
      status: "processed",
      store: "completed",
      batch: [2, 0],
      found: "lease.pdf",
      filtered: ["lease.pdf"],
      kept: "lease.pdf",
      missing: [404, "not_found"],
    })
  },
  60_000,
)
