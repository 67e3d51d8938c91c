/**
 * What a search may see of a library whose rows lie in PostgreSQL: as `live-ranges.ts` tells it on one machine, and with it
 * the generations by which the engine knows the same passages.
 *
 * One statement a search reads the workspace's counter, and what the engine may hold beside the live passages: generations
 * that are being written, wait to be published, or wait for the sweep. The rest is remembered until the counter moves.
 */

import { sql } from "kysely"
import { isNarrow, seen, type View } from "../../access/view.ts"
import type { Database, Executor } from "../../storage/database.ts"
import type { Condition } from "../../storage/json-words.ts"
import { filled, words } from "../../storage/words.ts"
import { Lru } from "../../threads/lru.ts"
import {
  FILE_WITH_ACL,
  filesAmong,
  hasMetadata,
  type LiveGeneration,
  liveGenerations,
  missingAmong,
  normalized,
  rememberedName,
  withoutAcls,
} from "../ids/live-generations.ts"
import { type LiveRanges, rangesOf } from "../ids/live-ranges.ts"
import type { SearchFilters } from "../types.ts"

interface LiveSet extends LiveRanges {
  generations: Float64Array
}

/** A workspace at one moment. */
export interface ClusterView {
  workspace: LiveSet
  /** What passes the filters; `workspace` itself without any. */
  visible: LiveSet
  pendingFiles: number
  /** Generations that the engine may hold and nobody is to see; undefined where they are too many to be named. */
  hidden: number[] | undefined
}

type Found = Omit<ClusterView, "hidden">

/** Sets remembered; one per workspace and filter in use. */
const MAX_REMEMBERED = 256
/** Ids of passages and generations remembered, 8 bytes each. */
const MAX_NUMBERS = 4_000_000
/** Hidden generations up to which they are named: few but after files were removed in masses. */
const MAX_HIDDEN = 1024

export class ClusterLibrary {
  private readonly views = new Lru<string, Found>({
    entries: MAX_REMEMBERED,
    weight: MAX_NUMBERS,
    weigh: ({ workspace, visible }) => numbersIn(workspace) + (visible === workspace ? 0 : numbersIn(visible)),
  })

  constructor(private readonly db: Database) {}

  /** @returns or the first of `file_ids` that the caller does not see */
  async find(view: View, filters: SearchFilters | undefined): Promise<ClusterView | { missingFile: string }> {
    const given = normalized(filters)
    const { counter, hidden, seenAs } = await headOf(this.db, view)
    const name = rememberedName(seenAs, counter, given)
    const known = name === undefined ? undefined : this.views.get(name)
    return known ? { ...known, hidden } : this.read(view, given)
  }

  /** Everything as it is at one moment. */
  private read(asked: View, given: SearchFilters | undefined): Promise<ClusterView | { missingFile: string }> {
    return this.db
      .transaction()
      .setIsolationLevel("repeatable read")
      .execute(async trx => {
        const { counter, hidden, seenAs: view } = await headOf(trx, asked)
        const missing = given?.file_ids && (await missingIn(trx, view, given.file_ids))
        if (missing !== undefined) return { missingFile: missing }
        const all = await this.all(trx, view, rememberedName(view, counter, undefined))
        if (!given) return { ...all, hidden }
        const name = rememberedName(view, counter, given)
        const visible = await liveSet(trx, view, given, name)
        return { ...this.remember(name, { ...all, visible }), hidden }
      })
  }

  private async all(trx: Executor, view: View, name: string | undefined): Promise<Found> {
    const known = name === undefined ? undefined : this.views.get(name)
    if (known) return known
    const workspace = await liveSet(trx, view, undefined, name)
    const pendingFiles = await pendingIn(trx, view)
    return this.remember(name, { workspace, visible: workspace, pendingFiles })
  }

  private remember(name: string | undefined, found: Found): Found {
    return name === undefined ? found : this.views.set(name, found)
  }
}

async function liveSet(
  executor: Executor,
  view: View,
  given: SearchFilters | undefined,
  name: string = crypto.randomUUID(),
): Promise<LiveSet> {
  const question = liveGenerations(view, given, words(executor))
  const rows = given?.metadata ? await withMetadata(executor, question) : await asNumbers(executor, question)
  const passing = rows.filter(({ metadata }) => hasMetadata(metadata, given?.metadata))
  return { ...rangesOf(name, passing), generations: Float64Array.from(passing, ({ id }) => id) }
}

async function withMetadata(executor: Executor, { text, values }: Condition): Promise<LiveGeneration[]> {
  return (await filled<LiveGeneration>(text, ...values).execute(executor)).rows
}

/** In one text: 100 000 files take the event loop half as long as in rows. */
async function asNumbers(executor: Executor, { text, values }: Condition): Promise<LiveGeneration[]> {
  const joined = words(executor).joined("id || ' ' || first || ' ' || last")
  const all = filled<{ numbers: string | null }>(`select ${joined} as numbers from (${text}) as live`, ...values)
  const numbers = (await all.execute(executor)).rows[0]?.numbers?.split(" ") ?? []
  const rows: LiveGeneration[] = []
  for (let i = 0; i < numbers.length; i += 3)
    rows.push({ id: +numbers[i]!, first: +numbers[i + 1]!, last: +numbers[i + 2]!, metadata: null })
  return rows
}

async function missingIn(executor: Executor, view: View, ids: string[]): Promise<string | undefined> {
  const { text, values } = filesAmong(view, ids, words(executor))
  const { rows } = await filled<{ id: string }>(text, ...values).execute(executor)
  return missingAmong(ids, rows)
}

const numbersIn = ({ ranges, spans, generations }: LiveSet): number => ranges.length + spans.length + generations.length

interface Head {
  counter: number
  hidden: number[] | undefined
  /** The view, or what it comes to at that moment. */
  seenAs: View
}

/** A dead generation whose file is gone may be of any workspace. */
async function headOf(executor: Executor, view: View): Promise<Head> {
  const { workspaceId } = view
  const acls = view.principals
    ? sql`union all select 'acls', 1 where exists (${filled(FILE_WITH_ACL, workspaceId)})`
    : sql``
  const { rows } = await sql<{ kind: string; number: number }>`
    select 'counter' as kind, counter as number from library_changes where workspace_id = ${workspaceId}
    union all
    select 'hidden', id from (
      select generations.id from generations left join files on files.id = generations.file_id
      where generations.state in ('staging', 'staged', 'dead')
        and (files.id is null or files.workspace_id = ${workspaceId})
      limit ${sql.lit(MAX_HIDDEN + 1)}) as unseen
    ${acls}`.execute(executor)
  const hidden = rows.flatMap(({ kind, number }) => (kind === "hidden" ? [number] : []))
  const counter = rows.find(({ kind }) => kind === "counter")?.number ?? 0
  const seenAs = view.principals && !rows.some(({ kind }) => kind === "acls") ? withoutAcls(view) : view
  // To a caller who sees a part, all the rest is hidden as well: what it sees is named.
  return { counter, hidden: hidden.length > MAX_HIDDEN || isNarrow(seenAs) ? undefined : hidden, seenAs }
}

async function pendingIn(executor: Executor, view: View): Promise<number> {
  const { count } = await executor
    .selectFrom("files")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where(seen(executor, view))
    .where("status", "in", ["queued", "indexing"])
    .executeTakeFirstOrThrow()
  return Number(count)
}
