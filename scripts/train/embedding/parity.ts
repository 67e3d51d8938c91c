/** Checks that the product computes the vectors that training meant: `bun parity.ts MODEL_FOLDER REFERENCE.json`. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import { openEmbedder } from "../../../src/backends/embedder.ts"

/** Rounding in another order of summation stays far below; a token split differently falls far short. */
const MIN_COSINE = 0.9999

const [folder = "", reference = ""] = process.argv.slice(2).map(path => resolve(path))
const { texts, vectors } = JSON.parse(readFileSync(reference, "utf8")) as { texts: string[]; vectors: number[][] }
const nativeDirectory = mkdtempSync(join(tmpdir(), "carrel-parity-"))
const embedder = await openEmbedder({ name: basename(folder), directories: [dirname(folder)], nativeDirectory })
const computed = await embedder.embed(texts, "passage")
await embedder.close()
rmSync(nativeDirectory, { recursive: true, force: true })

const cosines = computed.map((vector, row) => vector.reduce((sum, value, at) => sum + value * vectors[row]![at]!, 0))
const worst = cosines.indexOf(Math.min(...cosines))
console.log(`parity on ${texts.length} texts: lowest cosine ${cosines[worst]!.toFixed(7)}`)
if (!(cosines[worst]! >= MIN_COSINE)) {
  console.error(`the product embeds this text differently: ${JSON.stringify(texts[worst]!.slice(0, 200))}`)
  process.exit(1)
}
