/** What is written about the house names files that exist. */
import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { Glob } from "bun"

const ROOT = join(import.meta.dir, "..")
const read = (file: string) => readFileSync(join(ROOT, file), "utf8")
const scan = (pattern: string) => [...new Glob(pattern).scanSync({ cwd: ROOT, onlyFiles: false })].sort()

describe("every path exists", () => {
  const PATH = /(?<![\w./-])(?:src|scripts|test|docs|deploy)\/[\w*./-]*/g
  /** `NAME` and `*` stand for any; `npm test` takes beginnings of names. */
  const exists = (path: string) =>
    existsSync(join(ROOT, path)) || scan(`${path.replace(/[A-Z]{4,}/g, "*")}*`).length > 0

  for (const file of ["README.md", "CONTRIBUTING.md", ...scan("docs/*.md"), ...scan("src/**/DESIGN.md")])
    test(`in ${file}`, () => {
      const paths = [...read(file).matchAll(PATH)].map(([path]) => path.replace(/[./]+$/, ""))
      expect(paths.filter(path => !exists(path))).toEqual([])
    })

  test("and every constant that a comment names", () => {
    const files = scan("src/**/*.{ts,tsx}").map(file => ({ file, text: read(file) }))
    const COMMENT = /\/\*\*[\s\S]*?\*\/|\/\/ .*$/gm
    const known = new Set(files.flatMap(({ text }) => text.replace(COMMENT, "").match(/\w+/g) ?? []))
    const lost = files.flatMap(({ file, text }) =>
      [...(text.match(COMMENT)?.join("\n") ?? "").matchAll(/`([A-Z]+_[A-Z_]+)`/g)]
        .filter(([, name]) => !known.has(name!))
        .map(([, name]) => `${file}: ${name}`),
    )
    expect(lost).toEqual([])
  })

  test("and every file by name in a design and in comments", () => {
    const code = ["src", "test", "scripts"].flatMap(room => scan(`${room}/**/*.{ts,tsx,md,py,wat}`))
    const names = new Set([...code, ...scan("*"), ...scan("docs/*")].map(file => basename(file)))
    const lost = code.flatMap(file => {
      const text = file.endsWith(".md")
        ? read(file)
        : (read(file)
            .match(/\/\*\*[\s\S]*?\*\/|\/\/ .*$/gm)
            ?.join("\n") ?? "")
      const named = [...text.matchAll(/(?<![\w*./-])\w[\w./-]*\.(?:tsx?|wat|md)\b/g)].map(([name]) => name)
      return named.filter(name => !names.has(basename(name))).map(name => `${file}: ${name}`)
    })
    expect(lost).toEqual([])
  })
})

const walks = read("docs/walks.md")
const filesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/`([\w/-]+\.tsx?)`/g)].map(([, path]) => path!)),
]
/** Files beside a walk: no step of it. */
const withoutAsides = (text: string) => text.replace(/\([^()]*does the same[^()]*\)/g, "")

test("every file of a walk exists", () => {
  const paths = filesIn(walks).filter(path => path.includes("/"))
  expect(paths.length).toBeGreaterThan(30)
  expect(paths.filter(path => !existsSync(join(ROOT, "src", path)))).toEqual([])
})

test("from an upload to a hit one reads 35 files at most", () => {
  const [, upload, search] = walks.split(/^## .*$/m)
  expect(filesIn(withoutAsides(upload! + search!)).length).toBeLessThanOrEqual(35)
})
