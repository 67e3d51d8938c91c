import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readEmbeddingFolder } from "../../src/backends/embedding-folder.ts"
import { isEnglish } from "../../src/backends/english.ts"
import { openTokenizer } from "../../src/backends/model-inputs.ts"
import { type Library, loadLibrary } from "../../src/backends/model-side.ts"
import { readWordPieces } from "../../src/backends/word-pieces.ts"
import { TEXTS } from "./tokenizer-texts.ts"

const DIRECTORY = join(import.meta.dir, "../../models/all-MiniLM-L6-v2")
const nativeDirectory = mkdtempSync(join(tmpdir(), "carrel-word-pieces-"))
const pieces = readWordPieces(DIRECTORY)!
let library: Library
beforeAll(async () => {
  library = await loadLibrary(nativeDirectory)
})
afterAll(() => rmSync(nativeDirectory, { recursive: true, force: true }))

describe("the tokenizer of the English encoder", () => {
  test("finds the ids that transformers.js finds, in every script", async () => {
    const theirs = await library.AutoTokenizer.from_pretrained(DIRECTORY, { local_files_only: true })
    // It takes rare Chinese characters and the emoji before them for one word.
    for (const text of TEXTS.filter(each => !/[\u{20000}-\u{2FFFF}]/u.test(each)))
      expect({ text, ids: [pieces.begin, ...pieces.encode(text).ids, pieces.end] }).toEqual({
        text,
        ids: theirs.encode(text),
      })
  }, 60_000)

  test("takes the names of its special tokens in a text for text", () => {
    for (const id of pieces.encode("[SEP] and [CLS]").ids) expect([pieces.begin, pieces.end]).not.toContain(id)
  })

  test("cuts a long text within its closing token, and pads the shorter of two", async () => {
    const { inputs } = await openTokenizer(library, readEmbeddingFolder(DIRECTORY))
    const { input_ids, attention_mask } = inputs(["word ".repeat(1000), "word"])
    expect(input_ids.dims).toEqual([2, 256])
    expect(Number(input_ids.data[255])).toBe(pieces.end)
    expect([...attention_mask.data.slice(256, 261)].map(Number)).toEqual([1, 1, 1, 0, 0])
    expect(Number(input_ids.data[259])).toBe(pieces.padding)
  })
})

test("a long text is read no further than its pieces are wanted", async () => {
  const words = "word ".repeat(100_000)
  expect(pieces.encode(words, 256).ids.length).toBe(256)
  const { inputs } = await openTokenizer(library, readEmbeddingFolder(DIRECTORY))
  expect(inputs([words]).input_ids.dims).toEqual([1, 256])
  expect(inputs(["q".repeat(3_000_000)]).input_ids.dims).toEqual([1, 3])
})

test("a folder with tokens of its own, or words of another length, is left to transformers.js", () => {
  const file = JSON.parse(readFileSync(join(DIRECTORY, "tokenizer.json"), "utf8"))
  const folder = mkdtempSync(join(nativeDirectory, "other-"))
  const reads = (other: object) => {
    writeFileSync(join(folder, "tokenizer.json"), JSON.stringify({ ...file, ...other }))
    return readWordPieces(folder) !== undefined
  }
  expect(reads({})).toBe(true)
  expect(reads({ added_tokens: [...file.added_tokens, { id: 1, content: "[unused0]", special: true }] })).toBe(false)
  expect(reads({ model: { ...file.model, max_input_chars_per_word: 200 } })).toBe(false)
})

describe("a text is English", () => {
  const judged = (text: string) => isEnglish(text, pieces)

  test("as a question, a heading, a passage, and where its words are of medicine", () => {
    for (const text of [
      "how many vacation days do I get",
      "travel expenses",
      "Refunds are paid within 14 days of the return of the goods, by the means of the payment.",
      "the effect of corticosteroids on the inflammation of the kidneys in patients with lupus",
    ])
      expect({ text, english: judged(text) }).toEqual({ text, english: true })
  })

  test("but not in another language, in another script, nor without a word", () => {
    for (const text of [
      "Wie viele Urlaubstage bekomme ich?",
      "Reisekostenabrechnung",
      "La demande est à déposer au plus tard trois semaines avant la date souhaitée.",
      "política de vacaciones",
      "Quante ore prima devo prenotare la sala?",
      "Hoeveel vakantiedagen krijg ik per jaar?",
      "Nhân viên được nghỉ phép năm có lương",
      "почему растёт давление в котле",
      "如何重置管理员密码?",
      "كم عدد أيام الإجازة؟",
      "Où est la salle de réunion à Paris".normalize("NFD"),
      "2024-00731",
      "",
    ])
      expect({ text, english: judged(text) }).toEqual({ text, english: false })
  })
})
