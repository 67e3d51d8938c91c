/**
 * How well and how fast redaction finds what it should, and how much it hides of text that names nobody.
 *
 *     bun scripts/bench/redaction.ts [--dev DEV.json] [--public DIR] [--models DIR] [--unseen FILE.jsonl] [--failures] [--misses KIND]
 *
 * Without arguments it measures with the sets beside it (redaction/sets: own sentences by genre, language and script, with
 * and without persons) and with card numbers that it makes. Of each set, lines of odd number may be tuned with and
 * `--failures` prints theirs; lines of even number are only counted, and so are all lines of the fresh sets. `--public DIR` adds public text by genre and language:
 * DIR holds `train/*.jsonl.zst` and `search/xquad-*` (what the model was not trained on; questions without any name).
 * `--unseen FILE.jsonl`: labelled sentences by language (redaction/by-script.ts), and nothing else; `--misses LANGUAGE` prints failures.
 * `--dev DEV.json`: labelled sentences in the form of presidio-research, for comparison with other tools.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { openEntityModel } from "../../src/backends/entity-model.ts"
import { parseRedaction, Redactor } from "../../src/redaction/redact.ts"
import { measureByScript } from "./redaction/by-script.ts"
import { measureCards } from "./redaction/cards.ts"
import { measureHidden } from "./redaction/hidden.ts"
import { measureLabelled } from "./redaction/labelled.ts"
import { measurePersons } from "./redaction/persons.ts"
import { publicSets } from "./redaction/public-sets.ts"
import { ownSets } from "./redaction/sets.ts"
import { measureSpeed } from "./redaction/speed.ts"

const { values: options } = parseArgs({
  options: {
    dev: { type: "string" },
    unseen: { type: "string" },
    public: { type: "string" },
    models: { type: "string", default: new URL("../../models", import.meta.url).pathname },
    failures: { type: "boolean", default: false },
    misses: { type: "string" },
  },
})

const nativeDirectory = mkdtempSync(join(tmpdir(), "carrel-bench-"))
const model = openEntityModel([options.models], nativeDirectory)
if (!model) throw new Error(`no entity model in ${options.models}`)
await model.load()
const redactor = new Redactor({ entityModel: model })
const policy = parseRedaction(true, false)!
const redact = async (text: string) => (await redactor.redact(text, policy)).entities

if (options.unseen) {
  await measureByScript(redact, options.unseen, options.misses)
  await model.close()
  process.exit(0)
}
console.log("Impersonal text, by genre (English): share of words that are hidden, %")
await measureHidden(redact, await ownSets("english.txt"), "words", options.failures)
console.log("\nThe same, as such text is found (mistakes of the first were looked at, of the second never)")
await measureHidden(redact, await ownSets("genres.txt"), "words", options.failures)
await measureHidden(redact, await ownSets("fresh-genres.txt"), "words", false)
console.log("\nImpersonal text, by language: share of letters and digits that are hidden, %")
await measureHidden(redact, await ownSets("languages.txt"), "letters", options.failures)
console.log("\nPersons and addresses")
await measurePersons(redact, await ownSets("persons.txt"), options.failures)
console.log("\nFresh sets, no line of which was looked at while tuning (both columns are unseen)")
await measureHidden(redact, await ownSets("fresh-english.txt"), "words", false)
await measureHidden(redact, await ownSets("fresh-languages.txt"), "letters", false)
await measurePersons(redact, await ownSets("fresh-persons.txt"), false)
console.log("\nHard sets: names of things in every line (lines of odd number were tuned with)")
await measureHidden(redact, await ownSets("wide-english.txt"), "words", options.failures)
await measureHidden(redact, await ownSets("wide-languages.txt"), "letters", options.failures)
await measurePersons(redact, await ownSets("wide-persons.txt"), options.failures)
console.log("\nScripts other than Latin")
await measurePersons(redact, await ownSets("scripts-persons.txt"), options.failures)
await measureHidden(redact, await ownSets("scripts-impersonal.txt"), "letters", options.failures)
await measurePersons(redact, await ownSets("fresh-scripts-persons.txt"), false)
await measureHidden(redact, await ownSets("fresh-scripts-impersonal.txt"), "letters", false)
console.log("\nScripts of which the model was taught nothing")
await measurePersons(redact, await ownSets("further-persons.txt"), options.failures)
await measureHidden(redact, await ownSets("further-impersonal.txt"), "letters", options.failures)
console.log("\nCard numbers")
await measureCards(redact)
if (options.public) {
  const { genres, languages } = await publicSets(options.public)
  // Each find was read: these name a person or are a number of telephone, or a password, and are no mistake.
  const right = new Set([...(await ownSets("public-persons.txt")).values()].flat())
  console.log("\nPublic text: share of words that are hidden, %, but for the persons and numbers that it names")
  await measureHidden(redact, genres, "words", options.failures, right)
  console.log("\nPublic questions without names: share of letters and digits that are hidden, %")
  await measureHidden(redact, languages, "letters", options.failures)
}
if (options.dev) await measureLabelled(redact, options.dev, options.misses)
await measureSpeed(redactor, policy)
await model.close()
rmSync(nativeDirectory, { recursive: true, force: true })
