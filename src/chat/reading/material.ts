/**
 * The first stage of an answer: what it is made from. Passages that a search finds, the whole text of the files that the
 * scope names, or notes on every part of them.
 */
import { SOURCE, type Source } from "../../grounding/passages.ts"
import type { Asked } from "../asked.ts"
import type { ChatDependencies } from "../dependencies.ts"
import type { Progress } from "../progress.ts"
import { awaitFiles, type Retrieved, retrieve } from "../retrieval.ts"
import type { ChatQuery } from "../search-query.ts"
import { asksForWhole } from "./intent.ts"
import { smallText, wholeText } from "./whole.ts"

/** Yields status and warnings, returns what the model is given, redacted where the turn is. */
export async function* material(
  asked: Asked,
  { query, topic }: ChatQuery,
  dependencies: ChatDependencies,
  signal: AbortSignal,
): AsyncGenerator<Progress, Retrieved> {
  const { continued, settings, view, scope, guard, model, history, message, passages } = asked
  if (continued) return yield* asBefore(asked, topic, continued.sources, dependencies, signal)
  if (!settings.use_library) return { sources: [], inVain: false }
  yield { event: "status", data: { phase: "retrieving" } }
  const reading = readingFor(asked)
  if (reading !== "passages" && scope.fileIds)
    yield* awaitFiles(dependencies.files, view, scope.fileIds, dependencies.fileWaitMs, signal)
  if (reading === "whole") return yield* wholeText(asked, questionOf(message, topic), dependencies, signal)
  const small = reading === "small" ? await smallText(asked, dependencies) : undefined
  if (small) return small
  const rewritten = topic
    ? await dependencies.rewriter.rewrite(model, history, message ?? "", guard, signal)
    : undefined
  return yield* retrieve(
    dependencies,
    { view, query: rewritten ?? query, rewritten: rewritten !== undefined, scope, guard, passages },
    signal,
  )
}

/**
 * What a reply that is written on is made from: its passages, or its citations would change their meaning. The notes that
 * cite them are read where they are kept; those of a text that is another by now, or gone, are not.
 */
async function* asBefore(
  asked: Asked,
  topic: string,
  before: readonly Source[],
  dependencies: ChatDependencies,
  signal: AbortSignal,
): AsyncGenerator<Progress, Retrieved> {
  const { sources } = await asked.guard.pass({ sources: [...before] }, { sources: SOURCE })
  const whole = sources.some(source => source.whole)
  if (whole && readingFor(asked) === "whole") {
    const again = yield* wholeText(asked, questionOf(asked.message, topic), dependencies, signal)
    const isSame = again.sources.every(({ chunk_id }, at) => chunk_id === sources[at]?.chunk_id)
    if (again.notes?.length && isSame) return { ...again, sources }
  }
  return { sources, inVain: false, whole }
}

/** How much of its files an answer needs: `small` is the whole of them where that is little. */
function readingFor({ settings, scope, message, model, passages }: Asked): "passages" | "small" | "whole" {
  const { reading } = settings
  const named = scope.fileIds !== null || scope.contextId !== null
  if (reading === "passages" || message === null || (!named && !scope.filter)) return "passages"
  if (reading === "whole") return "whole"
  if (passages?.limit !== undefined || passages?.minRelevance !== undefined) return "passages" // its caller has chosen
  if (asksForWhole(message)) return "whole"
  // Sentences that answer are found among passages; a filter alone may stand for a whole department.
  return named && model.info.provider !== "builtin" ? "small" : "passages"
}

/** What notes are made for: a follow-up with what it is about. */
const questionOf = (message: string | null, topic: string): string =>
  topic ? `${message ?? ""}\n(Asked before: ${topic})` : (message ?? "")
