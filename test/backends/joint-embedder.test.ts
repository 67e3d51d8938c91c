import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Embedder } from "../../src/backends/backend.ts"
import { BUILT_IN_EMBEDDING_MODELS, openEmbedder } from "../../src/backends/embedder.ts"
import { readEmbeddingFolder } from "../../src/backends/embedding-folder.ts"
import { embedderConformance, expectNearest } from "./embedder-conformance.ts"

const MODELS = join(import.meta.dir, "../../models")
const NAME = BUILT_IN_EMBEDDING_MODELS.quality
const root = mkdtempSync(join(tmpdir(), "carrel-joint-"))
let embedder: Embedder
beforeAll(async () => {
  embedder = await openEmbedder({ name: NAME, directories: [MODELS], nativeDirectory: root })
})
afterAll(async () => {
  await embedder.close()
  rmSync(root, { recursive: true, force: true })
})

/** Each question with its passage, which shares no word with it. */
const PAIRS = [
  [
    "who pays when my laptop is stolen on a trip",
    "Equipment lost while travelling is covered by the company's insurance.",
  ],
  ["can I bring my dog", "Pets are welcome on Fridays, provided that nobody on the floor is allergic."],
  ["what to do if there is smoke", "Leave by the nearest staircase when the fire alarm sounds; never use the lifts."],
  ["getting a raise", "Salaries are reviewed each spring, after the appraisal with your manager."],
  ["my screen is broken", "Report faulty monitors to the service desk, which replaces them the same day."],
] as const

embedderConformance("the joint model", () => openEmbedder({ name: NAME, directories: [MODELS], nativeDirectory: root }))

describe("the joint model", () => {
  test("finds English passages that share no word with the question", async () => {
    await expectNearest(
      embedder,
      PAIRS.map(([question]) => question),
      PAIRS.map(([, passage]) => passage),
    )
  })

  test("finds in one language what was asked in another, English among them", async () => {
    const passages = [
      "Die Kündigungsfrist beträgt drei Monate.",
      "ถอดปลั๊กก่อนทำความสะอาดเครื่อง",
      "A meeting room is booked in the calendar of the house.",
    ]
    await expectNearest(
      embedder,
      ["how long is the notice period", "is it safe to clean it", "怎么预订会议室?"],
      passages,
    )
  })

  test("gives a text the same vector in any company", async () => {
    const text = "Invoices are paid within thirty days."
    const [alone] = await embedder.embed([text], "passage")
    const [, among] = await embedder.embed(["Die Frist ist kurz.", text], "passage")
    expect([...among!]).toEqual([...alone!])
  })

  test("says which part of it is missing", () => {
    const folder = join(root, "models", "mine")
    cpSync(join(MODELS, NAME), folder, { recursive: true })
    expect(() => readEmbeddingFolder(folder)).toThrow(
      '"mine" is incomplete: the folder "multilingual-e5-small" beside it, its general part, is missing',
    )
    writeFileSync(join(folder, "carrel.json"), JSON.stringify({ parts: {}, dimensions: 4 }))
    expect(() => readEmbeddingFolder(folder)).toThrow("the name of its general part in carrel.json is missing")
  })
})
