/** What the entity model is told of a word: its class in the list of known words. */
import { expect, test } from "bun:test"
import { atomsOf } from "../../src/backends/entity-labels.ts"
import { classesOf } from "../../src/backends/entity-words.ts"

const GIVEN = 4
const SURNAME = 8
const listed = new Map([
  ["anna", GIVEN],
  ["müller", SURNAME],
])

test.each([
  ["Anna went", [GIVEN, 0]],
  ["ANNA Müller, anna", [GIVEN, SURNAME, 0, GIVEN]],
] as const)("%s", (text, classes) => {
  expect(classesOf(atomsOf(text, true), listed)).toEqual([...classes])
})
