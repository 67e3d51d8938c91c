/** The best of a search's list judged anew by the reranking model. */
import type { View } from "../../access/view.ts"
import { AppError } from "../../errors.ts"
import { log } from "../../log.ts"
import type { Database } from "../../storage/database.ts"
import { Lru } from "../../threads/lru.ts"
import type { Ranking } from "../answer.ts"
import { livePassages } from "../passages/passages.ts"
import type { RerankBudget } from "./budgets.ts"
import { reorder } from "./reorder.ts"
import { type RerankLine, TooLate } from "./rerank-line.ts"

export interface Reranked {
  ranking: Ranking
  /** Of the model, by number of the passage; empty where nothing was judged. */
  scores: ReadonlyMap<number, number>
  /** The order is that of before: there was no time for another, or no model. */
  notReranked: boolean
}

interface Asked extends RerankBudget {
  view: View
  /** Without operators. */
  text: string
}

/** Queries whose scores are kept, for their next pages. */
const REMEMBERED_QUERIES = 200
/** As many of the best are judged as fit in the time. With fewer than a usual page of them the list keeps its order. */
const LEAST_JUDGED = 10
/** So long those that did not fit are not judged: next pages continue one list. */
const UNREAD_MS = 60_000

/** What is known of the passages of a query. */
interface Known {
  /** By number of the passage, whose text never changes; NaN where the model passed over it. */
  scores: Map<number, number>
  /** Those that there was no time for, and until when they are left so. */
  unread: Map<number, number>
}

export class Reranking {
  private readonly remembered = new Lru<string, Known>({ entries: REMEMBERED_QUERIES })

  constructor(
    private readonly db: Database,
    private readonly line: RerankLine,
  ) {}

  async rerank(asked: Asked, ranking: Ranking, signal: AbortSignal | undefined): Promise<Reranked> {
    const ids = ranking.list.slice(0, asked.candidates).map(({ id }) => id)
    const known =
      this.remembered.get(asked.text) ?? this.remembered.set(asked.text, { scores: new Map(), unread: new Map() })
    try {
      await this.judge(asked, ids, known, signal)
    } catch (error) {
      signal?.throwIfAborted()
      if (!(error instanceof TooLate || error instanceof AppError)) throw error
      const judged = ids.filter(id => known.scores.has(id)).length
      if (error instanceof AppError || judged < Math.min(LEAST_JUDGED, ids.length)) {
        log.debug("a search keeps its order: the reranking model did not judge in time", { error })
        return { ranking, scores: new Map(), notReranked: true }
      }
    }
    const until = performance.now() + UNREAD_MS
    for (const id of ids) if (!known.scores.has(id) && !isUnread(known, id)) known.unread.set(id, until)
    const scores = new Map(
      ids.flatMap(id => {
        const score = known.scores.get(id)
        return score === undefined || Number.isNaN(score) ? [] : [[id, score] as const]
      }),
    )
    return { ranking: { ...ranking, list: reorder(ranking, scores) }, scores, notReranked: false }
  }

  private async judge(
    { view, text: query, budgetMs, coreShare }: Asked,
    among: readonly number[],
    known: Known,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const ids = among.filter(id => !known.scores.has(id) && !isUnread(known, id))
    const passages = await livePassages(this.db, view, ids)
    const present = ids.filter(id => passages.has(id))
    if (present.length === 0) return
    const all = present.map(id => passages.get(id)!.text)
    const texts = all.slice(0, this.line.fitting(all, budgetMs))
    const least = Math.min(LEAST_JUDGED, among.length) - (among.length - ids.length)
    if (texts.length < Math.min(least, all.length)) throw new TooLate("others are to be served first")
    for await (const { from, scores } of this.line.judge({
      workspaceId: view.workspaceId,
      query,
      texts,
      foreign: "pass over",
      budgetMs,
      ...(coreShare === undefined ? {} : { coreShare }),
      signal,
    }))
      for (const [i, score] of scores.entries()) known.scores.set(present[from + i]!, score)
  }
}

const isUnread = ({ unread }: Known, id: number): boolean => performance.now() < (unread.get(id) ?? 0)
