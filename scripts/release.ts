/**
 * Gives the product a version, everywhere where it is named: `npm run release -- 1.2.3`. What stands under `Unreleased` in the
 * changelogs becomes that version's. Commits nothing.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const ROOT = join(import.meta.dir, "..")
const NUMBERS = /^\d+\.\d+\.\d+$/

type Named = (text: string, from: string, to: string) => string

/** As often as the first pattern says. @throws where it stands there another number of times, so that no place is left out */
const exactly =
  (times: number, around: (version: string) => string): Named =>
  (text, from, to) => {
    const parts = text.split(around(from))
    if (parts.length !== times + 1)
      throw new Error(`${around(from)} stands there ${parts.length - 1} times, not ${times}`)
    return parts.join(around(to))
  }

const inJson: Named = exactly(1, version => `"version": "${version}"`)

const changelog: Named = (text, _, to) => {
  const [head, ...rest] = text.split(/^## Unreleased\n/m)
  if (rest.length > 1) throw new Error("two parts are Unreleased")
  if (rest.length === 1) return `${head}## ${to}\n${rest[0]}`
  return text.replace(/^(?=## )/m, `## ${to}\n\nThe calls and types of this version's API.\n\n`)
}

/** Where the version stands; what is generated (`npm run sdk:generate`) takes it from `package.json`. */
export const PLACES: Readonly<Record<string, Named>> = {
  "package.json": inJson,
  "package-lock.json": (text, from, to) => {
    const own = text.indexOf('"dependencies"') // those of others come behind it
    return exactly(2, version => `"version": "${version}"`)(text.slice(0, own), from, to) + text.slice(own)
  },
  "CHANGELOG.md": changelog,
  "docs/install.md": exactly(1, version => `carrel_${version}_amd64.deb`),
  "sdk/typescript/package.json": inJson,
  "sdk/typescript/CHANGELOG.md": changelog,
  "sdk/python/pyproject.toml": exactly(1, version => `\nversion = "${version}"\n`),
  "sdk/python/CHANGELOG.md": changelog,
  "sdk/go/CHANGELOG.md": changelog,
}

/**
 * By place, its text in the new version.
 * @throws for what is no version, or none above the one that is
 */
export function released(to: string, read = (file: string) => readFileSync(join(ROOT, file), "utf8")) {
  const from = (JSON.parse(read("package.json")) as { version: string }).version
  if (!NUMBERS.test(to) || Bun.semver.order(to, from) <= 0)
    throw new Error(`give a version above ${from}, such as 1.2.3`)
  return Object.fromEntries(
    Object.entries(PLACES).map(([file, named]) => {
      try {
        return [file, named(read(file), from, to)]
      } catch (cause) {
        throw new Error(`${file}: ${(cause as Error).message}`, { cause })
      }
    }),
  )
}

if (import.meta.main) {
  const [version = ""] = process.argv.slice(2)
  for (const [file, text] of Object.entries(released(version))) {
    writeFileSync(join(ROOT, file), text)
    console.log(`${file} is of ${version}`)
  }
  const generate = [process.execPath, join(ROOT, "scripts/sdk/generate.ts")]
  process.exit(Bun.spawnSync(generate, { stdout: "inherit", stderr: "inherit" }).exitCode)
}
