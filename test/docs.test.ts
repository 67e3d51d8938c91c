/** The pages of `docs/` name files that exist. */
import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

const ROOT = join(import.meta.dir, "..")
const walks = readFileSync(join(ROOT, "docs/walks.md"), "utf8")
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
