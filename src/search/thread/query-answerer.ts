/** Answers one query in the search worker: what it may see, both legs over that alone, their scores side by side. */
import { log } from "../../log.ts"
import { Lru } from "../../threads/lru.ts"
import { type LibraryView, LiveRangesCache } from "../ids/live-ranges.ts"
import { Conditions } from "../keyword/conditions.ts"
import type { KeywordIndex } from "../keyword/keyword-index.ts"
import { KeywordSearch } from "../keyword/keyword-search.ts"
import { makeScope, type Scope } from "../keyword/scope.ts"
import { Spelling } from "../keyword/spelling.ts"
import { searchWords } from "../keyword/wording.ts"
import { groupsOf, type TermGroup } from "../text/analyze.ts"
import type { StoredTexts } from "../text/stored-texts.ts"
import { ScratchError } from "../vector/code-rows.ts"
import { type Asked, MeaningLeg } from "../vector/meaning.ts"
import type { VectorIndex } from "../vector/vector-index.ts"
import type { VectorSets } from "../vector/vector-sets.ts"
import { answerOf, NOTHING } from "./worker-answer.ts"
import type { QueryVector, WorkerAnswer, WorkerSearch } from "./worker-messages.ts"

/** Scopes remembered; a library under load has few in use at a time. */
const MAX_REMEMBERED = 32

export class QueryAnswerer {
  private readonly words: KeywordSearch
  private readonly conditions: Conditions
  private readonly meaning: MeaningLeg
  private readonly spelling: Spelling
  private readonly scopes = new Lru<string, Scope>({ entries: MAX_REMEMBERED })
  private live: LiveRangesCache | undefined

  constructor(
    private readonly index: KeywordIndex,
    private readonly vectors: VectorSets,
    private readonly texts: StoredTexts,
  ) {
    this.words = new KeywordSearch(index)
    this.conditions = new Conditions(this.words, texts)
    this.meaning = new MeaningLeg(index, texts)
    this.spelling = new Spelling(index, this.words, texts)
  }

  /** A disk that does not give back the scratch file costs the vectors in it, not the answer. */
  search(ask: WorkerSearch): WorkerAnswer {
    try {
      return this.answer(ask)
    } catch (error) {
      if (!(error instanceof ScratchError)) throw error
      log.warn("vectors are lost and loaded again", { error })
      this.vectors.lose()
      return { ...NOTHING, vectorsLost: true }
    }
  }

  private answer(ask: WorkerSearch): WorkerAnswer {
    this.live ??= new LiveRangesCache(this.texts.database)
    const view = this.live.find(ask.view, ask.filters)
    if ("missingFile" in view) return { ...NOTHING, missingFile: view.missingFile }
    const { workspace, visible, pendingFiles } = view
    const library = { files: workspace.files, pendingFiles, passages: visible.count }
    if (visible.count === 0) return { ...NOTHING, library }
    const asked = ask.vectors.map(vector => ({ vector, index: this.vectors.of(vector.tier) }))
    if (!asked.every(servesAsAsked)) return { ...NOTHING, library, otherModel: true }
    const { text } = ask.query
    const { scope, allowed } = this.scopeFor(ask, view)
    const meant = this.meaning.search(asked, {
      text,
      allowed,
      live: workspace.ranges,
      depth: ask.depth,
      serving: this.vectors.entries().filter(([tier, { table }]) => ask.tables[tier] === table),
    })
    const others = meant.hits.map(({ id }) => id)
    const { groups, corrections, worded } = this.wording(ask, scope, others)
    const spans = ask.byDocument ? workspace.spans : undefined
    return answerOf({ library, text, groups, corrections, worded, meant, passages: workspace.count, spans })
  }

  /** The keyword leg, once more with corrected words where some are misspelt. `others`: found by meaning. */
  private wording({ query, exact, depth, reach = 0 }: WorkerSearch, scope: Scope, others: readonly number[]) {
    const search = (words: TermGroup[], wanted: number) => this.words.search(words, scope, wanted)
    const wordingOf = (groups: TermGroup[]) => searchWords(search, { text: query.text, groups, depth, reach, others })
    const groups = groupsOf(query.text)
    const worded = wordingOf(groups)
    const spelt = exact ? undefined : this.spelling.correct(query, groups, worded.found.holding, scope)
    return spelt ? { ...spelt, worded: wordingOf(spelt.groups) } : { groups, corrections: [], worded }
  }

  /** What the filters and the query's conditions leave to be found. */
  private scopeFor({ query }: WorkerSearch, { workspace, visible }: LibraryView) {
    const passing = visible.ranges
    const filter = visible === workspace ? undefined : passing
    const key = `${workspace.key}|${visible.key}`
    const make = (ids: typeof filter) => makeScope(this.index.table, workspace.ranges, ids, workspace.spans)
    const known = this.scopes.get(key)
    const base = known?.version === this.index.table.version ? known : make(filter)
    if (base !== known) this.scopes.set(key, base)
    const allowed = this.conditions.allowed(query, base, passing)
    return { scope: allowed === passing ? base : make(allowed), allowed }
  }
}

/** Whether the set that serves is the one that a vector can be compared with. */
const servesAsAsked = (asked: { vector: QueryVector; index: VectorIndex | undefined }): asked is Asked =>
  asked.index?.table === asked.vector.table
