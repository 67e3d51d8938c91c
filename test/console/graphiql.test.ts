/** GraphiQL opens from the daemon alone, reads the schema and answers queries, as the console's session or with a key. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Console, hasBrowser, SLOW_MS, startConsole } from "./console.ts"

describe.skipIf(!hasBrowser)("GraphiQL", () => {
  let console_: Console
  beforeAll(async () => {
    console_ = await startConsole()
    const client = await console_.app.client()
    await client.index([{ name: "lease.txt", data: "The lease ends with a notice of 90 days." }])
  }, SLOW_MS)
  afterAll(() => console_?.stop())

  const run = async (page: Awaited<ReturnType<Console["open"]>>) => {
    await page.locator(".graphiql-query-editor").getByText("totalCount").waitFor() // there is something to execute
    await page.getByRole("button", { name: /execute query/i }).click()
    return page.locator(".graphiql-response")
  }

  test(
    "answers a query of who is signed in, and shows the schema, with nothing from elsewhere",
    async () => {
      const page = await console_.enter()
      await page.goto(`${console_.app.url}/graphql`)
      const response = await run(page)
      await response.getByText("lease.txt").waitFor()
      await page.getByRole("button", { name: /documentation explorer/i }).click()
      await page.getByRole("link", { name: "Query", exact: true }).click()
      await page.getByText("Passages that answer a query").waitFor()
      if (Bun.env.SCREENSHOTS) await page.screenshot({ path: `${Bun.env.SCREENSHOTS}/graphiql.png` })
      expect(console_.complaints).toEqual([])
      await console_.closePages()
    },
    SLOW_MS,
  )

  test(
    "says that somebody without a session needs a key",
    async () => {
      const page = await console_.open()
      await page.goto(`${console_.app.url}/graphql`)
      const response = await run(page)
      await response.getByText("unauthorized").first().waitFor()
      expect(console_.complaints.filter(text => !text.includes("401"))).toEqual([])
      console_.complaints.length = 0
      await console_.closePages()
    },
    SLOW_MS,
  )
})

test("its files carry a policy under which nothing comes from elsewhere", async () => {
  const { startTestApp } = await import("../support/app.ts")
  const app = await startTestApp()
  try {
    const page = await fetch(`${app.url}/graphql`, { headers: { accept: "text/html" } })
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html;charset=utf-8"])
    const policy = page.headers.get("content-security-policy")!
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/)
    const [script] = /\/graphql\/assets\/[\w-]+\.js/.exec(await page.text())!
    const asset = await fetch(app.url + script)
    expect([asset.status, asset.headers.get("content-security-policy")]).toEqual([200, policy])
    expect((await fetch(`${app.url}/graphql/assets/nothing.js`)).status).toBe(404)
  } finally {
    await app.stop()
  }
}, 60_000)
