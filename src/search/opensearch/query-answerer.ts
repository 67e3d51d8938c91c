/**
 * Answers one query in a cluster: rows lie in PostgreSQL, words and vectors in OpenSearch. What may be seen and every score
 * are ours, as in `thread/query-answerer.ts`; the engine says which passages come into question and what these hold.
 *
 * Two round trips: `first-request.ts`, `second-request.ts`. A third one reads what changes only with the library and is
 * not remembered, where the index is being completed; a phrase takes one more, and the texts that it may stand in.
 */
import { filesSeen } from "../../access/view.ts"
import { EngineError } from "../../errors.ts"
import { TIERS, type Tier } from "../../storage/chunk-tables.ts"
import type { Database } from "../../storage/database.ts"
import { Lru } from "../../threads/lru.ts"
import { hasId, type IdRanges, NO_IDS, pairAround } from "../ids/id-ranges.ts"
import type { Correction } from "../keyword/corrections.ts"
import { GAIN, gains } from "../keyword/document-gain.ts"
import { searchWords } from "../keyword/wording.ts"
import { groupsOf, type TermGroup } from "../text/analyze.ts"
import { subjectGroups } from "../text/function-words.ts"
import { toldAmong } from "../text/language.ts"
import { answerOf, NOTHING } from "../thread/worker-answer.ts"
import type { QueryVector, WorkerAnswer, WorkerSearch } from "../thread/worker-messages.ts"
import { isUnderstood, type Meaning, noMeaning } from "../vector/meaning.ts"
import { JOINT_HEAD } from "../vector/scale.ts"
import type { OpenSearchClient } from "./client.ts"
import { ClusterLibrary, type ClusterView } from "./cluster-library.ts"
import { askFirst, askHeld, askSums, type FirstAnswer, type LibrarySums, type VectorQuestion } from "./first-request.ts"
import { heldSearch } from "./held-search.ts"
import { MAX_RESULTS, NO_LANGUAGE_TAG, vectorsIndex, wordsIndex } from "./layout.ts"
import { ClusterMeaning } from "./meaning.ts"
import { spell } from "./near.ts"
import { allowedBy } from "./phrases.ts"
import { filteredClauses, workspaceClauses } from "./scope-clauses.ts"
import { MissingIndex, Searches } from "./searches.ts"
import { askSecond } from "./second-request.ts"
import { spelt } from "./spelling.ts"

/** Sums of libraries remembered. */
const MAX_REMEMBERED = 256
/** Times that the library is looked at anew because the engine holds what was not there when it was looked at. */
const MAX_LOOKS = 3

/** The engine's order by words goes by what all workspaces hold: its best twice as many hold nearly all that are wanted. */
const BY_WORDS_PER_HIT = 2
/** Hits of each leg that are fused. */
const DEPTH = 100
/** The best by the engine's order among which the first by ours are; those after them are of pages far down the list. */
const FOREMOST = 1000

export interface AnswererOptions {
  db: Database
  client: OpenSearchClient
  /** How long it may be taken for known which passages have quality vectors, while these are being made. */
  heldForMs?: number
}

const HELD_FOR_MS = 5_000

export class ClusterAnswerer {
  private readonly library: ClusterLibrary
  /** Tables that hold all passages of a workspace in one state of it. */
  private readonly whole = new Lru<string, true>({ entries: MAX_REMEMBERED })
  private readonly held = new Lru<string, { ids: IdRanges; count: number; at: number }>({ entries: MAX_REMEMBERED })
  private readonly sums = new Lru<string, LibrarySums>({ entries: MAX_REMEMBERED })

  constructor(private readonly options: AnswererOptions) {
    this.library = new ClusterLibrary(options.db)
  }

  /** @throws EngineError where the engine does not give the whole answer */
  async search(ask: WorkerSearch, signal?: AbortSignal): Promise<WorkerAnswer> {
    for (let look = 1; ; look++) {
      const view = await this.library.find(ask.view, ask.filters)
      if ("missingFile" in view) return { ...NOTHING, missingFile: view.missingFile }
      // The last look names what may be seen: whatever else the engine holds by then changes nothing.
      if (look === MAX_LOOKS) view.hidden = undefined
      const { workspace, visible, pendingFiles } = view
      const library = { files: workspace.files, pendingFiles, passages: visible.count }
      if (visible.count === 0) return { ...NOTHING, library }
      const answer = await this.answer(ask, view, library, signal)
      if (answer) return answer
    }
  }

  /** Undefined where the engine holds passages that the view knows nothing of. */
  private async answer(
    ask: WorkerSearch,
    view: ClusterView,
    library: WorkerAnswer["library"],
    signal: AbortSignal | undefined,
  ): Promise<WorkerAnswer | undefined> {
    const searches = new Searches(this.options.client, ask.view.workspaceId, signal)
    try {
      const found = await this.firstCorrected(searches, ask, view)
      return found && (await this.second(searches, ask, view, { ...found, library }))
    } catch (error) {
      if (!(error instanceof MissingIndex)) throw error
      const { prefix } = this.options.client
      if (ask.vectors.some(({ table }) => error.message.startsWith(vectorsIndex(prefix, table))))
        return { ...NOTHING, library, otherModel: true }
      throw new EngineError("search", error.message, { answered: true, cause: error })
    }
  }

  /** The first request, once more with corrected words where some are misspelt. */
  private async firstCorrected(searches: Searches, ask: WorkerSearch, view: ClusterView) {
    const { text } = ask.query
    const groups = groupsOf(text)
    const vectors = this.vectorQuestions(ask, view)
    const asked = { groups, corrections: [] as Correction[], subject: subjectGroups(text, groups), vectors }
    const found = await this.first(searches, ask, view, asked)
    if (!found || ask.exact) return found && { ...found, ...asked }
    const workspace = workspaceClauses(ask.view.workspaceId, view)
    const sources = { db: this.options.db, searches, index: this.words, workspace }
    const better = await spelt(ask.query, groups, found.answer.holding, sources)
    if (!better) return { ...found, ...asked }
    const anew = { ...better, subject: subjectGroups(text, better.groups), vectors }
    const foundAnew = await this.first(searches, ask, view, anew)
    return foundAnew && { ...foundAnew, ...anew }
  }

  private get words(): string {
    return wordsIndex(this.options.client.prefix)
  }

  private tablesOf({ tables }: WorkerSearch): { tier: Tier; index: string }[] {
    const { prefix } = this.options.client
    return TIERS.flatMap(tier => (tables[tier] ? [{ tier, index: vectorsIndex(prefix, tables[tier]) }] : []))
  }

  /** Of vectors that mean something. Where it is known that all passages have a quality vector, they are found by it alone. */
  private vectorQuestions({ query, vectors, tables, depth }: WorkerSearch, view: ClusterView): AskedVector[] {
    const { prefix } = this.options.client
    const understood = vectors.filter(vector => isUnderstood(query.text, vector))
    const better = understood.filter(
      ({ tier, table }) =>
        tier === "quality" && tables[tier] === table && this.whole.get(wholeKey(view, vectorsIndex(prefix, table))),
    )
    const isJoint = understood.some(({ fastShare }) => fastShare > 0)
    return (better.length > 0 && !isJoint ? better : understood).map(vector => {
      const { tier, table, values, languages, fastShare } = vector
      const index = vectorsIndex(prefix, table)
      const spoken = languages && [...toldAmong(languages), NO_LANGUAGE_TAG]
      const isBeside = better.length > 0 && tier === "fast"
      const head = fastShare > 0 ? JOINT_HEAD : 1
      return { vector, question: { tier, index, values: spell(values), spoken, depth: isBeside ? 0 : depth, head } }
    })
  }

  /**
   * Passages of the workspace that have a quality vector, where others have none; undefined where one vector scores all that
   * were asked. Told anew now and then while they are being made.
   */
  private async heldByQuality(
    searches: Searches,
    ask: WorkerSearch,
    view: ClusterView,
    { vectors, answer }: FoundFirst,
  ) {
    const index = vectors.find(({ vector }) => vector.tier === "quality")?.question.index
    const count = index === undefined ? undefined : answer.held.get(index)
    if (vectors.length < 2 || index === undefined || count === undefined) return undefined
    if (count === 0) return NO_IDS
    if (count >= view.workspace.count) return undefined
    const key = index + filesSeen(ask.view)
    const known = this.held.get(key)
    const { heldForMs = HELD_FOR_MS } = this.options
    if (known && (known.count === count || performance.now() - known.at < heldForMs)) return known.ids
    const ids = await askHeld(searches, index, workspaceClauses(searches.workspaceId, view))
    this.held.set(key, { ids, count, at: performance.now() })
    return ids
  }

  private async first(searches: Searches, ask: WorkerSearch, view: ClusterView, { groups, subject, vectors }: Asked) {
    const { db } = this.options
    const { words } = this
    const workspace = workspaceClauses(ask.view.workspaceId, view)
    const passing = view.visible === view.workspace ? workspace : filteredClauses(ask.view.workspaceId, view)
    const allowed = await allowedBy(ask.query, passing, { db, searches, index: words })
    const questions = vectors.map(({ question }) => question)
    const key = JSON.stringify([view.workspace.key, questions.map(({ spoken }) => spoken)])
    const known = this.sums.get(key)
    const question = {
      words,
      workspace,
      allowed,
      visible: view.visible.count,
      live: view.workspace.count,
      groups,
      subject: subject.length < groups.length ? subject : undefined,
      // A semantic page far down is by meaning alone; words then tell how relevant it is.
      byWords: Math.min(
        MAX_RESULTS,
        BY_WORDS_PER_HIT * Math.max(DEPTH, ask.reach ?? 0, ask.mode === "semantic" ? 0 : ask.depth),
      ),
      vectors: questions,
      tables: this.tablesOf(ask)
        .map(({ index }) => index)
        .filter(index => !this.whole.get(wholeKey(view, index))),
      sums: !known,
    }
    const answer = await askFirst(searches, question)
    if (view.hidden && isBeyond(answer, view)) return undefined
    let sums = answer.sums ?? known!
    if (sums.documents !== answer.documents) sums = await askSums(searches, question)
    this.sums.set(key, sums)
    for (const [index, count] of answer.held)
      if (count >= view.workspace.count) this.whole.set(wholeKey(view, index), true)
    return { answer, sums, isNarrow: allowed !== workspace }
  }

  private async second(
    searches: Searches,
    ask: WorkerSearch,
    view: ClusterView,
    found: FoundFirst,
  ): Promise<WorkerAnswer> {
    const { workspace, visible } = view
    const { answer, sums, isNarrow, library, groups, corrections } = found
    const byVector = found.vectors.map((each, nth) => ({
      ...each,
      found: answer.meant[nth]!,
      foreign: sums.foreign[nth] ?? NO_IDS,
    }))
    const leg = byVector.length
      ? new ClusterMeaning(byVector, workspace.ranges, await this.heldByQuality(searches, ask, view, found))
      : undefined
    const live = (ids: readonly number[], { ranges } = workspace) => ids.filter(id => hasId(ranges, id))
    const near = live(leg?.near ?? [], visible)
    const byWords = live(answer.byWords, visible)
    const foremost = byWords.slice(0, FOREMOST)
    const among = [...foremost, ...live(answer.anywhere), ...live(answer.bySubject), ...near]
    const { held: words, cosines } = await askSecond(searches, {
      words: this.words,
      ids: [...withNeighbors(among, workspace.spans).union(new Set(byWords))],
      groups,
      near: leg?.wanted(foremost) ?? [],
    })
    leg?.note(cosines)
    const { depth, reach = 0 } = ask
    const { text } = ask.query
    const held = Object.fromEntries(
      this.tablesOf(ask).map(({ tier, index }) => [tier, answer.held.get(index) ?? workspace.count]),
    )
    const meant: Meaning = leg?.meaning(visible.ranges, depth, held) ?? { ...noMeaning(ask.vectors.length === 0), held }
    const others = meant.hits.map(({ id }) => id)
    const search = heldSearch({
      held: words,
      groups,
      holding: answer.holding,
      sums,
      spans: workspace.spans,
      allowed: isNarrow ? [...new Set([...byWords, ...near])] : undefined,
      matching: answer.matching,
    })
    const worded = searchWords(search, { text, groups, depth, reach, others })
    const { count: passages, spans } = workspace
    const parts = { library, text, groups, corrections, worded, meant, passages }
    return answerOf({ ...parts, spans: ask.byDocument ? spans : undefined })
  }
}

interface AskedVector {
  vector: QueryVector
  question: VectorQuestion
}

const wholeKey = ({ workspace }: ClusterView, index: string): string => `${workspace.key}|${index}`

interface Asked {
  groups: TermGroup[]
  subject: TermGroup[]
  corrections: Correction[]
  vectors: AskedVector[]
}

interface FoundFirst extends Asked {
  answer: FirstAnswer
  sums: LibrarySums
  isNarrow: boolean
  library: WorkerAnswer["library"]
}

/** Whether the engine holds more of the workspace than is live: a generation that is younger than the view. */
const isBeyond = ({ documents, byWords, meant }: FirstAnswer, { workspace: { count, ranges } }: ClusterView): boolean =>
  documents > count ||
  byWords.some(id => !hasId(ranges, id)) ||
  meant.some(({ nearest }) => nearest.some(({ id }) => !hasId(ranges, id)))

/** Passages, and those in their documents that they gain from. */
function withNeighbors(ids: Iterable<number>, spans: IdRanges): Set<number> {
  const all = new Set<number>()
  for (const id of ids) {
    all.add(id)
    const [first, last] = pairAround(spans, id)
    if (!gains(last - first + 1)) continue
    for (let other = Math.max(first, id - GAIN.reach); other <= Math.min(last, id + GAIN.reach); other++) all.add(other)
  }
  return all
}
