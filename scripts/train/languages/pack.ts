/**
 * Packs the n-gram table of `eld` (Apache-2.0) into `src/search/text/language-table.txt`: as objects it takes 150 MB of memory, packed
 * 3 MB. `bun scripts/train/languages/pack.ts`, after `eld` was changed; it is a dependency so that its licence goes along.
 *
 * Layout, before zstd and base 64: a line of JSON (`languages`, `ngrams`), then per n-gram, ascending by hash, the
 * difference to the hash before as a varint, the number of languages, and for each its number and its score.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
// @ts-expect-error the package does not declare its data
import { dictionary } from "../../../node_modules/eld/src/dictionary.js"
// @ts-expect-error the package does not declare its data
import { ngramsData } from "../../../node_modules/eld/src/ngrams/large.js"
import { hashBytes } from "../../../src/search/text/language.ts"

/** Its n-grams spell bytes from 128 on as characters of this dictionary. */
const byteOf = new Map(
  (dictionary as string[]).flatMap((sign, byte) => (byte > 127 && sign !== " " ? [[sign, byte] as const] : [])),
)

let collisions = 0
const table = new Map<number, [language: number, score: number][]>()
for (const [ngram, scores] of Object.entries(ngramsData.ngrams as Record<string, Record<string, number>>)) {
  const bytes = Uint8Array.from([...ngram], sign => byteOf.get(sign) ?? sign.charCodeAt(0))
  const hash = hashBytes(bytes, 0, bytes.length)
  // A handful among 245 000: the first stays.
  if (table.has(hash)) {
    collisions++
    continue
  }
  table.set(
    hash,
    Object.entries(scores).map(([language, score]) => [Number(language), score]),
  )
}

const packed: number[] = []
let last = 0
for (const hash of [...table.keys()].sort((a, b) => a - b)) {
  let step = hash - last
  last = hash
  for (; step > 127; step = Math.floor(step / 128)) packed.push((step % 128) | 128)
  packed.push(step)
  const scores = table.get(hash)!
  packed.push(scores.length)
  for (const pair of scores) packed.push(...pair)
}
const head = JSON.stringify({ languages: Object.values(ngramsData.languages), ngrams: table.size })
const bytes = Buffer.concat([Buffer.from(`${head}\n`), Uint8Array.from(packed)])
const out = join(import.meta.dir, "../../../src/search/text/language-table.txt")
writeFileSync(out, Buffer.from(Bun.zstdCompressSync(bytes, { level: 19 })).toString("base64"))
console.log(`${table.size} n-grams, ${collisions} left out, ${bytes.length} bytes`)
