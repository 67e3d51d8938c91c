/**
 * The first stage of an answer: what it is made from. Passages that a search finds, the whole text of the files that the
 * scope names, or notes on every part of them.
 */
import { SOURCE } from "../../grounding/passages.ts"
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
  // A reply that is written on keeps its passages, or its citations would change their meaning.
  if (continued) {
    const { sources } = await guard.pass({ sources: continued.sources }, { sources: SOURCE })
    return { sources, inVain: false, whole: sources.some(({ whole }) => whole) }
  }
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
