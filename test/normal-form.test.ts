import { expect, test } from "bun:test"
import { termsOf } from "../src/backends/question-words.ts"
import { normalForm } from "../src/normal-form.ts"
import { foldText } from "../src/search/text/fold.ts"
import { TEXTS } from "./backends/tokenizer-texts.ts"

const FORMS = ["NFC", "NFD", "NFKC", "NFKD"] as const

test("texts of all scripts have the form that the runtime gives them", () => {
  for (const form of FORMS)
    for (const text of [...TEXTS, "a" + "\u0301".repeat(30)]) expect(normalForm(text, form)).toBe(text.normalize(form))
})

test("of marks without end behind one letter thirty stay, also of those that become marks", () => {
  for (const run of ["\u0301\u0323", "\uff9e\u0323", "\u0301"])
    for (const form of FORMS) expect(normalForm(`a${run.repeat(500_000)}b`, form).length).toBeLessThanOrEqual(32)
})

test("words and questions of a million marks are compared at once", () => {
  const text = `question${"\u0301\u0323".repeat(500_000)}`
  expect(termsOf(text)).toEqual(termsOf("question"))
  expect(foldText(text)).toBe("question")
}, 5_000)
