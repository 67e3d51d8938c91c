/**
 * Writes the names of faker's locales: `given` or `surname`, a tab, the name.
 *
 *     bun scripts/train/entities/names.ts OUT.tsv                 # Latin, Cyrillic, Greek: for gazetteer.py
 *     bun scripts/train/entities/names.ts OUT.tsv --scripts       # all scripts but Latin, with locale and gender: for script_names.py
 */
import { allLocales } from "@faker-js/faker"

const [out, scripts] = process.argv.slice(2)
if (!out) throw new Error("usage: names.ts OUT.tsv [--scripts]")

const NAME = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{M}'’ -]+$/u
const OTHER = /^(?!.*\p{Script=Latin})(?:[\p{L}\p{M}'’ -]|\u200c|\u200d)+$/u
const PARTS = { given: "first_name", surname: "last_name", middle: "middle_name" } as const
const rows = new Set<string>()
for (const [locale, definition] of Object.entries(allLocales)) {
  const person = (definition as { person?: Record<string, unknown> }).person ?? {}
  for (const [kind, part] of Object.entries(PARTS))
    for (const [gender, names] of Object.entries((person[part] ?? {}) as Record<string, string[]>))
      for (const name of names) {
        if (scripts && OTHER.test(name)) rows.add(`${kind}\t${name}\t${locale}\t${gender}`)
        else if (!scripts && kind !== "middle" && NAME.test(name)) rows.add(`${kind}\t${name}`)
      }
}
await Bun.write(out, `${[...rows].sort().join("\n")}\n`)
