/** What both legs found, as the answer to a search; the same whatever holds the words and vectors. */
import type { Scored } from "../fuse.ts"
import { type IdRanges, NO_IDS, pairAround } from "../ids/id-ranges.ts"
import type { Correction } from "../keyword/corrections.ts"
import type { Wording } from "../keyword/wording.ts"
import type { TermGroup } from "../text/analyze.ts"
import { isReadable, maySpeak } from "../text/language.ts"
import type { Meaning } from "../vector/meaning.ts"
import type { ScoredColumns, WorkerAnswer } from "./worker-messages.ts"

const NO_SCORES = new Float64Array(0)

/** The answer where nothing can be found. */
export const NOTHING: WorkerAnswer = {
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
  scale: null,
  upgraded: 0,
  held: {},
  readable: true,
  foreign: false,
  tail: columns([]),
  matching: 0,
  comparable: 0,
  words: 0,
  knownShare: 0,
  weights: [],
  corrections: [],
  bound: 0,
}

interface Found {
  library: WorkerAnswer["library"]
  text: string
  /** As they were looked up. */
  groups: TermGroup[]
  corrections: Correction[]
  worded: Wording
  meant: Meaning
  /** Of the workspace. */
  passages: number
  /** First and last passage of each document, where the answer is to say whose the passages are. */
  spans: IdRanges | undefined
}

export function answerOf({ library, text, groups, corrections, worded, meant, passages, spans }: Found): WorkerAnswer {
  return {
    library,
    ...byWords(worded, groups),
    corrections,
    ...byMeaning(meant),
    candidates: {
      ids: worded.candidates,
      keyword: worded.scores,
      cosine: meant.cosinesOf(worded.candidates),
      rare: Float64Array.from(worded.candidates, id => worded.found.rare.get(id) ?? 0),
    },
    ...(spans
      ? {
          documents: {
            candidates: documentsOf(worded.candidates, spans),
            tail: documentsOf(
              worded.tail.map(({ id }) => id),
              spans,
            ),
          },
        }
      : {}),
    ground: { ...worded.ground, bestCosine: meant.best, passages },
    readable: worded.found.knownShare > 0 || isReadable(text),
    foreign: !maySpeak(text, ["en"]),
  }
}

const documentsOf = (ids: ArrayLike<number>, spans: IdRanges): Float64Array =>
  Float64Array.from(ids, id => pairAround(spans, id)[0])

const byWords = ({ hits, tail, found, words }: Wording, groups: TermGroup[]) => ({
  keyword: columns(hits),
  tail: columns(tail),
  matching: found.total,
  words,
  knownShare: found.knownShare,
  weights: groups.map(({ terms }, i) => ({ terms, weight: found.parts[i]! })),
  bound: found.bound,
})

const byMeaning = ({ hits, cosinesOf: _, best: __, ...rest }: Meaning) => ({ vector: columns(hits), ...rest })

function columns(hits: Scored[]): ScoredColumns {
  return { ids: Float64Array.from(hits, hit => hit.id), scores: Float64Array.from(hits, hit => hit.score) }
}
