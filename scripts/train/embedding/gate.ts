/**
 * Refuses a model that makes search worse: `bun gate.ts MODEL_FOLDER COLLECTIONS FIGURES.json`.
 * Hybrid must beat the keyword leg on the mean of the public collections in nDCG@10 and in recall@100, and lose no
 * more than 0.005 nDCG@10 on any; on the office questions it must not find less.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { mean } from "../../bench/collections.ts"
import { englishCollections, isOffice, legs, measure, type Row } from "../../bench/fusion.ts"

const MAX_LOSS = 0.005
const MIN_COLLECTIONS = 2

const [folder = "", root = "", figures = ""] = process.argv.slice(2)
const { fusionWeight } = JSON.parse(readFileSync(join(folder, "carrel.json"), "utf8")) as { fusionWeight: number }
const rows = (await legs(folder, englishCollections(root))).map(one => measure(one, fusionWeight))
writeFileSync(figures, JSON.stringify(rows))
const refusals = refusalsOf(rows)
for (const { name, keyword, hybrid } of rows)
  console.log(`${name}: nDCG@10 ${keyword.ndcg.toFixed(4)} → ${hybrid.ndcg.toFixed(4)}`)
for (const refusal of refusals) console.error(`refused: ${refusal}`)
process.exit(refusals.length ? 1 : 0)

function refusalsOf(rows: Row[]): string[] {
  const open = rows.filter(row => !isOffice(row))
  if (open.length < MIN_COLLECTIONS)
    return [`${open.length} collections found below ${root}, ${MIN_COLLECTIONS} needed`]
  const found: string[] = []
  for (const measure of ["ndcg", "recall"] as const)
    if (mean(open.map(row => row.hybrid[measure] - row.keyword[measure])) <= 0)
      found.push(`mean ${measure} of hybrid is not above the keyword leg`)
  for (const { name, keyword, hybrid } of open)
    if (hybrid.ndcg < keyword.ndcg - MAX_LOSS)
      found.push(`${name} loses ${(keyword.ndcg - hybrid.ndcg).toFixed(4)} nDCG@10`)
  for (const { name, keyword, hybrid } of rows.filter(isOffice))
    if (hybrid.mrr < keyword.mrr) found.push(`${name}: hybrid finds less than the keyword leg`)
  return found
}
