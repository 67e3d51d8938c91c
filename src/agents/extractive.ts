/**
 * The fixed plan of `builtin/extractive`, which has no language model: search for the task, read around the best
 * passage, quote the sentences that fit, each with its citation. It says plainly when there is nothing.
 */
import { AppError } from "../errors.ts"
import { carryOut, type DoneCall } from "./calls.ts"
import type { Citation } from "./passages.ts"
import type { RunInput, RunResult } from "./run.ts"

const PASSAGES = 6
/** Sentences that are quoted at most. */
const QUOTES = 5
/** A sentence that is longer is cut: extracted tables have no full stops. */
const MAX_SENTENCE_CHARACTERS = 600
/** Characters read before and after the best passage. */
const AROUND_CHARACTERS = 600

export const NOTHING_FOUND =
  "Nothing in the library answers this. There is no language model here: builtin/extractive can only quote files."

export async function runExtractive(input: RunInput): Promise<RunResult> {
  const { tools, task, context, guard, output } = input
  if (!tools.some(tool => tool.name === "search_library"))
    return finish(input, `${NOTHING_FOUND} It needs the tool search_library.`, [])
  await call(input, "search_library", { query: task.replace(/\s+/g, " ").trim().slice(0, 1_000), limit: PASSAGES })
  const found = context.passages.all()
  const best = found[0]
  if (best && tools.some(tool => tool.name === "read_file") && input.maxSteps > 1) {
    const { start, end } = best.position
    await call(input, "read_file", {
      file_id: best.file_id,
      start: Math.max(0, start - AROUND_CHARACTERS),
      end: end + AROUND_CHARACTERS,
    })
  }
  const quotes = chooseQuotes(task, await Promise.all(found.map(passage => sentencesOf(input, passage))))
  if (quotes.length === 0) return finish(input, NOTHING_FOUND, [])
  const lines = quotes.map(({ text, index }) => `“${text}” [${index}]`)
  return finish(input, output ? lines.join("\n") : await guard.text(lines.join("\n\n")), quotes)
}

async function call(input: RunInput, name: string, args: Record<string, unknown>): Promise<DoneCall | undefined> {
  const [done] = await carryOut([{ id: `call_${name}`, name, arguments: args }], {
    ...input,
    history: new Map(),
    offered: true,
  })
  return done
}

interface Quote {
  text: string
  /** Number of the passage. */
  index: number
}

async function sentencesOf({ context }: RunInput, passage: Citation): Promise<Quote[]> {
  const { start, end } = passage.position
  const slice = await context.library.readText(context.workspaceId, passage.file_id, { start, end })
  if (!slice) return []
  return [...new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(slice.text)]
    .flatMap(({ segment }) => segment.split(/\n{2,}/))
    .map(text => text.replace(/\s+/g, " ").trim())
    .filter(text => text.length > 2)
    .map(text => ({
      text: text.length > MAX_SENTENCE_CHARACTERS ? `${text.slice(0, MAX_SENTENCE_CHARACTERS)}…` : text,
      index: passage.index,
    }))
}

/** The sentences that share the rarest words with the task, in the order of their passages; each once. */
function chooseQuotes(task: string, passages: Quote[][]): Quote[] {
  const wanted = wordsOf(task)
  const all = passages.flat().map(quote => ({ quote, words: wordsOf(quote.text) }))
  const rarity = new Map(
    [...wanted].map(word => [word, Math.log(1 + all.length / (1 + all.filter(({ words }) => words.has(word)).length))]),
  )
  const seen = new Set<string>()
  const scored = all
    .map(({ quote, words }, at) => ({
      quote,
      at,
      score: [...words].reduce((sum, word) => sum + (rarity.get(word) ?? 0), 0) / Math.sqrt(8 + words.size),
    }))
    .filter(({ quote, score }) => score > 0 && !seen.has(quote.text) && seen.add(quote.text))
    .sort((left, right) => right.score - left.score || left.at - right.at)
  const most = scored[0]?.score ?? 0
  const chosen = scored.slice(0, QUOTES).filter(({ score }) => score >= most / 3)
  // A search by meaning finds passages that share no word with the task: the best one speaks for itself.
  if (chosen.length === 0) return passages[0]?.slice(0, 1) ?? []
  return chosen.sort((left, right) => left.at - right.at).map(({ quote }) => quote)
}

/** Words in their bare form; a plural or an ending must not keep a sentence from being found. */
const wordsOf = (text: string): Set<string> =>
  new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [])
      .filter(word => word.length > 3 || /\d/.test(word))
      .map(word => word.slice(0, 6)),
  )

/**
 * A schema can be met only where it takes a text, or an object with an `answer` and at most `quotes` beside it.
 * @throws AppError output_schema_violation for every other schema
 */
async function finish({ output, guard }: RunInput, text: string, quotes: Quote[]): Promise<RunResult> {
  if (!output) return { output: text, structuredOutput: undefined, finishReason: "final_answer" }
  const candidates: unknown[] = [
    text,
    ...["answer", "output", "text", "summary", "result"].flatMap(key => [
      { [key]: text },
      { [key]: text, quotes: quotes.map(quote => quote.text) },
    ]),
  ]
  const value = candidates.find(candidate => output.validate(candidate).length === 0)
  if (value === undefined)
    throw new AppError("output_schema_violation", {
      message:
        "builtin/extractive has no language model and cannot fill this output_schema; it can give a string, or an object with a string named answer",
      details: [{ field: "output_schema", issue: "needs a language model" }],
    })
  const shown = await guard.value(value)
  return {
    output: typeof shown === "string" ? shown : JSON.stringify(shown),
    structuredOutput: shown,
    finishReason: "final_answer",
  }
}
