/**
 * The engines of a cluster for one test file: those that `CARREL_TEST_ENGINES` names (path of the JSON that
 * `npm run cluster -- up --json` prints), else started from the cache and ended after the file. To be awaited at the top of
 * the file. Each gives `undefined`, and prints why, where the machine cannot run it: what needs it is skipped then.
 */
import { afterAll } from "bun:test"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ClusterUrls, Engine } from "../../scripts/cluster/engine.ts"
import { ENGINES, lacks, missingPackages, start, stop } from "../../scripts/cluster/index.ts"
import { StateFile } from "../../scripts/cluster/state.ts"

/** On a machine that runs other tests beside it. */
const START_TIMEOUT_MS = 200_000

/** Of databases, keys and indexes of this file, so that files may share an engine. */
const unique = (): string => `t${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`

/**
 * URL of an empty database, which is dropped after the file.
 * @param language of its collation, where the server is new enough to have several (15); `C` by default
 */
export async function postgres(language?: string): Promise<string | undefined> {
  const urls = await engine("postgres")
  if (!urls) return undefined
  const name = unique()
  const [server] = await onServer(urls.database_url, "select current_setting('server_version_num')::int as version")
  const isNew = (server as { version: number }).version >= 150_000
  const collation =
    language && isNew ? `locale_provider icu icu_locale '${language}' locale 'C' template template0` : ""
  await onServer(urls.database_url, `create database ${name} encoding 'UTF8' ${collation}`)
  if (isShared()) afterAll(async () => void (await onServer(urls.database_url, `drop database ${name} with (force)`)))
  return Object.assign(new URL(urls.database_url), { pathname: `/${name}` }).href
}

/** URL of a new schema in a database: as good as an empty one, and made in a moment. */
export async function emptySchema(database: string): Promise<string> {
  const name = unique()
  await onServer(database, `create schema ${name}`)
  const url = new URL(database)
  url.searchParams.set("options", `-csearch_path=${name}`)
  return url.href
}

/** URL of a bucket, with a prefix that nobody else uses. */
export async function storage(): Promise<string | undefined> {
  const urls = await engine("storage")
  if (!urls) return undefined
  const [place, query] = urls.blob_url.split("?")
  return `${place}/${unique()}?${query}`
}

/** URL, the file of the authority that signed its certificate, and a prefix for the names of indexes. */
export async function openSearch(): Promise<{ url: string; caFile: string; prefix: string } | undefined> {
  const urls = await engine("opensearch")
  return urls && { url: urls.search_url, caFile: urls.ca_file, prefix: unique() }
}

const isShared = (): boolean => Bun.env.CARREL_TEST_ENGINES !== undefined

async function engine(name: keyof typeof ENGINES): Promise<ClusterUrls | undefined> {
  const running = Bun.env.CARREL_TEST_ENGINES
  if (running !== undefined) return JSON.parse(readFileSync(running, "utf8")) as ClusterUrls
  return ownEngine(name, ENGINES[name])
}

/** Starts an engine for this file alone, whatever else runs. */
export async function ownEngine(name: string, wanted: Engine): Promise<ClusterUrls | undefined> {
  const reasons = [
    ...lacks([wanted]),
    ...missingPackages([wanted]).map(({ package: missing }) => `${missing} has not been fetched`),
  ]
  if (reasons.length > 0) {
    console.log(`${name}: not started, because ${reasons.join("; ")}`)
    return undefined
  }
  const folder = mkdtempSync(join(tmpdir(), "carrel-engines-"))
  const file = new StateFile(join(folder, "up.json"))
  afterAll(async () => {
    await stop(file)
    rmSync(folder, { recursive: true, force: true })
  }, START_TIMEOUT_MS)
  return start(file, { nodes: 1, engines: { [name]: wanted } })
}

export async function onServer(url: string, statement: string): Promise<unknown[]> {
  const sql = new Bun.SQL(url, { max: 1 })
  return sql.unsafe(statement).finally(() => sql.close())
}
