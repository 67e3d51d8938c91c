/**
 * A copy of a library, or of a part of it, with an index of its own: what is to be measured is measured there, beside a daemon
 * or nodes, which hold the real index and go on. Rows are read; nothing of the library is changed.
 */
import { embeddedIn } from "../../search/embedded/embedded-store.ts"
import { SearchIndex, type SearchIndexOptions } from "../../search/index.ts"
import { onlooker } from "../../search/writing/membership.ts"
import type { Tier } from "../../storage/chunk-tables.ts"
import type { Database } from "../../storage/database.ts"
import { unlock } from "../../storage/encryption/unlock.ts"
import { openSqlite } from "../../storage/sqlite/open.ts"

/** Rows copied at a time. */
const FILES_AT_ONCE = 100
const CHUNKS_AT_ONCE = 500

export interface Taken {
  /** Passages copied, and those of the library. */
  passages: number
  total: number
}

export interface SampleOptions {
  workspaceId: string
  /** Ids or names of files that are taken in any case. */
  wanted: ReadonlySet<string>
  /** Of the library; the copy is encrypted as it is. Empty for none. */
  keyFile: string
  /** Passages taken beside those of the wanted files, whole files in an order that depends on nothing but their ids. */
  passages: number
}

interface LiveFile {
  id: string
  name: string
  generation: number
  first: number
  last: number
}

/** Copies findable files into an empty directory. */
export async function copyLibrary(library: Database, directory: string, options: SampleOptions): Promise<Taken> {
  const from = library.withoutPlugins() // rows as they are stored
  const files = await liveFiles(from, options.workspaceId)
  const taken = chosen(files, options)
  const into = await openSqlite(directory)
  try {
    const { workspaceId: id } = options
    await into.insertInto("workspaces").values({ id, name: id, created_at: new Date().toISOString() }).execute()
    const keys = await from.selectFrom("encryption_keys").selectAll().execute()
    const own = keys.filter(({ workspace_id }) => workspace_id === null || workspace_id === id)
    if (own.length > 0) await into.insertInto("encryption_keys").values(own).execute()
    for (let at = 0; at < taken.length; at += FILES_AT_ONCE)
      await copyFiles(from, into, taken.slice(at, at + FILES_AT_ONCE))
    const next = Math.max(0, ...taken.map(({ last }) => last)) + 1
    await into.updateTable("chunk_numbers").set({ next }).execute()
  } finally {
    await into.destroy()
  }
  return { passages: passagesOf(taken), total: passagesOf(files) }
}

const passagesOf = (files: readonly LiveFile[]): number =>
  files.reduce((sum, { first, last }) => sum + last - first + 1, 0)

const liveFiles = (from: Database, workspaceId: string): Promise<LiveFile[]> =>
  from
    .selectFrom("files")
    .innerJoin("generations", join =>
      join.onRef("generations.file_id", "=", "files.id").onRef("generations.generation", "=", "files.live_generation"),
    )
    .select(["files.id", "files.name", "generations.id as generation"])
    .select(["generations.first_chunk as first", "generations.last_chunk as last"])
    .where("files.workspace_id", "=", workspaceId)
    .where("generations.state", "=", "live")
    .execute()

function chosen(files: readonly LiveFile[], { wanted, passages }: SampleOptions): LiveFile[] {
  const isWanted = ({ id, name }: LiveFile) => wanted.has(id) || wanted.has(name)
  const taken = files.filter(isWanted)
  let room = passages
  const others = files.filter(file => !isWanted(file)).map(file => ({ file, place: Bun.hash.xxHash32(file.id) }))
  for (const { file } of others.sort((a, b) => a.place - b.place)) {
    const count = file.last - file.first + 1
    if (count > room) continue
    room -= count
    taken.push(file)
  }
  return taken
}

async function copyFiles(from: Database, into: Database, files: readonly LiveFile[]): Promise<void> {
  const ids = files.map(({ id }) => id)
  const generations = files.map(({ generation }) => generation)
  const rows = await from.selectFrom("files").selectAll().where("id", "in", ids).execute()
  const written = await from.selectFrom("generations").selectAll().where("id", "in", generations).execute()
  await into.transaction().execute(async trx => {
    await trx.insertInto("files").values(rows).execute()
    await trx
      .insertInto("generations")
      .values(written.map(row => ({ ...row, owner: null })))
      .execute()
    for (const { first, last } of files)
      for (let at = first; at <= last; at += CHUNKS_AT_ONCE) {
        const to = Math.min(last, at + CHUNKS_AT_ONCE - 1)
        const chunks = await from.selectFrom("chunks").selectAll().where("id", ">=", at).where("id", "<=", to).execute()
        if (chunks.length > 0) await trx.insertInto("chunks").values(chunks).execute()
      }
  })
}

/** Makes words and vectors of a copy, and works on it. The models are the caller's to close. */
export async function withCopy<T>(
  directory: string,
  { embedders, reranker, keyFile }: Pick<SearchIndexOptions, "embedders" | "reranker"> & Pick<SampleOptions, "keyFile">,
  on: (done: number, total: number) => void,
  work: (index: SearchIndex) => Promise<T>,
): Promise<T> {
  const database = await unlock(await openSqlite(directory), keyFile)
  const tiers = (Object.keys(embedders ?? {}) as Tier[]).toSorted() // `fast` before `quality`
  const index = new SearchIndex({
    database,
    store: embeddedIn(directory),
    embedders,
    reranker,
    tiers,
    members: onlooker(),
  })
  try {
    await index.start()
    await index.complete(on, { tiers: "all" })
    return await work(index)
  } finally {
    await index.stop()
    await database.destroy()
  }
}
