/** Examples of the documentation can be typed as they stand: shells read them, commands and options exist, settings hold. */
import { afterAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { grammarOf } from "../src/commands/manual/grammar.ts"
import { COMMANDS } from "../src/commands/table.ts"
import { flagOf } from "../src/config.ts"
import { readSettingsFile } from "../src/config-file.ts"
import { SETTINGS } from "../src/config-settings.ts"
import { examplesIn, GUIDES } from "./support/documentation.ts"

const FILES = [...GUIDES, "CONTRIBUTING.md", "deploy/cluster/README.md"].sort()
const folder = mkdtempSync(join(tmpdir(), "carrel-examples-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const blocksOf = (file: string, language: string): string[] =>
  examplesIn(file)
    .filter(example => example.language === language)
    .map(({ text }) => text)

/** Each language with the files that have blocks of it. */
const filesWith = (language: string) => FILES.filter(file => blocksOf(file, language).length > 0)

test("blocks are found", () => {
  expect(FILES.flatMap(file => blocksOf(file, "sh")).length).toBeGreaterThan(40)
})

describe("sh", () => {
  test.each(filesWith("sh"))("%s: a shell reads it, and carrel takes it", async file => {
    const { places } = await grammarOf(COMMANDS)
    const settings = new Set(Object.keys(SETTINGS).map(flagOf))
    const wrong: string[] = []
    for (const block of blocksOf(file, "sh")) {
      const { exitCode, stderr } = Bun.spawnSync(["bash", "-n", "-c", block])
      if (exitCode !== 0) wrong.push(stderr.toString())
      for (const [line, command, rest] of block
        .replaceAll("\\\n", " ")
        .replaceAll("-u carrel ", "")
        .replaceAll(/^claude .*/gm, "") // where carrel is a name
        .matchAll(/\bcarrel (?:-- )?([a-z][a-z-]*)([^\n|#;&>)]*)/g)) {
        const here = places.filter(place => place.command === command)
        const place =
          here.find(({ action }) => action === rest!.trim().split(" ")[0]) ?? here.find(({ action }) => !action)
        if (!place) wrong.push(`no such command: ${line}`)
        for (const [flag] of rest!.matchAll(/(?<=\s)--[a-z][a-z-]*/g))
          if (!settings.has(flag) && !place?.options.some(option => option.flag === flag))
            wrong.push(`${flag}: ${line}`)
      }
    }
    expect(wrong).toEqual([])
  })
})

describe("toml", () => {
  test.each(filesWith("toml"))("%s: carrel.toml takes it", file => {
    for (const block of blocksOf(file, "toml")) {
      writeFileSync(join(folder, "carrel.toml"), block)
      expect(Object.keys(readSettingsFile(folder)).length).toBeGreaterThan(0)
    }
  })
})

describe("json", () => {
  test.each(filesWith("json"))("%s: every line, or the whole, is JSON", file => {
    const isJson = (text: string) => {
      try {
        JSON.parse(text.replaceAll("…", ""))
        return true
      } catch {
        return false
      }
    }
    for (const block of blocksOf(file, "json"))
      expect(isJson(block) || block.trim().split("\n").every(isJson) ? "" : block).toBe("")
  })
})
