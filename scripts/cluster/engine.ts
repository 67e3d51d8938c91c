/** What an engine is to the commands that set it up: its packages, what it needs of the machine, and how it starts. */
import { randomBytes } from "node:crypto"
import { createServer } from "node:net"
import type { PackageName } from "./archives.ts"
import type { Launch } from "./processes.ts"

/** What `up` prints. Passwords stand in the URLs. */
export interface ClusterUrls {
  database_url: string
  blob_url: string
  search_url: string
  /** PEM file of the authority that signed the search engine's certificate. */
  ca_file: string
  /** The database past the pooler; there when `database_url` names a pooler. */
  direct_database_url?: string
}

/** A folder of the cache, and how it comes about. */
export interface Package {
  package: PackageName
  /** Lays out the package's folder from its fetched archives; the folder of these is its to write in. */
  unpack(archives: string, target: string): Promise<void>
}

/** Of an engine whose programs the machine has or has not: nothing is fetched. */
export interface Unpackaged {
  package: null
}

/** @typeParam Urls what all engines that are started together tell */
export type Engine<Urls = ClusterUrls> = (Package | Unpackaged) & Startable<Urls>

interface Startable<Urls> {
  /** What the machine lacks to run it, in words for a person. */
  lacks(): string | undefined
  /** Resolves when it answers with its password. */
  start(site: Site): Promise<Partial<Urls>>
}

/** Where one start of an engine takes place. */
export interface Site {
  /** The unpacked package; read only. Empty where there is none. */
  home: string
  /** The engine's own empty folder, for data, settings and logs; only the engines' user and root may read it. */
  folder: string
  /** How many of it are to work together, where the engine can. */
  nodes: number
  /** The address to listen on. */
  host: string
  /** Gives what is below `folder` to the engines' user. */
  own(): void
  /** Runs a command of the engine to its end, as the engines' user. */
  run(command: string[], input?: string): Promise<void>
  launch(wanted: Omit<Launch, "cwd">): void
  /**
   * Waits until `check` resolves; what it throws meanwhile means "not yet".
   * @throws Error with the log's end when a launched process ends or the time is over
   */
  until(what: string, check: () => Promise<unknown>): Promise<void>
}

/** The user and the database, bucket or role that each engine is given. */
export const NAME = "carrel"
export const LOOPBACK = "127.0.0.1"

/** A bucket of that name, which one key may do everything in. */
export interface Bucket {
  endpoint: string
  region: string
  key: string
  password: string
}

export const blobUrl = ({ endpoint, region, key, password }: Bucket): string =>
  `s3://${key}:${password}@${NAME}?${new URLSearchParams({ endpoint, region })}`

/** Rejects as long as nothing can be written into it. */
export async function tryBucket({ endpoint, region, key, password }: Bucket): Promise<void> {
  const access = { accessKeyId: key, secretAccessKey: password, bucket: NAME, region, endpoint }
  const client = new Bun.S3Client(access)
  await client.write("probe", "probe")
  await client.delete("probe")
}

export const secret = (): string => randomBytes(18).toString("base64url").replace(/[-_]/g, "x")

/** Below where systems take the ports of outgoing connections from: such a one must not have taken ours meanwhile. */
const PORTS = { first: 15_000, count: 15_000 }

/** Free ports of the loopback, none twice in a process's life. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count)
    if (!given.has(port) && (await isFree(port))) ports.push(port)
    given.add(port)
  }
  return ports
}

const given = new Set<number>()

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const server = createServer()
  server.once("error", () => resolve(false))
  server.listen({ port, host: LOOPBACK }, () => server.close(() => resolve(true)))
  return promise
}
