/** What the entity model is told of a word: its class in the list of known words. */
import { expect, test } from "bun:test"
import { atomsOf } from "../../src/backends/entity-labels.ts"
import { classesOf } from "../../src/backends/entity-words.ts"

const GIVEN = 4
const SURNAME = 8
const COMMON = 1
const listed = new Map([
  ["anna", GIVEN],
  ["王", SURNAME],
  ["建国", GIVEN],
  ["建国门", COMMON],
  ["משה", GIVEN],
  ["أحمد", GIVEN],
])

test.each([
  ["Anna went", [GIVEN, 0]],
  ["王建国来", [SURNAME, GIVEN, GIVEN, 0]],
  // The longest listed word counts.
  ["建国门", [COMMON, COMMON, COMMON]],
  // Characters on both sides of a blank are no word.
  ["建 国", [0, 0]],
  // Particles that are written in one with the word.
  ["لأحمد وأحمد", [GIVEN, GIVEN]],
] as const)("%s", (text, classes) => {
  expect(classesOf(atomsOf(text, true), listed)).toEqual([...classes])
})
