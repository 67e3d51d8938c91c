import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Glob } from "bun"
import { PROMPTS, versionOfPrompts } from "../../../src/chat/record/prompt-version.ts"

const CHAT = resolve(import.meta.dir, "../../../src/chat")

test("the version of the prompts is made of every text of a prompt in chat", () => {
  const files = [...new Glob("**/prompts/*.txt").scanSync({ cwd: CHAT })].sort()
  expect(Object.keys(PROMPTS).sort()).toEqual(files)
  for (const file of files) expect(PROMPTS[file]).toBe(readFileSync(join(CHAT, file), "utf8"))
})

test("it changes with a word of a prompt and with the version of the product, and with nothing else", () => {
  const version = versionOfPrompts({ a: "one", b: "two" }, "1.0.0")
  expect(versionOfPrompts({ b: "two", a: "one" }, "1.0.0")).toBe(version)
  expect(versionOfPrompts({ a: "one", b: "two " }, "1.0.0")).not.toBe(version)
  expect(versionOfPrompts({ a: "one", b: "two" }, "1.0.1")).not.toBe(version)
})
