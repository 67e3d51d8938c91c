/** Hits gathered under their files: files in the order of their best passages, each with the best few of its own. */
import type { Ranked } from "./answer.ts"
import type { WorkerAnswer } from "./thread/worker-messages.ts"
import type { Hit, HitGroup } from "./types.ts"

/** Passages that are gathered at first and for pages further down. One long file may hold many of the best ones. */
export const GATHERED = [1_000, 10_000] as const
/** Passages shown of a file unless told. */
export const USUAL_SIZE = 3

export interface GroupPage {
  /** Passages of the page's files, those of one file after those of another. */
  list: Ranked[]
  /** Files in all. */
  total: number
}

/** Files `offset…` of a list of passages, best first, with at most `size` passages of each. */
export function groupPage(
  list: readonly Ranked[],
  answer: WorkerAnswer,
  { offset, limit, size }: { offset: number; limit: number; size: number },
): GroupPage {
  const documentOf = documents(answer)
  const groups = new Map<number, Ranked[]>()
  for (const each of list) {
    const document = documentOf(each.id)
    const group = groups.get(document)
    if (!group) groups.set(document, [each])
    else if (group.length < size) group.push(each)
  }
  return { list: [...groups.values()].slice(offset, offset + limit).flat(), total: groups.size }
}

/** The first passage of the document that a passage stands in. */
function documents({ candidates, tail, documents }: WorkerAnswer): (id: number) => number {
  const first = new Map<number, number>()
  candidates.ids.forEach((id, i) => void first.set(id, documents?.candidates[i] ?? id))
  tail.ids.forEach((id, i) => void first.set(id, documents?.tail[i] ?? id))
  return id => first.get(id) ?? id
}

/** Says whose the hits of a page are. */
export function groupsOf(hits: readonly Hit[]): HitGroup[] {
  const groups: HitGroup[] = []
  for (const { file, score, relevance } of hits) {
    const last = groups.at(-1)
    if (last?.file_id !== file.id) groups.push({ file_id: file.id, score, relevance, hits: 1 })
    else {
      last.hits++
      last.relevance = Math.max(last.relevance, relevance)
    }
  }
  return groups
}
