/** What sites tell crawlers, where it costs more than it says. */
import { expect, test } from "bun:test"
import { rulesOf } from "../../../src/sources/connectors/web/rules.ts"

const rulesFrom = (robots: string) =>
  rulesOf({ fetch: async () => new Response(robots) }, "http://site.test", new AbortController().signal)

test("an address that rules with wildcards take too long to judge is not allowed, and others are judged", async () => {
  const hostile = await rulesFrom(`User-agent: *\n${`Disallow: /${"*a".repeat(80)}b$\n`.repeat(2_000)}`)
  expect(hostile.allows(`http://site.test/${"a".repeat(900)}`)).toBe(false)
  const usual = await rulesFrom(`User-agent: *\n${"Disallow: /*?sort=\n".repeat(500)}`)
  expect(usual.allows("http://site.test/goods?sort=price")).toBe(false)
  expect(usual.allows(`http://site.test/${"a".repeat(900)}`)).toBe(true)
})
