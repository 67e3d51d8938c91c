/** Where hits say that they stand: the section of the best matching sentence, from the upload to the citation. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Client, startTestApp, type TestApp } from "../../support/app.ts"
import { dataOf, readEvents } from "../../support/events.ts"
import { writeBeside } from "../../support/write-beside.ts"

/** Short sections, which are joined into one passage. */
const HANDBOOK = `# House rules

## Arrival

Guests receive a badge.

## Parking

Bicycles stand in the shed, motor cars in the yard.

## Quiet hours

Nobody plays the trombone after ten.

## Laundry

The machines take tokens, which the porter sells.
`

let app: TestApp
let api: Client
let file: string

beforeAll(async () => {
  app = await startTestApp()
  api = await app.client()
  const [record] = await api.index([{ name: "handbook.md", data: HANDBOOK }])
  file = record.id
}, 60_000)
afterAll(() => app.stop())

const best = async (query: string, more: object = {}) =>
  (await api.post("/search", { query, limit: 1, ...more })).body.hits[0]

test("the sections are one passage, whose text is exactly the slice at start and end", async () => {
  const { body } = await api.post("/search", { query: "guests bicycles trombone porter", mode: "keyword" })
  expect(body.total).toBe(1)
  const { text, position } = body.hits[0]
  expect(text).toContain("Arrival")
  expect(text).toContain("porter")
  expect(text).toBe(HANDBOOK.slice(position.start, position.end))
})

const asked: [query: string, section: string][] = [
  ["who receives a badge", "Arrival"],
  ["where do motor cars stand", "Parking"],
  ["trombone after ten", "Quiet hours"],
  ["laundry", "Laundry"],
  ["who sells tokens for the machines", "Laundry"],
]
for (const [query, section] of asked)
  for (const mode of ["keyword", "hybrid", "semantic"])
    test(`"${query}" stands under "${section}" (${mode})`, async () => {
      expect((await best(query, { mode })).position).toMatchObject({ section, page: null, slide: null, sheet: null })
    })

test("words that stand in several sections count by how rare they are, the first of equals wins", async () => {
  expect((await best("the the the trombone")).position.section).toBe("Quiet hours")
  expect((await best("guests porter")).position.section).toBe("Arrival")
})

test("a hit that shares no word with the query names the section nearest in meaning", async () => {
  const { text, position } = await best("automobile", { mode: "semantic" })
  expect(text).not.toContain("automobile")
  expect(position.section).toBe("Parking")
})

test("what hangs on a mail, and a message of a mailbox, stand there under their names", async () => {
  const [mail, box] = await api.index([
    { name: "letter.eml", data: readFileSync("test/fixtures/documents/letter.eml") },
    { name: "letters.mbox", data: readFileSync("test/fixtures/documents/letters.mbox") },
  ])
  const inMail = (query: string, id: string) => best(query, { filters: { file_ids: [id] } })
  expect((await inMail("attic rent 310", mail.id)).position).toMatchObject({ member: "rents.csv" })
  expect((await inMail("waters the ficus", mail.id)).position).toMatchObject({
    member: null,
    section: "Lease of the attic",
  })
  expect((await inMail("Thursday no water", box.id)).position).toMatchObject({ member: "Lease of the attic (2).eml" })
})

test("chat sources and citations stand there too", async () => {
  const message = "Who sells tokens for the machines?"
  const answer = await api.raw("POST", "/conversations", { model: "builtin/extractive", message, file_ids: [file] })
  const events = await readEvents(answer)
  expect(dataOf(events, "sources").sources[0].position.section).toBe("Laundry")
  expect(dataOf(events, "message_completed").citations[0].position.section).toBe("Laundry")
})

test("passages of an index made before keep the first section and are found", async () => {
  // What a former version left: no places within passages.
  await writeBeside(app.data, "update chunks set sections = null")
  expect((await best("who sells tokens for the machines")).position.section).toBe("Arrival")
})

test.each([
  ["talk.pptx", "what does the ficus need", { slide: 1, page: null, sheet: null }],
  ["lease.pdf", "who waters the ficus on Thursdays", { page: 1, slide: null, sheet: null }],
  ["rents.xlsx", "rent of the attic", { page: null, slide: null }],
])("of %s a hit names the page, slide or sheet of its sentence", async (name, query, place) => {
  const data = readFileSync(join(import.meta.dir, "../../fixtures/documents", name))
  const [record] = await api.index([{ name, data }])
  const hit = await best(query, { filters: { file_ids: [record.id] } })
  expect(hit.position).toMatchObject(place)
  if (name === "rents.xlsx") expect(hit.position.sheet).toBeString()
  const text = (await api.get(`/libraries/${record.id}/text`)).body as string
  expect(text.slice(hit.position.start, hit.position.end)).toBe(hit.text)
})
