/** One command names the version of the product and of its SDKs. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { PLACES, released } from "../../scripts/release.ts"
import { stale } from "../../scripts/sdk/generate.ts"

const ROOT = join(import.meta.dir, "../..")
const read = (file: string) => readFileSync(join(ROOT, file), "utf8")
const { version } = JSON.parse(read("package.json")) as { version: string }
/** Made of `package.json` by the generator. */
const GENERATED = ["sdk/typescript/src/generated.ts", "sdk/python/src/carrel/types.py", "sdk/go/types.gen.go"]

test("the product and its SDKs are of one version", () => {
  expect(JSON.parse(read("package-lock.json"))).toMatchObject({ version, packages: { "": { version } } })
  expect(JSON.parse(read("sdk/typescript/package.json")).version).toBe(version)
  expect(read("sdk/python/pyproject.toml")).toContain(`\nversion = "${version}"\n`)
  expect(read("docs/install.md")).toContain(`carrel_${version}_amd64.deb`)
  for (const file of GENERATED) expect(read(file)).toContain(`"${version}"`)
  expect(stale().map(([file]) => file)).toEqual([])
  for (const file of Object.keys(PLACES).filter(file => file.endsWith("CHANGELOG.md")))
    expect(read(file)).toContain(`\n## ${version}\n`)
})

test("a release leaves the old version nowhere but in what is told of it", () => {
  const texts = released("99.1.2")
  const tracked = Bun.spawnSync(["git", "ls-files", "package.json", "sdk", "docs/install.md"], { cwd: ROOT })
  const left = `${tracked.stdout}`
    .trim()
    .split("\n")
    .filter(file => !GENERATED.includes(file) && !file.endsWith("CHANGELOG.md"))
    .filter(file => (texts[file] ?? read(file)).includes(version))
  expect(left).toEqual([])
  expect(JSON.parse(texts["package-lock.json"]!)).toMatchObject({
    ...{ version: "99.1.2", packages: { "": { version: "99.1.2" } } },
  })
})

test("the changelogs give what is unreleased to the version", () => {
  const texts = { "package.json": `{ "version": "0.1.0" }` } as Record<string, string>
  const given = (changelog: string) =>
    released("0.2.0", file =>
      file.endsWith("CHANGELOG.md") ? changelog : (texts[file] ?? read(file).replaceAll(version, "0.1.0")),
    )["CHANGELOG.md"]
  expect(given("# Changelog\n\n## Unreleased\n\n- One.\n\n## 0.1.0\n\n- None.\n")).toBe(
    "# Changelog\n\n## 0.2.0\n\n- One.\n\n## 0.1.0\n\n- None.\n",
  )
  expect(given("# Changelog\n\n## 0.1.0\n\n- None.\n")).toBe(
    "# Changelog\n\n## 0.2.0\n\nThe calls and types of this version's API.\n\n## 0.1.0\n\n- None.\n",
  )
})

test.each(["", "1", "v1.2.3", "1.2.3-beta", "0.0.9", version])("%p is refused", to => {
  expect(() => released(to)).toThrow(`give a version above ${version}`)
})

test("a place that no longer names the version as it did is told of, and nothing is given", () => {
  const without = (file: string) => (file === "docs/install.md" ? "" : read(file))
  expect(() => released("99.1.2", without)).toThrow("docs/install.md: carrel_")
})
