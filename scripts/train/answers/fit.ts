/**
 * Fits the weights of `src/backends/evidence.ts` to the questions of `test/fixtures/answers/dev.txt`, never to those held out,
 * and prints them, with what questions of documents left out of the fit get at several thresholds.
 *
 *   bun scripts/train/answers/fit.ts
 */

import { vectorsOf } from "../../../src/backends/best-sentences.ts"
import { BY_MEANING, BY_WORDS, EvidenceOf } from "../../../src/backends/evidence.ts"
import { findAll } from "../../bench/answers/found.ts"
import { readAnswers } from "../../bench/answers/questions.ts"
import { openBuiltInModel, openQualityModel } from "../../bench/built-in-model.ts"

const FOLDS = 6
const ROUNDS = 300
/** Few sentences answer. */
const RIGHT_WEIGHT = 5
const RIDGE = 1e-3
const FACTS = new Set(["own", "other", "greeted", "near", "nothing"])

interface Example {
  kind: string
  group: string
  sentences: { features: number[]; right: boolean }[]
}

const embedder = await openBuiltInModel()
const found = await findAll(readAnswers("dev"), embedder, await openQualityModel())
for (const [name, weights] of Object.entries({ BY_WORDS, BY_MEANING })) {
  const names = Object.keys(weights).filter(each => each !== "base")
  const examples: Example[] = []
  for (const [at, { question, grounding }] of found.entries()) {
    if (!FACTS.has(question.kind)) continue
    const evidence = new EvidenceOf(grounding)
    const vectors = name === "BY_MEANING" && evidence.sentences.length ? await vectorsOf(evidence, embedder) : undefined
    const sentences = evidence.sentences.map(sentence => {
      const of: Record<string, number> = {
        ...(vectors ? evidence.meaning(sentence, vectors) : evidence.words(sentence)),
      }
      const { line, answer } = question
      const right =
        line !== "" && sentence.text.includes(answer) && (line.includes(sentence.text) || sentence.text.includes(line))
      return { features: [1, ...names.map(each => of[each]!)], right }
    })
    examples.push({ kind: question.kind, group: question.document || `none ${at % FOLDS}`, sentences })
  }
  const all = fit(examples)
  console.log(
    `\n${name}: base ${all[0]!.toFixed(2)}  ${names.map((each, i) => `${each} ${all[i + 1]!.toFixed(2)}`).join("  ")}`,
  )
  report(examples)
}
process.exit(0)

function fit(examples: Example[]): number[] {
  const rows = examples.flatMap(({ sentences }) => sentences)
  const width = rows[0]!.features.length
  const weights = Array<number>(width).fill(0)
  const squares = Array<number>(width).fill(1e-8)
  for (let round = 0; round < ROUNDS; round++) {
    const slope = Array<number>(width).fill(0)
    for (const { features, right } of rows) {
      const error = (1 / (1 + Math.exp(-scoreOf(weights, features))) - Number(right)) * (right ? RIGHT_WEIGHT : 1)
      for (let i = 0; i < width; i++) slope[i]! += error * features[i]!
    }
    for (let i = 0; i < width; i++) {
      const own = slope[i]! / 1000 + (i ? RIDGE * weights[i]! : 0)
      squares[i] = 0.9 * squares[i]! + 0.1 * own * own
      weights[i]! -= ((round < 200 ? 0.08 : 0.024) * own) / (Math.sqrt(squares[i]!) + 1e-6)
    }
  }
  return weights
}

function report(examples: Example[]): void {
  const groups = [...new Set(examples.map(({ group }) => group))]
  const judged: { kind: string; scores: { score: number; right: boolean }[] }[] = []
  for (let fold = 0; fold < FOLDS; fold++) {
    const left = new Set(groups.filter((_, i) => i % FOLDS === fold))
    const weights = fit(examples.filter(({ group }) => !left.has(group)))
    for (const { kind, group, sentences } of examples) {
      if (!left.has(group)) continue
      const scores = sentences.map(({ features, right }) => ({ score: scoreOf(weights, features), right }))
      judged.push({ kind, scores: scores.sort((one, other) => other.score - one.score) })
    }
  }
  const best = (kind: string) => judged.filter(each => each.kind === kind)
  const without = [...best("near"), ...best("nothing")]
    .map(({ scores }) => scores[0]?.score ?? -99)
    .sort((a, b) => b - a)
  for (const share of [0.03, 0.05, 0.1, 0.15, 0.2, 0.3]) {
    const least = without[Math.floor(share * without.length)]!
    const cells = ["own", "other", "greeted"].map(kind => {
      const of = best(kind)
      const right = of.filter(
        ({ scores }) =>
          (scores[0]?.score ?? -99) > least && scores.slice(0, 3).some(each => each.right && each.score > least - 1),
      )
      return `${kind} ${(right.length / of.length).toFixed(3)}`
    })
    console.log(`refuses ${(1 - share).toFixed(2)} above ${least.toFixed(2)}: ${cells.join("  ")}`)
  }
}

function scoreOf(weights: number[], features: number[]): number {
  return features.reduce((sum, feature, i) => sum + feature * weights[i]!, 0)
}
