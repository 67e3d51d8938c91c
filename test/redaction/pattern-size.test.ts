import { expect, test } from "bun:test"
import { compilePattern } from "../../src/redaction/custom-pattern.ts"
import { stepsOf } from "../../src/redaction/pattern-size.ts"

const stepsMade = (pattern: string) => compilePattern({ name: "X", pattern, flags: "" }).inst.length

test.each([
  "EMP-\\d{6}",
  "a{1000}",
  "a{10,}",
  "(?:ab|cd){0,300}",
  "((a{10}){10}){10}",
  "(?i)[a-z]{500}",
  "(?P<name>x{100}|y){9}",
  "\\pL{1000}",
  "\\p{Greek}{200}",
  "\\x{1F600}{50}",
  "\\Qa{1000}\\E{7}",
  "[]a{9}]{400}",
  "[^\\]{3}]{400}",
  "[[:alpha:]{9}]{400}",
  "a{0,1000}b{0,1000}",
  "(a?){1000}",
  "x{,5}y{a}",
  "(((a|b)c){5}d){20}",
])("the steps of %s are foreseen", pattern => {
  const made = stepsMade(pattern)
  expect(stepsOf(pattern)).toBeGreaterThan(made / 3 - 10)
  expect(stepsOf(pattern)).toBeLessThan(made * 3 + 20)
})
