/** What a link shows, and whether it still does, on both databases: two nodes over one of them are the same. */
import { beforeAll, expect, test } from "bun:test"
import { Holders } from "../../../src/access/holders.ts"
import { ApiKeys, ensureWorkspace } from "../../../src/access/keys.ts"
import { Links } from "../../../src/access/links.ts"
import type { Principal } from "../../../src/access/principal.ts"
import { ScopedTokens } from "../../../src/access/scoped-tokens.ts"
import { usersAdd } from "../../../src/access/users.ts"
import { wholeOf } from "../../../src/access/view.ts"
import { chunkDocument } from "../../../src/ingest/chunk.ts"
import { DocumentBuilder } from "../../../src/ingest/formats/document-builder.ts"
import { JobQueue } from "../../../src/jobs/queue.ts"
import { Library } from "../../../src/library/library.ts"
import { LinkedFiles } from "../../../src/library/linked-files.ts"
import { register } from "../../../src/library/register.ts"
import { insertChunks, markStaged, publishGenerations, reserve } from "../../../src/storage/chunks.ts"
import type { Database } from "../../../src/storage/database.ts"
import { secretNamed } from "../../../src/storage/secrets.ts"
import { onBoth } from "./sides.ts"

const PAGES = 40
/** Several slices a page: each sentence names its page. */
const sentencesOf = (page: number): string[] =>
  Array.from({ length: 30 }, (_, i) => `Sentence ${i + 1} of page ${page} tells of the harbour and its boats.`)

let text = ""
const builder = new DocumentBuilder(piece => {
  text += piece
})
for (let page = 1; page <= PAGES; page++) {
  builder.at({ page })
  for (const sentence of sentencesOf(page)) builder.add("paragraph", sentence)
}
const document = builder.toDocument(text)
const chunks = chunkDocument(document).map(chunk => ({ ...chunk, text: text.slice(chunk.start, chunk.end) }))

/** What a node makes of the database by itself. */
async function nodeOver(database: Database, address: string) {
  const library = new Library({ database } as never)
  const links = new Links(await secretNamed(database, "links"), () => address)
  const holders = new Holders(database, new ScopedTokens(database))
  const pages = { list: async () => [], png: async () => Promise.reject(new Error("no pictures here")) }
  const linkedFiles = new LinkedFiles({ database, library, links, holders, pages })
  const open = async (url: string) => {
    const link = links.open(new URL(url).pathname + new URL(url).search)
    if (typeof link === "string") return link
    try {
      return (await linkedFiles.text(await linkedFiles.open(link))) ?? "empty"
    } catch (error) {
      return (error as { code: string }).code
    }
  }
  return { links, linkedFiles, open }
}

onBoth(open => {
  let database: Database
  let workspaceId: string
  let fileId: string
  let [a, b] = [] as unknown as Awaited<ReturnType<typeof nodeOver>>[]

  beforeAll(async () => {
    database = await open()
    workspaceId = await ensureWorkspace(database)
    const labels = { contextId: null, tags: [], metadata: {}, onDuplicate: "keep_both" as const }
    const stored = { size: 1, sha256: "sha", blob: "blob" }
    const file = { name: "harbour.pdf", type: "pdf", mimeType: "application/pdf", stored }
    const { records } = await database
      .transaction()
      .execute(trx => register(trx, new JobQueue(database), { view: wholeOf(workspaceId), labels }, [file] as never))
    fileId = records[0]!.id
    const { generation } = await database
      .selectFrom("files")
      .select("generation")
      .where("id", "=", fileId)
      .executeTakeFirstOrThrow()
    const reserved = await reserve(database, [{ fileId, generation, count: chunks.length }], "node")
    await insertChunks(
      database,
      [{ workspaceId, generation: reserved[0]!, ordinal: 0, chunks }],
      AbortSignal.timeout(60_000),
    )
    await markStaged(database, reserved)
    await database.transaction().execute(trx => publishGenerations(trx, [{ fileId, generation }]))
    await database.updateTable("files").set({ live_generation: generation }).where("id", "=", fileId).execute()
    a = await nodeOver(database, "http://a.example")
    b = await nodeOver(database, "http://b.example")
  })
  const holder = async (): Promise<Principal> => {
    const key = await new ApiKeys(database).create(workspaceId, { name: "test" })
    return { holderId: key.id, workspaceId, view: wholeOf(workspaceId) } as Principal
  }

  test("every passage is shown as it is, with what stands around it on its page and nothing else, by either node", async () => {
    const key = await holder()
    for (const { start, end, place } of chunks) {
      const shown = await b!.open(a!.links.linkTo(key, fileId, { ...place, start, end }))
      if (typeof shown === "string") throw new Error(shown)
      expect(shown.passage).toBe(text.slice(start, end))
      const all = shown.before + shown.passage + shown.after
      expect(new Set(all.match(/of page \d+/g))).toEqual(new Set([`of page ${place.page}`]))
      expect(text).toContain(all)
    }
  })

  test("any stretch of the text is found", async () => {
    const key = await holder()
    for (let start = 0; start < text.length; start += 997) {
      const shown = await a!.open(b!.links.linkTo(key, fileId, { start, end: start + 5 }))
      if (typeof shown === "string") throw new Error(shown)
      const at = text.slice(start, start + 5)
      // A stretch that reaches over the end of a page is shown as far as the page goes.
      if (at.trim()) expect([start, at.startsWith(shown.passage) || at.includes(shown.passage)]).toEqual([start, true])
    }
    const page = await a!.open(a!.links.linkTo(key, fileId, { page: 7 }))
    expect(page).toMatchObject({ passage: "", before: "", goesOnBefore: false })
    expect((page as { after: string }).after).toStartWith(sentencesOf(7)[0]!)
    expect(await a!.open(a!.links.linkTo(key, fileId, { page: PAGES + 1 }))).toBe("empty")
  })

  test("ends at both with its key, its user's membership, and the file", async () => {
    const key = await holder()
    const url = a!.links.linkTo(key, fileId)
    const user = await usersAdd(database, { email: "ada@example.org", password: "correct horse battery", admin: true })
    const ofUser = b!.links.linkTo({ holderId: user.id }, fileId)
    const statuses = async () =>
      [await a!.open(url), await b!.open(ofUser)].map(each => (typeof each === "string" ? each : "shown"))
    expect(await statuses()).toEqual(["shown", "shown"])
    await new ApiKeys(database).change(key.holderId, { context_ids: ["elsewhere"] })
    expect(await statuses()).toEqual(["forbidden", "shown"])
    await new ApiKeys(database).change(key.holderId, { context_ids: null })
    expect(await statuses()).toEqual(["shown", "shown"])
    await new ApiKeys(database).revoke(key.holderId)
    await database.deleteFrom("memberships").where("user_id", "=", user.id).execute()
    expect(await statuses()).toEqual(["forbidden", "forbidden"])
    const last = await holder()
    const gone = a!.links.linkTo(last, fileId)
    await database.deleteFrom("files").where("id", "=", fileId).execute()
    expect([await b!.open(gone), await b!.open(url)]).toEqual(["not_found", "forbidden"])
  })
})
