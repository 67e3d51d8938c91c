/**
 * Vectors of the texts that `texts.py` wrote, by both encoders, for `fit.py`: TEXTS/{general,english,others}.f32, one behind another.
 *
 *   bun scripts/train/joint/vectors.ts TEXTS
 */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { openEmbedder } from "../../../src/backends/embedder.ts"

const [texts = ""] = process.argv.slice(2)
const directories = [resolve(import.meta.dir, "../../../models")]
const nativeDirectory = mkdtempSync(join(tmpdir(), "vectors-native-"))
const read = (name: string): string[] => JSON.parse(readFileSync(join(texts, `${name}.json`), "utf8"))

async function write(name: string, model: string, parts: { role: "query" | "passage"; texts: string[] }[]) {
  const embedder = await openEmbedder({ name: model, directories, nativeDirectory })
  const vectors = (await Promise.all(parts.map(part => embedder.embed(part.texts, part.role)))).flat()
  writeFileSync(join(texts, `${name}.f32`), Buffer.concat(vectors.map(vector => Buffer.from(vector.slice().buffer))))
  await embedder.close()
  console.log(name, vectors.length)
}

const english = read("english")
const headings = english.slice(0, english.length / 2)
const passages = english.slice(english.length / 2)
const pairs = [
  { role: "query", texts: headings },
  { role: "passage", texts: passages },
] as const
await write("english", "all-MiniLM-L6-v2", [...pairs])
await write("others", "multilingual-e5-small", [{ role: "passage", texts: read("others") }])
await write("general", "multilingual-e5-small", [...pairs])
