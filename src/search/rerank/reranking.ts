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

export class Reranking {
  /** By query and number of the passage, whose text never changes; NaN where the model passed over it. */
  private readonly remembered = new Lru<string, Map<number, number>>({ entries: REMEMBERED_QUERIES })

  constructor(
    private readonly db: Database,
    private readonly line: RerankLine,
  ) {}

  async rerank(asked: Asked, ranking: Ranking, signal: AbortSignal | undefined): Promise<Reranked> {
    const ids = ranking.list.slice(0, asked.candidates).map(({ id }) => id)
    const known = this.remembered.get(asked.text) ?? this.remembered.set(asked.text, new Map())
    try {
      await this.judge(
        asked,
        ids.filter(id => !known.has(id)),
        known,
        signal,
      )
    } catch (error) {
      signal?.throwIfAborted()
      if (!(error instanceof TooLate || error instanceof AppError)) throw error
      log.debug("a search keeps its order: the reranking model did not judge in time", { error })
      return { ranking, scores: new Map(), notReranked: true }
    }
    const scores = new Map(
      ids.flatMap(id => {
        const score = known.get(id)
        return score === undefined || Number.isNaN(score) ? [] : [[id, score] as const]
      }),
    )
    return { ranking: { ...ranking, list: reorder(ranking.list, scores) }, scores, notReranked: false }
  }

  private async judge(
    { view, text: query, budgetMs, coreShare }: Asked,
    ids: number[],
    known: Map<number, number>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const passages = await livePassages(this.db, view, ids)
    const present = ids.filter(id => passages.has(id))
    if (present.length === 0) return
    const texts = present.map(id => passages.get(id)!.text)
    for await (const { from, scores } of this.line.judge({
      workspaceId: view.workspaceId,
      query,
      texts,
      foreign: "pass over",
      budgetMs,
      ...(coreShare === undefined ? {} : { coreShare }),
      signal,
    }))
      for (const [i, score] of scores.entries()) known.set(present[from + i]!, score)
  }
}
