import { expect, test } from "bun:test"
import { TestLibrary } from "./library.ts"

test("searches past the bound are refused as overloaded, those before it are answered", async () => {
  const library = await TestLibrary.open()
  await library.put("file_a", "the heron wades")
  const outcomes = await Promise.allSettled(
    Array.from({ length: 1_050 }, () => library.search("heron", { mode: "keyword" })),
  )
  const refused = outcomes.flatMap(outcome => (outcome.status === "rejected" ? [outcome.reason.code] : []))
  expect(refused).toEqual(Array.from({ length: 50 }, () => "overloaded"))
  expect((await library.search("heron", { mode: "keyword" })).hits.length).toBe(1)
  await library.close()
}, 20_000)
