/**
 * Writes the names of faker's locales for gazetteer.py: `given` or `surname`, a tab, the name.
 *
 *     bun scripts/train/entities/names.ts OUT.tsv
 */
import { allLocales } from "@faker-js/faker"

const [out] = process.argv.slice(2)
if (!out) throw new Error("usage: names.ts OUT.tsv")

const NAME = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{M}'’ -]+$/u
const PARTS = { given: "first_name", surname: "last_name" } as const
const rows = new Set<string>()
for (const locale of Object.values(allLocales)) {
  const person = (locale as { person?: Record<string, unknown> }).person ?? {}
  for (const [kind, part] of Object.entries(PARTS))
    for (const name of Object.values((person[part] ?? {}) as Record<string, string[]>).flat())
      if (NAME.test(name)) rows.add(`${kind}\t${name}`)
}
await Bun.write(out, `${[...rows].sort().join("\n")}\n`)
