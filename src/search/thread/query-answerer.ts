/** Answers one query in the search worker: what it may see, both legs over that alone, their scores side by side. */
import { log } from "../../log.ts"
import { Lru } from "../../threads/lru.ts"
import type { Scored } from "../fuse.ts"
import { NO_IDS } from "../ids/id-ranges.ts"
import { type LibraryView, LiveRangesCache } from "../ids/live-ranges.ts"
import { Conditions } from "../keyword/conditions.ts"
import type { KeywordIndex } from "../keyword/keyword-index.ts"
import { KeywordSearch } from "../keyword/keyword-search.ts"
import { makeScope, type Scope } from "../keyword/scope.ts"
import { searchWords, type Wording } from "../keyword/wording.ts"
import { groupsOf, type TermGroup } from "../text/analyze.ts"
import { isReadable } from "../text/language.ts"
import type { StoredTexts } from "../text/stored-texts.ts"
import { ScratchError } from "../vector/code-rows.ts"
import { type Meaning, MeaningLeg } from "../vector/meaning.ts"
import type { VectorSets } from "../vector/vector-sets.ts"
import type { ScoredColumns, WorkerAnswer, WorkerSearch } from "./worker-messages.ts"

/** Scopes remembered; a library under load has few in use at a time. */
const MAX_REMEMBERED = 32

const NO_SCORES = new Float64Array(0)

const NOTHING: WorkerAnswer = {
  library: { files: 0, pendingFiles: 0, passages: 0 },
  keyword: columns([]),
  vector: columns([]),
  candidates: { ids: NO_IDS, keyword: NO_SCORES, cosine: NO_SCORES, rare: NO_SCORES },
  background: null,
  ground: {
    keyword: NO_SCORES,
    tail: NO_SCORES,
    bestKeyword: 0,
    bestCosine: -1,
    bound: 0,
    words: 0,
    knownShare: 0,
    passages: 0,
  },
  understood: true,
  readable: true,
  tail: columns([]),
  matching: 0,
  comparable: 0,
  words: 0,
  knownShare: 0,
  weights: [],
  bound: 0,
}

export class QueryAnswerer {
  private readonly words: KeywordSearch
  private readonly conditions: Conditions
  private readonly meaning: MeaningLeg
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
    const view = this.live.find(ask.workspaceId, ask.filters)
    if ("missingFile" in view) return { ...NOTHING, missingFile: view.missingFile }
    const { workspace, visible, pendingFiles } = view
    const library = { files: workspace.files, pendingFiles, passages: visible.count }
    if (visible.count === 0) return { ...NOTHING, library }
    const { serving } = this.vectors
    const vectors = ask.vector?.table === serving?.table ? serving : undefined
    if (ask.vector && !vectors) return { ...NOTHING, library, otherModel: true }
    const { text } = ask.query
    const { scope, allowed } = this.scopeFor(ask, view)
    const groups = groupsOf(text)
    const meant = this.meaning.search(ask.vector, vectors, {
      text,
      allowed,
      live: workspace.ranges,
      depth: ask.depth,
    })
    const worded = searchWords(this.words, {
      text,
      groups,
      scope,
      depth: ask.depth,
      reach: ask.reach ?? 0,
      others: meant.hits.map(({ id }) => id),
    })
    return {
      library,
      ...byWords(worded, groups),
      ...byMeaning(meant),
      candidates: {
        ids: worded.candidates,
        keyword: worded.scores,
        cosine: meant.cosinesOf(worded.candidates),
        rare: Float64Array.from(worded.candidates, id => worded.found.rare.get(id) ?? 0),
      },
      ground: { ...worded.ground, bestCosine: meant.best, passages: workspace.count },
      readable: worded.found.knownShare > 0 || isReadable(text),
    }
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

const byWords = ({ hits, tail, found, words }: Wording, groups: TermGroup[]) => ({
  keyword: columns(hits),
  tail: columns(tail),
  matching: found.total,
  words,
  knownShare: found.knownShare,
  weights: groups.map(({ terms }, i) => ({ terms, weight: found.parts[i]! })),
  bound: found.bound,
})

const byMeaning = ({ hits, background, understood, comparable }: Meaning) => ({
  vector: columns(hits),
  background,
  understood,
  comparable,
})

function columns(hits: Scored[]): ScoredColumns {
  return { ids: Float64Array.from(hits, hit => hit.id), scores: Float64Array.from(hits, hit => hit.score) }
}
