import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test"
import { setLogLevel } from "../../src/log.ts"
import { type Client, startTestApp } from "../support/app.ts"
import { until } from "../support/until.ts"
import { writeZip } from "./formats/zip-writer.ts"
import { SmallFiles } from "./small-files.ts"

setLogLevel("error")
setDefaultTimeout(60_000) // a commit takes long where others keep the disk busy

let files: SmallFiles | undefined
afterEach(async () => {
  await files?.close()
  files = undefined
})

const row = (id: string) =>
  files!.library.db.selectFrom("files").selectAll().where("id", "=", id).executeTakeFirstOrThrow()

const searchable = async (...ids: string[]) => {
  for (const id of ids) await until(async () => (await files!.status(id)) === "searchable")
}

describe("a group of small files", () => {
  test("shares its commits: twenty files take as many versions of the vectors as one", async () => {
    let versions = 0
    const reached = (point: string) => {
      if (point === "vectors written") versions++
    }
    files = await SmallFiles.open({ reached })
    await files.put(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`file_${i}`, `Bird number word${i}.`])))
    files.start()
    await files.settled()
    expect(versions).toBe(1)
    for (let i = 0; i < 20; i++) expect(await files.find(`word${i}`)).toEqual([`Bird number word${i}.`])
  })

  test("and one alone are done after nineteen deaths of the daemon, and given up after twenty", async () => {
    files = await SmallFiles.open()
    const size = 70_000 // of the ordinary lane
    await files.put({
      quick_19: "The heron stands.",
      quick_20: "The crane.",
      alone_19: "The otter.".padEnd(size),
      alone_20: "The egret.".padEnd(size),
    })
    for (const died of [19, 20])
      await files.library.db
        .updateTable("jobs")
        .set({ interruptions: died })
        .where("subject", "like", `%${died}`)
        .execute()
    files.start()
    await files.settled()
    for (const id of ["quick_19", "alone_19"])
      expect(await row(id)).toMatchObject({ status: "searchable", attempts: 1 })
    for (const id of ["quick_20", "alone_20"])
      expect(await row(id)).toMatchObject({ status: "failed", error_code: "internal_error" })
  })

  test("does not wait to be full: a file alone is indexed at once", async () => {
    files = await SmallFiles.open()
    files.start()
    await files.put({ file_a: "The heron stands." })
    await files.settled()
    expect(await files.find("heron")).toHaveLength(1)
  })

  test("loses one that cannot be read, and one that is not quick goes on alone", async () => {
    files = await SmallFiles.open()
    await files.put({ file_a: "The heron stands.", file_b: "BROKEN", file_c: "SLOW otter.", file_d: "The crane." })
    files.start()
    await searchable("file_a", "file_c", "file_d")
    expect(files.alone).toEqual(["file_c.txt"])
    expect((await row("file_c")).attempts).toBe(1) // the try in the other lane did not count
    for (const word of ["heron", "otter", "crane"]) expect(await files.find(word)).toHaveLength(1)
    expect(await files.find("BROKEN")).toEqual([])
    const [job] = await files.library.db.selectFrom("jobs").selectAll().execute()
    expect(job).toMatchObject({ subject: "file_b", attempts: 1 })
    expect(job!.last_error).toContain("this reader fails")
  })

  test("is taken apart when it cannot be written: one that spoils it spoils itself alone", async () => {
    files = await SmallFiles.open({}, library => ({
      index: Object.assign(Object.create(library.index), {
        stageTogether(wanted: { fileId: string }[], ...rest: unknown[]) {
          if (wanted.some(({ fileId }) => fileId === "file_b")) throw new Error("a passage that no store takes")
          return (library.index.stageTogether as (...all: unknown[]) => unknown)(wanted, ...rest)
        },
        stage(file: { id: string }, ...rest: unknown[]) {
          if (file.id === "file_b") throw new Error("a passage that no store takes")
          return (library.index.stage as (...all: unknown[]) => unknown)(file, ...rest)
        },
      }),
    }))
    await files.put({ file_a: "The heron stands.", file_b: "The otter.", file_c: "The crane." })
    files.start()
    await searchable("file_a", "file_c")
    expect(await files.status("file_b")).toBe("queued")
    expect(await files.find("otter")).toEqual([])
  })

  test("leaves out a file that was deleted, and one that was replaced, while it was being written", async () => {
    let meanwhile = async () => {}
    files = await SmallFiles.open({}, library => ({
      index: Object.assign(Object.create(library.index), {
        async stageTogether(...all: unknown[]) {
          const staged = await (library.index.stageTogether as (...all: unknown[]) => unknown)(...all)
          await meanwhile()
          return staged
        },
      }),
    }))
    meanwhile = async () => {
      meanwhile = async () => {}
      const { library, queue } = files!
      await library.db.deleteFrom("jobs").where("subject", "=", "file_b").execute()
      await library.remove("file_b")
      await files!.put({ file_c: "The badger." })
      queue.announce()
    }
    await files.put({ file_a: "The heron.", file_b: "The otter.", file_c: "The crane." })
    files.start()
    await files.settled()
    expect(await files.find("heron")).toHaveLength(1)
    for (const gone of ["otter", "crane"]) expect(await files.find(gone)).toEqual([])
    expect(await files.find("badger")).toEqual(["The badger."])
    await files.library.index.sweep()
    expect(await files.library.index.check()).toEqual({ problems: [] })
  })
})

describe("an upload of many small files", () => {
  test("with damaged ones among them indexes all others, each with its own reason, text and passages", async () => {
    const app = await startTestApp()
    try {
      const client = await app.client()
      const good = Array.from({ length: 150 }, (_, i) => smallFile(i))
      const bad = [
        { name: "cut.docx", data: "PK\u0003\u0004 cut off", codes: ["corrupt_file"] },
        { name: "blank.txt", data: "  \n\n ", codes: ["no_text"] },
        { name: "noise.xlsx", data: crypto.getRandomValues(new Uint8Array(3_000)), codes: ["corrupt_file"] },
        { name: "empty.html", data: "<html><body></body></html>", codes: ["no_text"] },
      ]
      const mixed = good.flatMap((file, i) => (i % 40 === 7 ? [file, bad[(i - 7) / 40]!] : [file]))
      const { body } = await client.upload(mixed)
      const records = await Promise.all(body.files.map(({ id }: { id: string }) => client.settled(id)))
      for (const { name, codes } of bad) {
        const record = records.find(file => file.name === name)
        expect([name, record.status, codes.includes(record.error?.code)]).toEqual([name, "failed", true])
      }
      for (const i of [0, 1, 2, 48, 149]) await expectFound(client, records, i)
      expect(records.filter(({ status }) => status === "searchable")).toHaveLength(good.length)
      const { body: waiting } = await client.get("/libraries?status=queued,indexing")
      expect(waiting.pagination.total_items).toBe(0)
    } finally {
      await app.stop()
    }
  }, 120_000)

  test("holds a small archive that unpacks to much: it goes on in the ordinary lane and is found", async () => {
    const app = await startTestApp()
    try {
      const client = await app.client()
      const text = `<p>${"The pelican fishes in the bay. ".repeat(20_000)}</p>`
      const xml = `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>${text.slice(3, -4)}</w:t></w:r></w:p></w:body></w:document>`
      const docx = writeZip([
        {
          name: "[Content_Types].xml",
          content: '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        },
        { name: "word/document.xml", content: xml },
      ])
      expect(docx.length).toBeLessThan(60_000)
      const [large, small] = await client.index([
        { name: "pelican.docx", data: docx },
        { name: "gull.txt", data: "A gull cries." },
      ])
      expect([large.status, small.status]).toEqual(["searchable", "searchable"])
      expect(large.character_count).toBeGreaterThan(500_000)
      expect(large.attempts).toBe(1)
    } finally {
      await app.stop()
    }
  }, 60_000)
})

const smallFile = (i: number) =>
  [
    { name: `note-${i}.txt`, data: `The note speaks of word${i}x.\n\nIt says no more.` },
    { name: `page-${i}.md`, data: `# Page ${i}\n\nThe page speaks of word${i}x.` },
    { name: `data-${i}.json`, data: JSON.stringify([{ id: i, body: `The record speaks of word${i}x.` }]) },
  ][i % 3]!

async function expectFound(client: Client, records: { id: string; name: string }[], i: number): Promise<void> {
  const { body } = await client.post("/search", { query: `word${i}x`, mode: "keyword", limit: 5 })
  const id = records.find(({ name }) => name === smallFile(i).name)!.id
  expect(body.hits.map((hit: { file: { id: string } }) => hit.file.id)).toEqual([id])
  const text = await (await client.raw("GET", `/libraries/${id}/text`)).text()
  const { position, text: passage } = body.hits[0]
  expect(text.slice(position.start, position.end)).toBe(passage)
}
