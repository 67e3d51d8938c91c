/** Examples of the documentation can be typed as they stand: shells read them, commands and options exist, settings hold. */
import { afterAll, describe, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Glob } from "bun"
import { grammarOf } from "../src/commands/manual/grammar.ts"
import { COMMANDS } from "../src/commands/table.ts"
import { flagOf } from "../src/config.ts"
import { readSettingsFile } from "../src/config-file.ts"
import { SETTINGS } from "../src/config-settings.ts"
import { smallPdf } from "./binary/small-pdf.ts"
import { COMMAND, startDaemon } from "./support/daemon.ts"

const ROOT = join(import.meta.dir, "..")
const FILES = [
  "README.md",
  "CONTRIBUTING.md",
  "deploy/cluster/README.md",
  ...new Glob("docs/*.md").scanSync({ cwd: ROOT }),
].sort()
const folder = mkdtempSync(join(tmpdir(), "carrel-examples-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const blocksOf = (file: string, language: string): string[] =>
  [...readFileSync(join(ROOT, file), "utf8").matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, given]) => given === language)
    .map(([, , text]) => text!)

test("the first steps of the README upload, find and answer as they stand", async () => {
  const daemon = await startDaemon()
  try {
    writeFileSync(join(folder, "report.pdf"), smallPdf(["The notice period for the green garage is eleven weeks."]))
    const [, section = ""] = /^## Upload, search, chat\n([\s\S]*?)^## /m.exec(
      readFileSync(join(ROOT, "README.md"), "utf8"),
    )!
    const examples = [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) => text!)
    expect(examples).toHaveLength(4)
    let fileId = ""
    const typed = async (example: string) => {
      const here = example
        .replace("npm run --silent carrel --", `${COMMAND.join(" ")}`)
        .replaceAll("http://127.0.0.1:4747", daemon.url)
        .replaceAll("/FILE/", `/${fileId}/`)
      const child = Bun.spawn(["bash", "-euc", here], {
        cwd: folder,
        env: { ...Bun.env, CARREL_DATA: daemon.data, BASE: `${daemon.url}/external-docs/external` },
        stdout: "pipe",
        stderr: "pipe",
      })
      const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
      expect([await child.exited, (await child.exited) === 0 ? "" : err]).toEqual([0, ""])
      return out
    }
    const [key, uploadAndWatch, search, ask] = examples
    await typed(key!)
    const [upload, watch] = uploadAndWatch!.trim().split("\n")
    fileId = JSON.parse(await typed(upload!)).files[0].id
    expect(await typed(watch!)).toContain("searchable")
    expect(JSON.parse(await typed(search!)).hits[0]).toMatchObject({ file: { id: fileId }, position: { page: 1 } })
    expect(await typed(ask!)).toMatch(/^event: message_completed$/m)
  } finally {
    await daemon.remove()
  }
}, 120_000)

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
