/**
 * The fixed plan of `builtin/extractive`, which has no language model: search for the task, read around the best
 * passage, quote the sentences that fit, each with its citation. It says plainly when there is nothing.
 */
import { bestSentences, type Quote } from "../backends/best-sentences.ts"
import { countingWords } from "../backends/counting.ts"
import { AppError } from "../errors.ts"
import { withoutMarks } from "../grounding/citations.ts"
import type { Citation } from "../grounding/passages.ts"
import { carryOut, type DoneCall } from "../tools/calls.ts"
import type { RunInput, RunResult } from "./run.ts"

const PASSAGES = 6
/** Characters read before and after the best passage. */
const AROUND_CHARACTERS = 600

export const NOTHING_FOUND =
  "Nothing in the library answers this. There is no language model here: builtin/extractive can only quote files."

const NO_COUNTING =
  "To count or add up, in tables too, a language model is needed: connect one (`--ollama-host`, `--openai-base-url`), and name it as `model`."

const NOT_SEARCHED = "The library could not be searched, so there is nothing to quote."

export async function runExtractive(input: RunInput): Promise<RunResult> {
  const { tools, task, context, guard, output } = input
  if (!tools.some(tool => tool.name === "search_library"))
    return finish(input, `${NOTHING_FOUND} It needs the tool search_library.`, [])
  const searched = await call(input, "search_library", {
    query: task.replace(/\s+/g, " ").trim().slice(0, 1_000),
    limit: PASSAGES,
  })
  if (searched?.isError) return finish(input, `${NOT_SEARCHED} ${searched.result}`, [])
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
  const quotes = bestSentences({
    question: task,
    topic: "",
    passages: await Promise.all(found.map((passage, at) => asGrounding(input, passage, 1 - at / 10))),
  })
  if (quotes.length === 0)
    return finish(input, countingWords(task) ? `${NOTHING_FOUND} ${NO_COUNTING}` : NOTHING_FOUND, [])
  const lines = quotes.map(({ text, index }) => `“${text}” [${index}]`)
  return finish(input, output ? lines.join("\n") : await guard.text(lines.join("\n\n")), quotes)
}

async function call(
  { tools, context, guard, steps }: RunInput,
  name: string,
  args: Record<string, unknown>,
): Promise<DoneCall | undefined> {
  const environment = { tools, context, guard, steps, history: new Map(), offered: true }
  const [done] = await carryOut([{ id: `call_${name}`, name, arguments: args }], environment)
  return done
}

async function asGrounding(
  { context }: RunInput,
  { index, file_id, position: { start, end } }: Citation,
  score: number,
) {
  const slice = await context.library.readText(context.view, file_id, { start, end })
  return { index, text: withoutMarks(slice?.text ?? ""), score }
}

/**
 * A schema can be met only where it takes a text, or an object with an `answer` and at most `quotes` beside it.
 * @throws AppError output_schema_violation for every other schema
 */
async function finish({ output, guard, context }: RunInput, text: string, quotes: Quote[]): Promise<RunResult> {
  if (!output) return { output: text, structuredOutput: undefined, finishReason: "final_answer" }
  const candidates: unknown[] = [
    text,
    ...["answer", "output", "text", "summary", "result"].flatMap(key => [
      { [key]: text },
      { [key]: text, quotes: quotes.map(quote => quote.text) },
    ]),
  ]
  const issues = await output.issuesOf(candidates, context.signal)
  const value = candidates[issues.findIndex(each => each.length === 0)]
  if (value === undefined)
    throw new AppError("output_schema_violation", {
      message:
        "builtin/extractive has no language model and cannot fill this output_schema; it can give a string, or an object with a string named answer",
      details: [{ field: "output_schema", issue: "needs a language model" }],
    })
  const shown = await guard.value(value)
  return {
    output: typeof shown === "string" ? shown : await guard.json(shown),
    structuredOutput: shown,
    finishReason: "final_answer",
  }
}
