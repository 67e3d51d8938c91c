/** A web site as a source of the real application: from the source to what is found. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { until } from "../support/until.ts"
import { html, startWebSite, type WebSite } from "../support/web-site.ts"

const page = (title: string, text: string): string =>
  `<title>${title}</title><nav><a href="/">Navigation</a> <a href="/two">Two</a></nav><main><p>${text}</p></main>`

let site: WebSite
let app: TestApp
let client: Client
beforeAll(async () => {
  site = startWebSite({ "/": page("One", "Zirconium is sold here."), "/two": page("Two", "Rhodium is sold here.") })
  app = await startTestApp({ "fetch-allow": site.place })
  client = await app.client()
})
afterAll(async () => {
  await app.stop()
  await site.stop()
})

const synced = async (id: string) => {
  await client.post(`/sources/${id}/sync`, {})
  return until(async () => {
    const { body } = await client.get(`/sources/${id}`)
    return (body.status === "idle" || body.status === "failed") && body.last_sync?.finished_at && body
  })
}
const found = async (query: string): Promise<string[]> =>
  (await client.post("/search", { query, mode: "keyword" })).body.hits.map(
    (hit: { file: { name: string } }) => hit.file.name,
  )

test("pages are found by their main content, change with the site, and go with it", async () => {
  const made = await client.post("/sources", { type: "web", name: "site", config: { url: site.url } })
  expect([made.status, made.body.config]).toEqual([
    201,
    { url: `${site.url}/`, limit: 1_000, include_paths: [], exclude_paths: [] },
  ])
  const { id } = made.body
  expect((await synced(id)).last_sync).toMatchObject({ added: 2, failed: 0 })
  await until(async () => (await found("rhodium")).length > 0)
  expect(await found("zirconium")).toEqual(["One.html"])
  expect(await found("navigation")).toEqual([])
  const { data } = (await client.get("/libraries")).body
  expect(
    data.map(({ url, source }: { url: string; source: { source_id: string } }) => [url, source.source_id]),
  ).toContainEqual([`${site.url}/two`, id])
  site.pages.set("/two", () => html(page("Two", "Osmium is sold here.")))
  expect((await synced(id)).last_sync).toMatchObject({ added: 0, updated: 1, unchanged: 1 })
  await until(async () => (await found("osmium")).length > 0)
  site.pages.delete("/two")
  expect((await synced(id)).last_sync).toMatchObject({ deleted: 1, unchanged: 1 })
  expect(await found("osmium")).toEqual([])
  await site.stop()
  expect(await synced(id)).toMatchObject({ status: "failed" })
  expect(await found("zirconium")).toEqual(["One.html"])
}, 120_000)

test("a site that may not be reached is refused when the source is made", async () => {
  const { status, body } = await client.post("/sources", {
    type: "web",
    name: "metadata",
    config: { url: "http://169.254.169.254/" },
  })
  expect([status, body.error.code]).toEqual([403, "forbidden"])
})
