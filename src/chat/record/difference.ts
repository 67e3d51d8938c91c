/** What a search finds now in the place of the passages that an answer was made from. */
import type { Source } from "../../grounding/passages.ts"
import type { GivenPassage } from "./new-record.ts"
import { sha256 } from "./stored-prompt.ts"

/**
 * `file_gone`: deleted, or none that the caller sees. `file_changed`: other bytes, and the passage is not found in them.
 * `outranked`: as it was, and others are found before it.
 */
export type GoneReason = "file_gone" | "file_changed" | "outranked"

export interface Difference {
  /** Nothing below differs. */
  unchanged: boolean
  compared_at: string
  library_changes: { before: number; now: number }
  /** What the searches lacked; where that differs their scores are not compared. */
  degraded: { before: string | null; now: string | null }
  /** Passages that the answer was made from and that would not be given now, by their numbers in it. */
  gone: { index: number; file_id: string; chunk_id: string; reason: GoneReason }[]
  /** Found now and not then. */
  added: Source[]
  rescored: { index: number; before: number; now: number }[]
}

/** What was found then, and what the library has now. */
export interface Compared {
  given: readonly GivenPassage[]
  /** Found then without room in the window: nothing new now. */
  leftOut: ReadonlySet<string>
  /** Undefined where nothing was searched then: the files alone are compared. */
  found: readonly Source[] | undefined
  /** Digests of the bytes of the files that the caller sees. */
  files: ReadonlyMap<string, string>
  changes: Difference["library_changes"]
  degraded: Difference["degraded"]
}

export function differenceOf({ given, leftOut, found, files, changes, degraded }: Compared): Difference {
  const gone: Difference["gone"] = []
  const rescored: Difference["rescored"] = []
  const met = new Set<Source>()
  for (const passage of given) {
    const { index, file_id, chunk_id, score } = passage
    const again = found?.find(source => isSame(source, passage))
    if (again) {
      met.add(again)
      const now = rounded(again.score)
      if (now !== rounded(score) && degraded.before === degraded.now)
        rescored.push({ index, before: rounded(score), now })
      continue
    }
    const reason = reasonOf(passage, files, found !== undefined && !passage.whole)
    if (reason) gone.push({ index, file_id, chunk_id, reason })
  }
  const added = (found ?? []).filter(source => !met.has(source) && !leftOut.has(source.chunk_id))
  return {
    unchanged: gone.length + added.length + rescored.length === 0,
    compared_at: new Date().toISOString(),
    library_changes: changes,
    ...{ degraded, gone, added, rescored },
  }
}

/** The same words of the same file, whatever the index calls them now. */
const isSame = (source: Source, passage: GivenPassage): boolean =>
  source.file_id === passage.file_id && sha256(source.text) === passage.sha256

/** Undefined for a passage that stands as it stood. */
function reasonOf(
  { file_id, file_sha256 }: GivenPassage,
  files: ReadonlyMap<string, string>,
  isSearched: boolean,
): GoneReason | undefined {
  const now = files.get(file_id)
  if (now === undefined) return "file_gone"
  if (now !== file_sha256) return "file_changed"
  return isSearched ? "outranked" : undefined
}

const rounded = (score: number): number => Math.round(score * 1e4) / 1e4
